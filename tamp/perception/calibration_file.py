"""What a calibration found, in a file: where each camera is, against where it was said to be."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from motion.poses import Array, is_rigid, to_rpy
from tamp.errors import InputError
from tamp.files.quantities import not_metres
from tamp.files.toml_table import Table
from tamp.perception.calibrating import Found
from tamp.perception.recordings import read_json, write_json

FORMAT = 1
VALID = "what tamp calibrate wrote"
FARTHEST = 2.0
"""Metres that a camera is off: from further away none is found."""


def write(path: Path, found: Sequence[Found], about: dict[str, Any]) -> None:
    """Write it; `about` says of what recording. InputError where it cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_json(path, {"format": FORMAT, "about": about, "cameras": {f.camera: told(f) for f in found}})
    except OSError as e:
        raise InputError(f"cannot write {path}: {e.strerror}") from e


def told(found: Found) -> dict[str, Any]:
    """What was found of a camera, as plain data."""
    metres, radians = found.size
    return {
        "on_hand": found.on_hand, "off": found.off.tolist(), "T": found.T.tolist(), "views": found.views,
        "mm": round(1000 * metres, 2), "degrees": round(float(np.degrees(radians)), 3),
        "scatter_mm": round(1000 * found.scatter[0], 2),
        "scatter_degrees": round(float(np.degrees(found.scatter[1])), 3),
    }  # fmt: skip


def read(path: Path) -> dict[str, Array]:
    """How far cameras are off (4, 4), by their names, each in the frame of where it is said to be. InputError, with its
    line, for a file that says no such thing."""
    known = read_json(path, FORMAT)
    cameras = known.table("cameras", f"an object, {VALID}")
    return {name: _off(cameras.table(name, f"an object, {VALID}")) for name in cameras.values}


def _off(camera: Table) -> Array:
    off = camera.array("off", f"a pose (4, 4), {VALID}", 4, 4)
    if not is_rigid(off):
        raise camera.no("off", f"a pose (4, 4), {VALID}")
    if why := not_metres(off[:3, 3].tolist(), FARTHEST):
        raise camera.no("off", f"a pose (4, 4) whose last column is in metres, {why}")
    return off


def as_world(found: Sequence[Found], T_base_world: Array) -> list[str]:
    """The lines of an arm's world file for the cameras that do not move with the hand: where they are in the frame of
    the robot's base."""
    lines = []
    for f in found:
        if not f.on_hand:
            T = T_base_world @ f.T
            xyz, rpy = np.round(1000 * T[:3, 3], 2).tolist(), np.round(np.degrees(to_rpy(T[:3, :3])), 3).tolist()
            lines += [f"[cameras.{f.camera}]", f"xyz_mm = {xyz}", f"rpy_deg = {rpy}"]
    return lines
