"""Ground truth of a recording, in a folder `truth` of its own: perception runs without it.

truth.json                        things, and at each moment their poses, joints and visible pixels, and what holds
0000_agentview_instances.png      which thing each pixel shows: its number in `truth.json` from 1 on, 0 for what
                                  all stand on and whatever is behind, 255 for the robot
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from motion.poses import Array
from tamp.errors import InputError
from tamp.perception.recordings import read_json, read_png, write_json, write_png

FORMAT = 1
FOLDER, INDEX = "truth", "truth.json"
ROBOT = 255
"""Number of the robot in a picture of instances."""
MOST_THINGS = ROBOT - 1


@dataclass(frozen=True)
class TrueThing:
    """A thing that is there, called as the simulator calls it. `joints` are its parts that move on one, by the end of
    their name after the thing's own, with their kind: drawer, door, knob."""

    name: str
    category: str
    movable: bool
    joints: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class TrueMoment:
    """What is true at a moment: poses (4, 4) in the world and joint values (m, rad) by thing, the pixels that show it
    by camera, the symbolic facts, and what the hand holds."""

    time: float
    poses: dict[str, Array]
    joints: dict[str, dict[str, float]]
    pixels: dict[str, dict[str, int]]
    atoms: tuple[str, ...] = ()
    held: str | None = None


@dataclass(frozen=True, eq=False)
class Truth:
    """What is true of a recording."""

    folder: Path
    things: tuple[TrueThing, ...]
    moments: tuple[TrueMoment, ...]

    def mask(self, moment: int, camera: str, name: str) -> Array:
        """Where (h, w), true or false, a picture shows a thing."""
        number = 1 + [t.name for t in self.things].index(name)
        return np.asarray(self.instances(moment, camera) == number)

    def instances(self, moment: int, camera: str) -> Array:
        """The number (h, w) of what each pixel shows."""
        return read_png(self.folder / _picture_name(moment, camera))


@dataclass(eq=False)
class TruthWriter:
    """Writes what is true into a folder."""

    folder: Path
    things: tuple[TrueThing, ...]
    _moments: list[TrueMoment] = field(default_factory=list)

    def take(self, moment: TrueMoment, instances: dict[str, Array]) -> None:
        """Keep a moment, with the number (h, w) of what each pixel shows by camera."""
        for camera, numbers in instances.items():
            write_png(self.folder / _picture_name(len(self._moments), camera), numbers.astype(np.uint8))
        self._moments.append(moment)

    def close(self) -> None:
        """Write the rest."""
        record = {
            "format": FORMAT,
            "things": [asdict(t) for t in self.things],
            "moments": [vars(m) for m in self._moments],
        }
        write_json(self.folder / INDEX, record)


def _picture_name(moment: int, camera: str) -> str:
    return f"{moment:04d}_{camera}_instances.png"


def read(recording: Path) -> Truth:
    """What is true of the recording in a folder. InputError where it is not there, or damaged."""
    folder = recording / FOLDER
    told = read_json(folder / INDEX, FORMAT).values
    try:
        moments = tuple(_moment(m) for m in told["moments"])
        return Truth(folder, tuple(TrueThing(**t) for t in told["things"]), moments)
    except (KeyError, TypeError, ValueError) as e:
        raise InputError(f"{folder / INDEX} is damaged ({type(e).__name__}: {e}); record it again") from e


def _moment(told: dict[str, Any]) -> TrueMoment:
    poses = {name: np.array(T, dtype=float) for name, T in told["poses"].items()}
    return TrueMoment(**{**told, "poses": poses, "atoms": tuple(told["atoms"])})
