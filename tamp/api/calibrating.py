"""Where cameras really are, from a recording in which the hand moves."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tamp.perception.calibration import CalibratedCamera


@dataclass(frozen=True, eq=False)
class Calibration:
    """What was found out of each of the `cameras`, which is written in `file`; `world` are the lines of an arm's world
    file that say where the fixed ones are."""

    cameras: tuple[CalibratedCamera, ...]
    file: Path
    world: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """As plain data."""
        from tamp.perception import calibration

        return {"cameras": {c.camera: calibration.as_record(c) for c in self.cameras}, "out": self.file}


def calibrated(folder: Path, out: Path | None = None) -> Calibration:
    """Find out where the cameras of a recording really are, a fixed one by the robot in its pictures, one in the hand
    by what the fixed ones see, and write it into a file, by default `calibration.json` in the folder. InputError for
    what is no recording, and without the library of objects."""
    from tamp.backends.libero import rendering

    rendering.prepare(video=False)
    from motion.poses import inverse, pose
    from motion.world import World
    from tamp.perception import calibration, recordings
    from tamp.perception.calibration import calibrated_from
    from tamp.perception.camera import ROBOT
    from tamp.perception.library import load

    recording, skins = recordings.read(folder), load().robots[ROBOT].skins
    found = calibrated_from(recording, skins)
    file = out or folder / "calibration.json"
    calibration.write(file, found, recording.about)
    base = inverse(pose(World(recording.robot, []).base_position()))
    return Calibration(tuple(found), file, tuple(calibration.as_world(found, base)))
