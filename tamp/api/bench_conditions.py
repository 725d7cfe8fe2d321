"""Under which conditions the episodes of a benchmark are run: what those of one results folder have in common."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from tamp.runs.labels import by_camera, in_physics

if TYPE_CHECKING:
    from tamp.agent.clock import Clock

Stage = Literal["goal", "plan", "all"]


@dataclass(frozen=True, kw_only=True)
class Conditions:
    """As the options of `tamp bench` say; `without` are reflexes that are left out."""

    stage: Stage
    seed: int
    planner: str
    llm: str
    domain: str
    clock: Clock = "paused"
    perception: str = "oracle"
    noise: str = "clean"
    calibration: Path | None = None
    disturb: str | None = None
    without: tuple[str, ...] = ()
    repair: str | None = None
    backend: str = "libero"
    body: str | None = None

    @property
    def reflexes(self) -> tuple[str, ...]:
        """What is done of itself while actions go on."""
        from tamp.agent.recovery_options import REFLEXES

        return tuple(r for r in REFLEXES if r not in self.without)

    @property
    def label(self) -> str:
        """How results say what saw."""
        sees, given = self.perception == "camera", self.stage == "plan"
        if self.backend != "libero":
            return in_physics(self.backend, self.body, sees, given)
        return by_camera(given, self.noise) if sees else self.perception
