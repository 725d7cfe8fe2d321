"""What became of goals that were pursued."""

from __future__ import annotations

from dataclasses import dataclass, field

from tamp.model.atoms import GroundAction
from tamp.pddl.planner import Plan


@dataclass
class GoalOutcome:
    """What became of goals. `stage` is where it ended: goal, perception, plan, refinement, execution, or none.

    `steps` are control steps up to the last release or push; the hand's way out is not among them. `plan` is the first
    plan found, for a sequence of goals those of each that was not seen to hold by itself. `alternatives` are those that
    were taken of goals with `or`.
    """

    done: bool = False
    stage: str | None = None
    reason: str | None = None
    steps: int = 0
    plan: Plan | None = None
    alternatives: list[str] = field(default_factory=list)
    executed: list[GroundAction] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)

    def fail(self, stage: str, reason: str) -> None:
        """It ended there, and why."""
        self.stage, self.reason = stage, reason
