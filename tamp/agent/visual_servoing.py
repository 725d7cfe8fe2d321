"""A motion that was planned for where things were seen, led to where they are seen now: position-based visual servoing.

The plan stays as it is; the tool is looked at, and commanded, in a frame that has moved as the thing has which it goes
to, and with what it holds where that has moved to in the hand. What was free of collisions by centimetres is so by
millimetres less, and the look-ahead goes on watching.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from motion.poses import Array, displaced, error, inverse, pose, rotation_vector_to_matrix
from motion.timing import Trajectory
from motion.world import State
from tamp.model.situation import modulo_turns

IGNORED = (0.001, 0.02)
"""Metres and radians up to which a thing is where it was."""
SPEED = (0.04, 0.4)
"""Metres and radians a second with which a frame follows."""


@dataclass(eq=False)
class Shift:
    """How a frame has moved: `offset` (6,) [metres, radians] about `pivot` (3,), on its way to where it is `wanted`."""

    pivot: Array = field(default_factory=lambda: np.zeros(3))
    offset: Array = field(default_factory=lambda: np.zeros(6))
    wanted: Array = field(default_factory=lambda: np.zeros(6))

    def lead(self, T_planned: Array, T_seen: Array, turns: int) -> bool:
        """Follow a thing from where it was taken to be to where it is seen (4, 4), both of it; `turns` as in
        `tamp.model.scene.SceneObject`. Whether that is another place than before."""
        own = T_planned[:3, :3].T @ error(T_planned, T_seen)[3:]
        own[2] = modulo_turns(own[2], turns)
        e = np.concatenate([T_seen[:3, 3] - T_planned[:3, 3], T_planned[:3, :3] @ own])
        if np.linalg.norm(e[:3]) < IGNORED[0] and np.linalg.norm(e[3:]) < IGNORED[1]:
            e = np.zeros(6)
        changed = not np.allclose(e, self.wanted, atol=IGNORED[0])
        self.pivot, self.wanted = T_planned[:3, 3].copy(), e
        return changed

    def leave(self) -> None:
        """Go back to where it was planned."""
        self.wanted = np.zeros(6)

    def advance(self, period: float) -> None:
        """One control period later."""
        left = self.wanted - self.offset
        for part, speed in ((slice(0, 3), SPEED[0]), (slice(3, 6), SPEED[1])):
            size = float(np.linalg.norm(left[part]))
            self.offset[part] += left[part] * min(1.0, speed * period / size) if size > 0.0 else 0.0

    @property
    def T(self) -> Array:
        """What has become of the frame (4, 4)."""
        return self._moved(self.offset)

    @property
    def T_wanted(self) -> Array:
        """What it is on its way to become (4, 4): the thing is there already."""
        return self._moved(self.wanted)

    def _moved(self, by: Array) -> Array:
        R = rotation_vector_to_matrix(by[3:])
        return pose(self.pivot + by[:3] - R @ self.pivot, R)


@dataclass(eq=False)
class Correction:
    """`world`: how what the motion leads to has moved, world axes; `in_hand`: what is held, tool axes."""

    world: Shift = field(default_factory=Shift)
    in_hand: Shift = field(default_factory=Shift)

    def leave(self) -> None:
        """Go back to the motion as it was planned."""
        self.world.leave()
        self.in_hand.leave()

    def advance(self, period: float) -> None:
        """One control period later."""
        self.world.advance(period)
        self.in_hand.advance(period)

    @property
    def _none(self) -> bool:
        return not (self.world.offset.any() or self.in_hand.offset.any())

    def planned(self, T_world_tool: Array) -> Array:
        """Where the tool (4, 4) is in the plan's world, holding what it holds as it was planned."""
        if self._none:
            return T_world_tool
        return inverse(self.world.T) @ T_world_tool @ self.in_hand.T

    def commanded(self, displacement: Array, T_world_tool: Array) -> Array:
        """The displacement (6,) of the tool, now at (4, 4), that is one (6,) in the plan's world."""
        if self._none:
            return displacement
        T = self.planned(T_world_tool)
        after = displaced(T, displacement)
        return error(T_world_tool, self.world.T @ after @ inverse(self.in_hand.T))

    def led(self, trajectory: Trajectory) -> Trajectory:
        """A planned trajectory, its tool poses where they are now."""
        if self._none:
            return trajectory
        T = self.world.T @ trajectory.T_world_tool @ inverse(self.in_hand.T)
        return replace(trajectory, T_world_tool=T)

    def held(self, state: State) -> State:
        """A state in which motions were planned, with what is held where in the hand it is seen."""
        if state.T_tool_held is None or not self.in_hand.wanted.any():
            return state
        return replace(state, T_tool_held=self.in_hand.T_wanted @ state.T_tool_held)
