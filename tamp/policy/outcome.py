"""What a policy came to, by its own eyes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from tamp.agent import outcome
from tamp.agent.tabletop import Tabletop
from tamp.model.atoms import GroundAction


@dataclass
class Outcome:
    """What the policy came to, by its own eyes. `stage` and `reason` say where and why it ended without success;
    `steps` are the control steps up to the last release or push, `total_steps` all. `seconds` by stage; `looks` is how
    often it looked. `believed` has what is only believed to hold, with the second since when."""

    done: bool = False
    stage: str | None = None
    reason: str | None = None
    goal: str | list[str] | None = None
    untouched: list[str] = field(default_factory=list)
    alternatives: list[str] = field(default_factory=list)
    plan: list[str] = field(default_factory=list)
    executed: list[str] = field(default_factory=list)
    steps: int = 0
    total_steps: int = 0
    looks: int = 0
    seconds: dict[str, float] = field(default_factory=dict)
    believed: dict[str, float] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)

    def take(self, found: outcome.Outcome, table: Tabletop) -> None:
        """What became of goals at a table."""
        self.done, self.stage, self.reason = found.done, found.stage, found.reason
        self.steps, self.alternatives = found.steps, found.alternatives
        first = found.plan or table.mind.first
        self.plan = [str(a) for a in first.actions] if first else []
        self.executed = [str(a) for a in found.executed]
        self.seconds |= {k: round(v, 3) for k, v in (table.mind.seconds | found.seconds).items()}
        self.believed = {str(a): t for a, t in table.sight.beliefs.since.items()}

    def searched(self, executed: Sequence[GroundAction], steps: int) -> None:
        """What was done before, so that something was seen."""
        self.executed = [*map(str, executed), *self.executed]
        self.steps += steps
