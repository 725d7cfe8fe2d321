"""From an instruction to a type-checked goal: the model chooses, the words must bear its choice out."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from llm.asking import Attempt, Question, ask
from llm.confidence import confidence
from llm.grammar import MAX_CLAUSES, Language
from llm.logic_words import are_counted, logic_words
from llm.meaning_stage import understand
from llm.model import Model, Prompt
from llm.phrases import Vocabulary, vocabulary
from llm.reference import rivals
from llm.relevance import relevant
from llm.spelling import mended
from llm.words import absent, content, instruction, mentioned_in_part
from tamp.domain import Domain
from tamp.errors import Refusal
from tamp.goal import Goal, in_pddl
from tamp.planning import Planner, Tell, untold
from tamp.scene import Scene
from tamp.state import WorldState

LISTED = 8
"""Goals that a message names."""


class AmbiguousError(Refusal):
    """The words fit several things equally well: `alternatives` are the goals they can mean, `readings` say so."""

    def __init__(self, alternatives: tuple[Goal, ...], readings: tuple[str, ...]) -> None:
        more = f" | and {len(readings) - LISTED} more" if len(readings) > LISTED else ""
        listed = " | ".join(readings[:LISTED]) + more
        super().__init__(f"the instruction fits {len(alternatives)} goals: {listed}; say which", "ambiguous")
        self.alternatives = alternatives
        self.readings = readings


@dataclass(frozen=True)
class GroundingResult:
    """Checked goals, to be reached one after the other, and how they came about.

    `roles`: `source`, what is acted on, and `target`, where it goes or what is opened or switched (symbols of
    the goal's first clause). `alternatives`: the other goals that the words fit; `ambiguous` when there are
    any. `probability` is the model's for its reply among what the grammar allowed, `attempt` the number of the answer
    that was taken, from 1, `doubts` the number of objections that still stand against it; `confidence` says how
    often answers like it are right (0 to 1, `llm.confidence`).
    """

    goals: tuple[Goal, ...]
    roles: dict[str, str]
    reply: str
    prompt: Prompt
    probability: float
    seconds: float
    attempt: int = 1
    doubts: int = 0
    ambiguous: bool = False
    alternatives: tuple[Goal, ...] = field(default=())

    @property
    def goal(self) -> Goal:
        """The last goal: how things are to be in the end."""
        return self.goals[-1]

    @property
    def confidence(self) -> float:
        """How likely the goal is the one that was meant."""
        return confidence(self.probability, self.attempt, self.doubts)

    def as_dict(self) -> dict[str, Any]:
        """As plain data, without the prompt."""
        return {
            "goal": in_pddl(self.goals),
            "untouched": list(self.goal.untouched),
            "roles": self.roles,
            "reply": self.reply,
            "ambiguous": self.ambiguous,
            "alternatives": [str(goal) for goal in self.alternatives],
            "confidence": round(self.confidence, 4),
            "probability": round(self.probability, 4),
            "attempt": self.attempt,
            "doubts": self.doubts,
            "seconds": round(self.seconds, 3),
        }


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
    planner: Planner | None = None,
    tell: Tell = untold,
) -> GroundingResult:
    """The goal that `text` asks for in this scene.

    `names` are the scene's own words, phrase to symbol; `image` is a PNG of it, for a model that sees. A goal for
    which `planner` proves that there is no plan is sent back. What speaks against an answer goes to `tell`.

    Raises InputError for an empty or an overlong instruction, Refusal when it is about something that is not there
    or cannot be a goal, and AmbiguousError (a Refusal) when its words fit several things, unless `assume_first`.
    """
    start = time.perf_counter()
    known = state.known_to(domain)
    words = vocabulary(scene, known, names)
    text = mended(instruction(text), words.words())
    if missing := absent(text, words.words()):
        raise Refusal(f"the scene has no {' and no '.join(missing)}; {words.inventory()}", "absent")
    if not mentioned_in_part((*words.phrases, *words.plural), Counter(content(text))):
        raise Refusal(f"the instruction names nothing in the scene; {words.inventory()}", "absent")
    about, told = relevant(text, words, known)
    if about is not words:
        tell("shortened", symbols=len(known.symbols), kept=len(told.symbols))
    if any(w.kind != "quantity" for w in logic_words(text)):
        return _understood(text, about, told, domain, model, planner, tell)
    question = Question(text, about, told, known, domain, image, planner)
    answer = ask(question, model, tell)
    things = {a.args[0] for c in answer.clauses for a in c.meaning}
    if not are_counted(text, len(things), any(c.together for c in answer.clauses)):
        return _understood(text, about, told, domain, model, planner, tell)
    _refuse_too_much(answer)
    others = _alternatives(question, answer)
    goal = question.goal(tuple(c.meaning for c in answer.clauses), answer.allowed)
    if others and not assume_first:
        every = question.language(again=True)  # an answer's own has lost what was objected to
        raise AmbiguousError((goal, *others), tuple(_in_words(g, every) for g in (goal, *others)))
    seconds = time.perf_counter() - start
    doubts = len(answer.objections)
    said = (answer.reply, answer.prompt, answer.probability, seconds, answer.number, doubts)
    return GroundingResult((goal,), _roles(goal), *said, bool(others), others)


def _understood(
    text: str, words: Vocabulary, state: WorldState, domain: Domain, model: Model, planner: Planner | None, tell: Tell
) -> GroundingResult:
    """The goals of an instruction with words of logic."""
    start = time.perf_counter()
    found = understand(text, words, state, domain, model, planner, tell)
    said = (found.reply, found.prompt, found.probability, time.perf_counter() - start)
    return GroundingResult(found.goals, _roles(found.goals[-1]), *said)


def _refuse_too_much(answer: Attempt) -> None:
    """Refusal where the words name more than fits into an answer."""
    left = next((o for o in answer.objections if o.kind == "left out"), None)
    if left and len(answer.clauses) == MAX_CLAUSES:
        raise Refusal(f"that is too much at once: {left.reason} At most {MAX_CLAUSES} parts are read", "length")


def _alternatives(question: Question, answer: Attempt) -> tuple[Goal, ...]:
    """Goals that the words fit as well as the one chosen: another thing of the same name in the same role."""
    if any(c.together for c in answer.clauses):
        return ()
    allowed = question.language(again=True)
    said = tuple(c.atoms[0] for c in answer.clauses)
    others = [r.said for r in rivals(question.text, said, allowed)]
    others += [(*said[:i], a, *said[i + 1 :]) for i, c in enumerate(answer.clauses) for a in c.atoms[1:]]
    return tuple(dict.fromkeys(question.goal(tuple((a,) for a in atoms), allowed) for atoms in others))


def _roles(goal: Goal) -> dict[str, str]:
    first = next((a for a in goal.mentioned if len(a.args) == 2), goal.mentioned[0])
    return {"source": first.args[0], "target": first.args[-1]}


def _in_words(goal: Goal, allowed: Language) -> str:
    clauses = []
    for a in map(allowed.said, goal.atoms):
        first, *rest = (allowed.vocabulary.name[s] for s in a.args)
        clauses.append(" ".join([allowed.form(a.predicate).head(first), *rest]))
    return "; ".join(clauses)
