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
from llm.words import content, instruction, mentioned, mentioned_in_part, without
from tamp import beside
from tamp.atoms import Atom
from tamp.domain import Domain
from tamp.errors import Refusal
from tamp.goal import Goal, parse_goal
from tamp.scene import Scene
from tamp.state import WorldState


class AmbiguousError(Refusal):
    """The words fit several things equally well. `alternatives` are the goals they can mean."""

    def __init__(self, message: str, alternatives: tuple[Goal, ...]) -> None:
        super().__init__(message)
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
    text = instruction(text)
    known = state.known_to(domain)
    words = vocabulary(scene, known, names)
    if not mentioned_in_part((*words.phrases, *words.plural), Counter(content(text))):
        raise Refusal(f"the instruction names nothing in the scene; {_inventory(words)}")
    prompt, clauses, allowed = _answer(text, words, known, domain, model, image)
    goal = _goal(tuple(c.atoms if c.together else c.atoms[:1] for c in clauses), allowed, domain, known)
    others = _alternatives(text, clauses, allowed, words, domain, known)
    if others and not assume_first:
        listed = " | ".join(_in_words(g, allowed) for g in (goal, *others))
        message = f"the instruction fits {1 + len(others)} goals: {listed}; say which"
        raise AmbiguousError(message, (goal, *others))
    confidence = 1.0
    for c in clauses:
        confidence *= c.probability
    reply = "; ".join(c.text for c in clauses)
    seconds = time.perf_counter() - start
    return GroundingResult(goal, _roles(goal), reply, prompt, confidence, seconds, bool(others), others)


def _answer(
    text: str, words: Vocabulary, state: WorldState, domain: Domain, model: Model, image: bytes | None
) -> tuple[Prompt, tuple[Clause, ...], Language]:
    """The model's answer; asked again, with what holds already, when the words do not bear the first out."""
    for again in (False, True):
        allowed = language(domain, state, words, text, again=again)
        if not allowed.heads():
            raise Refusal(f"the domain {domain.name} has no goal for anything in the scene")
        prompt = replace(ask(text, allowed, state), image=image)
        clauses = decode(model, prompt, allowed)
        strange = _unmentioned(text, clauses, words)
        if not strange:
            break
    if strange:
        named = " or ".join(strange)
        raise Refusal(f"the instruction does not name {named}, the nearest there is; {_inventory(words)}")
    beyond = [c.text for c in clauses if not allowed.form(c.atoms[0].predicate).can_be_goal]
    if beyond:
        raise Refusal(f'"{beyond[0]}" cannot be a goal: the domain {domain.name} has no predicate for it')
    return prompt, clauses, allowed


def _unmentioned(text: str, clauses: tuple[Clause, ...], words: Vocabulary) -> list[str]:
    """Things in an answer that no word of the instruction stands for, in the vocabulary's own phrases."""
    said = Counter(content(text))
    symbols = dict.fromkeys(s for c in clauses for a in c.atoms for s in a.args)
    return [f"the {words.name[s]}" for s in symbols if not mentioned_in_part(words.calling(s), said)]


def _alternatives(
    text: str,
    clauses: tuple[Clause, ...],
    allowed: Language,
    words: Vocabulary,
    domain: Domain,
    state: WorldState,
) -> tuple[Goal, ...]:
    """Goals that the words fit as well as the one chosen: another thing of the same name in the same role."""
    chosen = [c.atoms if c.together else c.atoms[:1] for c in clauses]
    out = []
    for i, c in enumerate(clauses):
        if c.together:
            continue
        for atom in (*c.atoms[1:], *_rivals(text, c.atoms[0], allowed, words)):
            if all(atom not in atoms for atoms in chosen):
                out.append(_goal((*chosen[:i], (atom,), *chosen[i + 1 :]), allowed, domain, state))
    return tuple(dict.fromkeys(out))


def _rivals(text: str, atom: Atom, allowed: Language, words: Vocabulary) -> list[Atom]:
    """Atoms with one argument exchanged for something that the words fit equally well."""
    pool = [a for a in allowed.atoms[atom.predicate] if a not in allowed.true]
    out = []
    for i, symbol in enumerate(atom.args):
        said = Counter(content(text))
        for other in atom.args[:i] + atom.args[i + 1 :]:
            said = without(said, _best(other, words, said))
        same = [a for a in pool if a.args[:i] + a.args[i + 1 :] == atom.args[:i] + atom.args[i + 1 :] and a != atom]
        slot = frozenset({symbol, *(a.args[i] for a in same)})
        fitting = words.fitting(slot)
        if any(some == (symbol,) and mentioned(phrase, said) for phrase, some in fitting.items()):
            continue
        shared = {s for phrase, some in fitting.items() if symbol in some and mentioned(phrase, said) for s in some}
        out += [a for a in same if a.args[i] in shared]
    return out


def _best(symbol: str, words: Vocabulary, said: Counter[str]) -> str:
    """The longest phrase for `symbol` that the words have; "" for none."""
    heard = [p for p in words.calling(symbol) if mentioned(p, said)]
    return max(heard, key=lambda p: len(content(p)), default="")


def _goal(parts: tuple[tuple[Atom, ...], ...], allowed: Language, domain: Domain, state: WorldState) -> Goal:
    """The conjunction, through the same check that a written goal gets."""
    atoms = tuple(allowed.meant(a) for some in parts for a in some)
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
