"""Robots by the files in `motion/robots/`, or files of one's own, and where they stand at a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np

import motion
from motion.arm_model import robot_model
from motion.arms import ARMS
from motion.hands import HANDS
from motion.poses import Array, pose, rotation_about
from motion.robot import RobotDescription
from tamp.backends.robot_file import FORMATS, REACH, read_assembly
from tamp.errors import InputError
from tamp.files.toml_table import Table, read_placed
from tamp.model.goal_syntax import valid

T = TypeVar("T")

SHIPPED = Path(motion.__file__).parent / "robots"
PANDA_REACH = 0.855
"""Metres from the first joint's axis that LIBERO's Panda reaches, as its maker says."""


@dataclass(frozen=True, eq=False)
class RobotBody:
    """A robot, wherever it stands: `at` gives it with its base at a pose (4, 4). `reach` in metres, from the axis of the
    first joint to the flange. Where a Panda would stand it is moved by `base` (3,) metres in the world, or if that is None
    so much nearer to what is there as it reaches less far; and turned by `yaw` radians about the vertical."""

    name: str
    at: Callable[[Array], RobotDescription]
    reach: float
    base: Array | None = None
    yaw: float = 0.0

    def in_place_of(self, p_world_base: Array) -> RobotDescription:
        """The robot where a Panda stands with its base at a point (3,), looking along x."""
        moved = np.array([PANDA_REACH - self.reach, 0.0, 0.0]) if self.base is None else self.base
        return self.at(pose(p_world_base + moved, rotation_about(np.array([0.0, 0.0, 1.0]), self.yaw)))


def names() -> list[str]:
    """The shipped robots."""
    return sorted(file.stem for file in SHIPPED.glob("*.toml"))


def find(name: str) -> RobotBody:
    """A shipped robot by its name, or one in a TOML file. InputError for what is neither, or no robot."""
    path = Path(name)
    if path.suffix == ".toml":
        return _read(path)
    if name not in names():
        raise InputError(f"no robot {name!r}; {valid(name, names())}, or a .toml file")
    return _read(SHIPPED / f"{name}.toml")


def _read(path: Path) -> RobotBody:
    table = read_placed(path)
    base = table.numbers("base", 3, "[x, y, z] in metres from a Panda's base") if table.has("base") else None
    yaw = table.number("yaw", "radians", -2 * np.pi, 2 * np.pi) if table.has("yaw") else 0.0
    at = _table_arm(table) if table.has("arm") else _model_arm(table)
    return RobotBody(path.stem, at, table.number("reach", REACH, 0.05, 5.0), base, yaw)


def _has_model(table: Table) -> bool:
    return any(table.has(key) for key in FORMATS)


def _model_arm(table: Table) -> Callable[[Array], RobotDescription]:
    """An arm of a URDF or MJCF file."""
    if not _has_model(table):
        raise table.wrong("no robot; valid: arm and hand, or urdf, or mjcf")
    return read_assembly(table).at


def _table_arm(table: Table) -> Callable[[Array], RobotDescription]:
    """An arm and a hand that are known by name."""
    table.only("arm", "hand", "posture", "reach", "base", "yaw")
    arm = _one_of(table, "arm", ARMS)
    hand = _one_of(table, "hand", HANDS)
    posture = table.numbers("posture", arm.joints, f"{arm.joints} radians")
    for i, value in enumerate(posture):
        if not arm.lower[i] < value < arm.upper[i]:
            limits = f"{arm.lower[i]:.2f} to {arm.upper[i]:.2f}"
            raise table.wrong(f"posture has {value} for joint {i + 1}; valid: {limits}", "posture")
    return lambda T_world_base: robot_model(arm, None, posture, hand, T_world_base)


def _one_of(table: Table, key: str, known: Mapping[str, T]) -> T:
    name = table.text(key, ", ".join(known))
    if name not in known:
        raise table.wrong(f"no {key} {name!r}; {valid(name, list(known))}", key)
    return known[name]
