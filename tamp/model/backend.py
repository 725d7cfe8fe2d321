"""What execution needs of a robot or a simulator: what it observes, and what it is commanded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

from motion.poses import Array
from tamp.model.images import Image
from tamp.model.scene import RobotState


@dataclass(frozen=True, eq=False)
class Observation:
    """What is known of one control period.

    `time` is in seconds of the session's clock, `images` are empty where none were taken, and `asked` is the finger
    opening (m) that was commanded last, where that is known.
    """

    time: float
    robot: RobotState
    images: tuple[Image, ...] = ()
    asked: float | None = None


class Command(NamedTuple):
    """Displacement (6,) of the tool and the finger opening to go to."""

    displacement: Array
    opening: float


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
