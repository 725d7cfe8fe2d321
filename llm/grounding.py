"""From an instruction to a type-checked goal: the model chooses, the words must bear its choice out."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field, replace

from llm.decoding import Clause, decode
from llm.grammar import Language, language
from llm.model import Model, Prompt
from llm.phrases import Vocabulary, vocabulary
from llm.prompt import prompt as ask
from llm.reference import rivals
from llm.review import Objection, objections
from llm.spelling import mended
from llm.words import absent, content, instruction, mentioned_in_part
from tamp import beside
from tamp.atoms import Atom
from tamp.domain import Domain
from tamp.errors import Refusal
from tamp.goal import Goal, parse_goal
from tamp.scene import Scene
from tamp.state import WorldState

RETRIES = 3
"""Times that the model is asked again."""


class AmbiguousError(Refusal):
    """The words fit several things equally well. `alternatives` are the goals they can mean."""

    def __init__(self, message: str, alternatives: tuple[Goal, ...]) -> None:
        super().__init__(message, "ambiguous")
        self.alternatives = alternatives


@dataclass(frozen=True)
class GroundingResult:
    """A checked goal and how it came about.

    `roles`: `source`, what is acted on, and `target`, where it goes or what is opened or switched (symbols of
    the goal's first clause). `alternatives`: the other goals that the words fit; `ambiguous` when there are
    any. `confidence` (0 to 1) is the model's probability for its reply among what the grammar allowed.
    """

    goal: Goal
    roles: dict[str, str]
    reply: str
    prompt: Prompt
    confidence: float
    seconds: float
    ambiguous: bool = False
    alternatives: tuple[Goal, ...] = field(default=())


def ground(
    text: str,
    scene: Scene,
    state: WorldState,
    domain: Domain,
    model: Model,
    *,
    names: dict[str, str] | None = None,
    assume_first: bool = False,
    image: bytes | None = None,
) -> GroundingResult:
    """The goal that `text` asks for in this scene.

    `names` are the scene's own words, phrase to symbol; `image` is a PNG of it, for a model that sees. Raises
    InputError for an empty or an overlong instruction, Refusal when it is about something that is not there or
    cannot be a goal, and AmbiguousError (a Refusal) when its words fit several things, unless `assume_first`.
    """
    start = time.perf_counter()
    known = state.known_to(domain)
    words = vocabulary(scene, known, names)
    text = mended(instruction(text), words.words())
    if missing := absent(text, words.words()):
        raise Refusal(f"the scene has no {' and no '.join(missing)}; {_inventory(words)}", "absent")
    if not mentioned_in_part((*words.phrases, *words.plural), Counter(content(text))):
        raise Refusal(f"the instruction names nothing in the scene; {_inventory(words)}", "absent")
    answer = _answer(text, words, known, domain, model, image)
    clauses, allowed = answer.clauses, answer.allowed
    goal = _goal(tuple(c.atoms if c.together else c.atoms[:1] for c in clauses), allowed, domain, known)
    others = _alternatives(text, clauses, language(domain, known, words, text, again=True), domain, known)
    if others and not assume_first:
        listed = " | ".join(_in_words(g, allowed) for g in (goal, *others))
        message = f"the instruction fits {1 + len(others)} goals: {listed}; say which"
        raise AmbiguousError(message, (goal, *others))
    confidence = 1.0
    for c in clauses:
        confidence *= c.probability
    seconds = time.perf_counter() - start
    return GroundingResult(goal, _roles(goal), answer.reply, answer.prompt, confidence, seconds, bool(others), others)


@dataclass(frozen=True)
class _Attempt:
    """An answer, what it was an answer to, and what the words say against it."""

    prompt: Prompt
    clauses: tuple[Clause, ...]
    allowed: Language
    objections: tuple[Objection, ...]

    @property
    def reply(self) -> str:
        return "; ".join(c.text for c in self.clauses)

    @property
    def badness(self) -> tuple[int, int]:
        return sum(o.grave for o in self.objections), len(self.objections)


def _answer(
    text: str, words: Vocabulary, state: WorldState, domain: Domain, model: Model, image: bytes | None
) -> _Attempt:
    """The model's answer, asked again with the reason while something speaks against it; Refusal if it stays so."""
    allowed = language(domain, state, words, text)
    if not allowed.heads():
        raise Refusal(f"the domain {domain.name} has no goal for anything in the scene", "no goal")
    prompt, least = replace(ask(text, allowed, state), image=image), 1
    attempts: list[_Attempt] = []
    while len(attempts) <= RETRIES and allowed.heads():
        clauses = decode(model, prompt, allowed, least)
        found = objections(text, clauses, allowed)
        if sound := tuple(c for c in clauses if not any(o.is_about(c.atoms[0]) for o in found)):
            clauses, found = _shorter(text, clauses, sound, found, allowed)
        attempts.append(_Attempt(prompt, clauses, allowed, found))
        if not found:
            break
        least = len(clauses) + 1 if any(o.more for o in found) else 1
        made = [o for a in attempts for o in a.objections]
        wrong, barred = {a for o in made for a in o.wrong}, {s for o in made for s in o.barred}
        again = any(o.kind == "unmentioned" for o in made)
        allowed = language(domain, state, words, text, again=again).excluding(wrong, barred)
        prompt = prompt.corrected(f"{attempts[-1].reply}.", found[0].reason)
    best = min(attempts, key=lambda a: a.badness)
    _refuse(best, words, domain)
    return best


def _shorter(
    text: str,
    clauses: tuple[Clause, ...],
    sound: tuple[Clause, ...],
    found: tuple[Objection, ...],
    allowed: Language,
) -> tuple[tuple[Clause, ...], tuple[Objection, ...]]:
    """The sound clauses alone when nothing grave speaks against these: a small model goes on when all is said."""
    left = objections(text, sound, allowed)
    return (clauses, found) if len(left) >= len(found) else (sound, left)


def _refuse(answer: _Attempt, words: Vocabulary, domain: Domain) -> None:
    """Refusal of an answer that nothing can be done with."""
    strange = [o.strange for o in answer.objections if o.strange]
    if strange:
        named = " or ".join(strange)
        message = f"the instruction does not name {named}, the nearest there is; {_inventory(words)}"
        raise Refusal(message, "absent")
    if grave := [o.reason for o in answer.objections if o.grave]:
        raise Refusal(f"the instruction was not understood; {' '.join(grave)} {_inventory(words)}", "unclear")
    beyond = [c.text for c in answer.clauses if answer.allowed.meant(c.atoms[0]) is None]
    if beyond:
        message = f'"{beyond[0]}" cannot be a goal: the domain {domain.name} has no predicate for it'
        raise Refusal(message, "no goal")


def _alternatives(
    text: str, clauses: tuple[Clause, ...], allowed: Language, domain: Domain, state: WorldState
) -> tuple[Goal, ...]:
    """Goals that the words fit as well as the one chosen: another thing of the same name in the same role."""
    if any(c.together for c in clauses):
        return ()
    said = tuple(c.atoms[0] for c in clauses)
    others = [tuple(map(r.instead, said)) for r in rivals(text, said, allowed)]
    others += [(*said[:i], a, *said[i + 1 :]) for i, c in enumerate(clauses) for a in c.atoms[1:]]
    goals = [_goal(tuple((a,) for a in atoms), allowed, domain, state) for atoms in others]
    return tuple(dict.fromkeys(goals))


def _goal(parts: tuple[tuple[Atom, ...], ...], allowed: Language, domain: Domain, state: WorldState) -> Goal:
    """The conjunction, through the same check that a written goal gets."""
    atoms = tuple(m for some in parts for a in some if (m := allowed.meant(a)))
    return parse_goal(str(Goal(atoms)), domain, state.symbols | beside.symbols(allowed.vocabulary.things))


def _roles(goal: Goal) -> dict[str, str]:
    first = next((a for a in goal.atoms if len(a.args) == 2), goal.atoms[0])
    return {"source": first.args[0], "target": first.args[-1]}


def _in_words(goal: Goal, allowed: Language) -> str:
    clauses = []
    for a in map(allowed.said, goal.atoms):
        first, *rest = (allowed.vocabulary.name[s] for s in a.args)
        clauses.append(" ".join([allowed.form(a.predicate).head(first), *rest]))
    return "; ".join(clauses)


def _inventory(words: Vocabulary) -> str:
    return f"it has: {', '.join(dict.fromkeys(words.name.values()))}"
