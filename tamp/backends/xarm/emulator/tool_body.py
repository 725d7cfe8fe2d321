"""The emulated arm's kinematics and limits, as its controller uses them, and the codes of what fails."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from motion.arms import Arm
from motion.poses import Array, inverse, pose, rotation_about

if TYPE_CHECKING:
    from motion.world import World

KINEMATIC, JOINT_LIMIT, OVERSPEED, NOT_A_CIRCLE = 21, 23, 24, 32
"""Error codes of the controller; `NOT_A_CIRCLE` is that of three points in a line."""
JOINT_SPEED, JOINT_ACCELERATION = math.pi, 20.0
"""The most that a joint may have [rad/s, rad/s²]; servo motion goes at this speed."""
FASTEST = 1.2 * JOINT_SPEED
"""The speed of a joint from which it is too fast (C24)."""
PLANE = 2e-3
"""Radians by which the tool of an arm of five joints may be commanded out of its plane; it is put into it."""
LIMIT_SLACK = 1e-5
"""Radians that a commanded joint may be beyond its limit: the wire's floats round."""


class MotionError(Exception):
    """A motion that cannot be; `code` is the controller's error."""

    def __init__(self, code: int) -> None:
        super().__init__(f"C{code}")
        self.code = code


@dataclass(frozen=True)
class ToolBody:
    """An arm with the offset of its tool, `T_flange_tool` (4, 4)."""

    arm: Arm
    T_flange_tool: Array = field(default_factory=lambda: np.eye(4))

    def tool(self, q: Array) -> Array:
        """`T_base_tool` (4, 4) at a configuration (n,)."""
        return np.asarray(self.arm.forward(q) @ self.T_flange_tool)

    def follow(self, T_base_tool: Array, q: Array) -> Array:
        """The configuration (n,) near `q` that puts the tool there. Raises MotionError (C21; C23 at a limit)."""
        from motion.kinematics import solve

        T_base_flange = T_base_tool @ inverse(self.T_flange_tool)
        found = solve(_world(self.arm), _in_plane(T_base_flange) if self.arm.joints == 5 else T_base_flange, q)
        if found is not None:
            return found
        raise MotionError(JOINT_LIMIT if not self.arm.within(q, 1e-4) else KINEMATIC)

    def jacobian(self, q: Array) -> Array:
        """The geometric Jacobian (6, n) [linear; angular] of the flange, in base axes, at a configuration (n,)."""
        return _world(self.arm).jacobian(q)[1]

    def check(self, q: Array) -> Array:
        """The same configuration (n,), put onto a limit that it misses by rounding. Raises MotionError (C23)."""
        if not self.arm.within(q, -LIMIT_SLACK):
            raise MotionError(JOINT_LIMIT)
        return np.clip(q, self.arm.lower, self.arm.upper)


@functools.cache
def _world(arm: Arm) -> World:
    """The arm alone, for the one thread in which its controller runs."""
    from motion.arm_model import arm_world

    return arm_world(arm)


def warm(arm: Arm) -> None:
    """Load and prepare what inverse kinematics needs, so that the first move does not keep the clock waiting."""
    from motion.kinematics import solve

    solve(_world(arm), pose([9.0, 9.0, 9.0]), np.zeros(arm.joints))


def _in_plane(T: Array) -> Array:
    """The pose nearby whose z axis is in the vertical plane through the base and its position (4, 4)."""
    x, y = T[:2, 3]
    if math.hypot(x, y) < 1e-6:
        return T
    normal = np.array([-y, x, 0.0]) / math.hypot(x, y)
    out = math.asin(float(np.clip(T[:3, 2] @ normal, -1, 1)))
    if abs(out) > PLANE:
        return T
    axis = np.cross(T[:3, 2], normal)
    size = float(np.linalg.norm(axis))
    return T if size < 1e-9 else pose(T[:3, 3], rotation_about(axis / size, -out) @ T[:3, :3])
