"""Where cameras really are, from a recording in which the hand moves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tamp.perception.calibration import CalibratedCamera


def calibrated(folder: Path, out: Path | None = None) -> tuple[list[CalibratedCamera], Path, list[str]]:
    """Find out where the cameras of a recording really are, a fixed one by the robot in its pictures, one in the hand
    by what the fixed ones see.

    Returns what was found; the file in which it is written, `calibration.json` in the folder unless given; and the
    lines of an arm's world file that say where the fixed cameras are. InputError for what is no recording, and without
    the library of objects.
    """
    from tamp.backends.libero import rendering

    rendering.prepare(video=False)
    from motion.poses import inverse, pose
    from motion.world import World
    from tamp.perception import calibration, recordings
    from tamp.perception.camera import ROBOT
    from tamp.perception.library import load

    recording, skins = recordings.read(folder), load().robots[ROBOT].skins
    found = calibration.calibrated_from(recording, skins)
    file = out or folder / "calibration.json"
    calibration.write(file, found, recording.about)
    base = inverse(pose(World(recording.robot, []).base_position()))
    return found, file, calibration.as_world(found, base)
