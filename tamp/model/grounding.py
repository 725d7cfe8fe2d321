"""What an instruction, or a formula, comes to in a scene."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tamp.model.goal import Goal, in_pddl


@dataclass(frozen=True)
class Grounding:
    """Checked goals, to be reached one after the other, and how they came about.

    `instruction` are the words, None for a goal that was given. `alternatives` are other goals that the words fit;
    `roles` say what is acted on (`source`) and where it goes (`target`); `reply` is the model's answer, `confidence`
    (0 to 1) how often answers like it are right; `probability` is the model's own for it; `assumed` says why it would
    be asked back had it not been asked for whatever it comes to; `seconds` is how long reading took.
    """

    goals: tuple[Goal, ...]
    instruction: str | None = None
    roles: Mapping[str, str] = field(default_factory=dict)
    alternatives: tuple[tuple[Goal, ...], ...] = ()
    reply: str = ""
    confidence: float = 1.0
    probability: float = 1.0
    assumed: str = ""
    seconds: float = 0.0

    @property
    def ambiguous(self) -> bool:
        """Whether the words fit other goals as well."""
        return bool(self.alternatives)

    @property
    def goal(self) -> Goal:
        """The last goal: how things are to be in the end."""
        return self.goals[-1]

    def __str__(self) -> str:
        """The goals in PDDL, a line each."""
        return "\n".join(map(str, self.goals))

    def as_dict(self) -> dict[str, Any]:
        """As plain data, as `tamp ground --json` has it."""
        return {
            "goal": in_pddl(self.goals),
            "untouched": list(self.goal.untouched),
            "roles": dict(self.roles),
            "reply": self.reply,
            "ambiguous": self.ambiguous,
            "alternatives": [in_pddl(goals) for goals in self.alternatives],
            "confidence": round(self.confidence, 4),
            "probability": round(self.probability, 4),
            "assumed": self.assumed,
            "seconds": round(self.seconds, 3),
        }
