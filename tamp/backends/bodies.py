"""Robots by the files in `motion/robots/`, and where they stand at a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import numpy as np

import motion
from motion.arm_model import robot_model
from motion.arms import ARMS, Arm
from motion.hands import HANDS, Hand
from motion.poses import Array, pose
from motion.robot import RobotDescription
from tamp.errors import InputError
from tamp.files.toml_table import Table, read_placed
from tamp.model.goal_syntax import valid

T = TypeVar("T")

SHIPPED = Path(motion.__file__).parent / "robots"
PANDA_REACH = 0.855
"""Metres from the first joint's axis that LIBERO's Panda reaches, as its maker says."""


@dataclass(frozen=True, eq=False)
class RobotBody:
    """An arm and its hand, wherever they stand. `reach` in metres, from the axis of the first joint to the flange.
    `joint_period` and `efforts`: see `motion.robot.RobotDescription`."""

    name: str
    arm: Arm
    hand: Hand
    posture: Array
    reach: float
    joint_period: float
    efforts: tuple[float, ...]

    def at(self, T_world_base: Array) -> RobotDescription:
        """The robot with its base somewhere."""
        made = robot_model(self.arm, None, self.posture, self.hand, T_world_base)
        return replace(made, joint_period=self.joint_period, efforts=self.efforts)

    def in_place_of(self, p_world_base: Array) -> RobotDescription:
        """The robot where a Panda stands with its base at a point (3,), looking along x: so much nearer to what is
        there as it reaches less far."""
        return self.at(pose(p_world_base + np.array([PANDA_REACH - self.reach, 0.0, 0.0])))


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
    table.only("arm", "hand", "posture", "reach", "joint_period", "efforts")
    arm = _one_of(table, "arm", ARMS)
    hand = _one_of(table, "hand", HANDS)
    posture = table.numbers("posture", arm.joints, f"{arm.joints} radians")
    for i, value in enumerate(posture):
        if not arm.lower[i] < value < arm.upper[i]:
            limits = f"{arm.lower[i]:.2f} to {arm.upper[i]:.2f}"
            raise table.wrong(f"posture has {value} for joint {i + 1}; valid: {limits}", "posture")
    reach = table.number("reach", "metres", 0.05, 5.0)
    period = table.number("joint_period", "seconds", 0.001, 0.05)
    efforts = table.numbers("efforts", arm.joints, f"{arm.joints} Nm")
    return RobotBody(path.stem, arm, hand, np.asarray(posture), reach, period, tuple(efforts.tolist()))


def _one_of(table: Table, key: str, known: Mapping[str, T]) -> T:
    name = table.text(key, ", ".join(known))
    if name not in known:
        raise table.wrong(f"no {key} {name!r}; {valid(name, list(known))}", key)
    return known[name]
