"""A motion that was planned for where a thing was seen, led to where it is seen now: position-based visual servoing.

The plan stays as it is; the tool is looked at, and commanded, in a frame that has moved as the thing has. What was free
of collisions by centimetres is so by millimetres less, and the look-ahead goes on watching.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from motion.poses import Array, error, inverse, pose, rotation_vector_to_matrix
from tamp.model.situation import modulo_turns

IGNORED = (0.001, 0.02)
"""Metres and radians up to which a thing is where it was."""
SPEED = (0.04, 0.4)
"""Metres and radians a second with which the frame follows."""


@dataclass(eq=False)
class Correction:
    """How the frame of a motion has moved: `offset` (6,) [metres, radians] about `pivot` (3,), world axes, on its way
    to where it is `wanted`."""

    pivot: Array = field(default_factory=lambda: np.zeros(3))
    offset: Array = field(default_factory=lambda: np.zeros(6))
    wanted: Array = field(default_factory=lambda: np.zeros(6))

    def lead(self, T_planned: Array, T_seen: Array, turns: int) -> bool:
        """Follow a thing from where it was taken to be to where it is seen (4, 4), both of it; `turns` as in
        `tamp.model.scene.SceneObject`. Whether that is another place than before."""
        e = error(T_planned, T_seen)
        e[5] = modulo_turns(e[5], turns)
        if np.linalg.norm(e[:3]) < IGNORED[0] and np.linalg.norm(e[3:]) < IGNORED[1]:
            e = np.zeros(6)
        changed = not np.allclose(e, self.wanted, atol=IGNORED[0])
        self.pivot, self.wanted = T_planned[:3, 3].copy(), e
        return changed

    def leave(self) -> None:
        """Go back to the motion as it was planned."""
        self.wanted = np.zeros(6)

    def advance(self, period: float) -> None:
        """One control period later."""
        left = self.wanted - self.offset
        for part, speed in ((slice(0, 3), SPEED[0]), (slice(3, 6), SPEED[1])):
            size = float(np.linalg.norm(left[part]))
            self.offset[part] += left[part] * min(1.0, speed * period / size) if size > 0.0 else 0.0

    @property
    def T(self) -> Array:
        """What has become of the world (4, 4) in which the motion was planned."""
        R = rotation_vector_to_matrix(self.offset[3:])
        return pose(self.pivot + self.offset[:3] - R @ self.pivot, R)

    def planned(self, T_world_tool: Array) -> Array:
        """Where the tool (4, 4) is in the plan's world."""
        return inverse(self.T) @ T_world_tool if self.offset.any() else T_world_tool

    def commanded(self, displacement: Array) -> Array:
        """A displacement (6,) in the plan's world, in this one."""
        R = rotation_vector_to_matrix(self.offset[3:])
        return np.concatenate([R @ displacement[:3], R @ displacement[3:]])
