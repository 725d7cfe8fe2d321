"""What execution needs of a robot or a simulator. All quirks stay behind it."""

from __future__ import annotations

from typing import Protocol

from motion.poses import Array
from tamp.model.scene import RobotState


class Backend(Protocol):
    """A robot that takes tool displacements at a fixed rate."""

    period: float

    @property
    def time(self) -> float:
        """Seconds of its own clock."""
        ...

    def observe(self) -> RobotState:
        """Proprioception now."""
        ...

    def command(self, displacement: Array, opening: float) -> None:
        """Advance one control period towards `displacement` (6,) [m, rad] from the present tool pose, with the
        fingers going to `opening` metres; 0 closes with force."""
        ...

    def stop(self) -> None:
        """Hold still."""
        ...
