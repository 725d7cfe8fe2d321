"""Robots by the files in `motion/robots/`, and where they stand at a table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import motion
from motion.arm_model import MountedHand
from motion.arms import Arm
from motion.poses import Array, pose, rotation_about
from motion.robot import RobotDescription
from motion.robot_files import other_kind, standing
from tamp.errors import InputError
from tamp.model.goal_syntax import valid

SHIPPED = Path(motion.__file__).parent / "robots"
PANDA_REACH = 0.855
"""Metres from the first joint's axis that LIBERO's Panda reaches, as its maker says."""


@dataclass(frozen=True, eq=False)
class RobotBody:
    """A robot, wherever it stands. `robot` has its base at the world's origin; `reach` in metres, from the axis of the
    first joint to the flange. `arm` and `hand` are those of its maker's controller, where one is known. Where another
    robot would stand it is moved by `base` (3,) metres, or without that so much nearer to what is there as it reaches
    less far, and turned by `yaw` radians about the vertical."""

    name: str
    robot: RobotDescription
    reach: float
    arm: Arm | None = None
    hand: MountedHand | None = None
    base: Array | None = None
    yaw: float = 0.0

    def at(self, T_world_base: Array) -> RobotDescription:
        """The robot with its base somewhere."""
        return replace(self.robot, mjcf=standing(self.robot.mjcf, T_world_base))

    def for_sdk(self) -> tuple[Arm, MountedHand]:
        """What UFACTORY's SDK drives of it. InputError for a robot that it does not."""
        if self.arm is None or self.hand is None:
            known = ", ".join(name for name in names() if find(name).arm is not None)
            raise InputError(f"{self.name} is none of UFACTORY's arms; valid with --backend xarm: {known}")
        return self.arm, self.hand

    def in_place_of(self, p_world_base: Array) -> RobotDescription:
        """The robot where a Panda stands with its base at a point (3,), looking along x."""
        return self.instead_of(PANDA_REACH, pose(p_world_base))

    def instead_of(self, reach: float, T_world_base: Array) -> RobotDescription:
        """The robot where another one stands, which reaches so far (m) and looks along x of its base (4, 4)."""
        return self.at(T_world_base @ pose(self.moved(reach), rotation_about(np.array([0.0, 0.0, 1.0]), self.yaw)))

    def moved(self, reach: float = PANDA_REACH) -> Array:
        """Its base (3,) m, seen from where the base of one that reaches so far (m) would stand."""
        return np.array([reach - self.reach, 0.0, 0.0]) if self.base is None else self.base


def names() -> list[str]:
    """The shipped robots."""
    return sorted(file.stem for file in SHIPPED.glob("*.toml"))


def find(name: str) -> RobotBody:
    """A shipped robot by its name, or one in a TOML file. InputError for what is neither, or no robot."""
    from tamp.backends.body_files import is_model, read

    path = Path(name)
    if path.suffix == ".toml":
        return _named(read(path), str(path.resolve()))
    if is_model(name):
        what = other_kind(name) or "a model; valid: a .toml file that names it, its arm and its hand (docs/bodies.md)"
        raise InputError(f"{name} is {what}")
    if name not in names():
        raise InputError(f"no robot {name!r}; {valid(name, names())}, or a .toml file")
    return _named(read(SHIPPED / f"{name}.toml"), name)


def _named(body: RobotBody, name: str) -> RobotBody:
    """A body whose robot says by which name it is found."""
    return replace(body, robot=replace(body.robot, name=name))
