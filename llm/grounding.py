"""From an instruction to a type-checked goal: the model chooses, the words must bear its choice out."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

from llm.confidence import confidence
from llm.meaning_stage import Goals, Reading, Stage
from llm.model import Model, Prompt
from llm.own_words import own_words
from llm.phrases import Vocabulary, vocabulary
from llm.relevance import relevant
from llm.spelling import mended
from llm.words import instruction
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

    def __init__(self, found: tuple[Reading, ...]) -> None:
        self.alternatives = tuple(r.goals for r in found)
        self.readings = tuple(r.chosen for r in found)
        more = f" | and {len(found) - LISTED} more" if len(found) > LISTED else ""
        listed = " | ".join(self.readings[:LISTED]) + more
        super().__init__(f"the instruction fits {len(found)} goals: {listed}; say which", "ambiguous")


@dataclass(frozen=True)
class GroundingResult:
    """Checked goals, to be reached one after the other, and how they came about.

    `roles`: `source`, what is acted on, and `target`, where it goes or what is opened or switched (symbols of
    the goal's first clause). `alternatives`: the other goals that the words fit; `ambiguous` when there are
    any. `guesses` are words that the scene lacks, with what they were taken to mean. `probability` is the model's for
    its reply among what the grammar allowed and for the guesses; `confidence` says how often answers like it are
    right (0 to 1, `llm.confidence`).
    """

    goals: Goals
    roles: dict[str, str]
    reply: str
    prompt: Prompt
    probability: float
    seconds: float
    guesses: dict[str, str] = field(default_factory=dict)
    alternatives: tuple[Goals, ...] = ()

    @property
    def ambiguous(self) -> bool:
        """Whether the words fit other goals as well."""
        return bool(self.alternatives)

    @property
    def goal(self) -> Goal:
        """The last goal: how things are to be in the end."""
        return self.goals[-1]

    @property
    def confidence(self) -> float:
        """How likely the goal is the one that was meant."""
        return confidence(self.probability, len(self.guesses))

    def as_dict(self) -> dict[str, Any]:
        """As plain data, without the prompt."""
        return {
            "goal": in_pddl(self.goals),
            "untouched": list(self.goal.untouched),
            "roles": self.roles,
            "reply": self.reply,
            "ambiguous": self.ambiguous,
            "guesses": self.guesses,
            "alternatives": [in_pddl(goals) for goals in self.alternatives],
            "confidence": round(self.confidence, 4),
            "probability": round(self.probability, 4),
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
    """The goals that `text` asks for in this scene, one after the other.

    `names` are the scene's own words, phrase to symbol; `image` is a PNG of it, for a model that sees. Goals for
    which `planner` proves that there is no plan are refused. What speaks against an answer goes to `tell`.

    Raises InputError for an empty or an overlong instruction, Refusal when it is about something that is not there
    or cannot be a goal, and AmbiguousError (a Refusal) when its words fit several things, unless `assume_first`.
    """
    known = state.known_to(domain)
    words = vocabulary(scene, known, names, own_words(domain))
    return ground_in(
        text, words, known, domain, model, assume_first=assume_first, image=image, planner=planner, tell=tell
    )


def ground_in(
    text: str,
    words: Vocabulary,
    state: WorldState,
    domain: Domain,
    model: Model,
    *,
    assume_first: bool = False,
    image: bytes | None = None,
    planner: Planner | None = None,
    tell: Tell = untold,
) -> GroundingResult:
    """The same for a world that is known by the `words` for its symbols: it need have no geometry."""
    start = time.perf_counter()
    text = mended(instruction(text), words.words())
    about, told = relevant(text, words, state)
    if about is not words:
        tell("shortened", symbols=len(state.symbols), kept=len(told.symbols))
    stage = Stage(text, about, told, domain, model, planner, image)
    reply = stage.write()
    try:
        found = stage.understand(reply)
    except Refusal as e:
        tell("objection", attempt=1, error=e.kind, message=str(e), reply=reply.text, grave=True)
        raise
    if len(found.readings) > 1 and not assume_first:
        raise AmbiguousError(found.readings)
    first, *others = (r.goals for r in found.readings)
    return GroundingResult(
        first,
        _roles(first[-1]),
        reply.text,
        stage.prompt,
        found.probability,
        time.perf_counter() - start,
        {g.words: g.called for g in found.guesses},
        tuple(others),
    )


def _roles(goal: Goal) -> dict[str, str]:
    first = next((a for a in goal.mentioned if len(a.args) == 2), goal.mentioned[0])
    return {"source": first.args[0], "target": first.args[-1]}
