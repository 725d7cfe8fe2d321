"""Time parameterisation with toppra: joint limits and tool speed, proven when a trajectory is made."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from motion.poses import Array, error, interpolate
from motion.robot import Limits
from motion.world import World

KEPT = 0.96
"""Share of each limit that toppra is given."""


@dataclass(frozen=True, eq=False)
class Trajectory:
    """Samples at `times` (k,) seconds: configurations `q` (k, n) and tool poses (k, 4, 4) in the world."""

    times: Array
    q: Array
    T_world_tool: Array

    @property
    def duration(self) -> float:
        """Seconds from start to end."""
        return float(self.times[-1])

    def tool_at(self, t: float) -> Array:
        """Tool pose (4, 4) at time `t`; before the start and after the end it stands still."""
        i = min(max(int(self.times.searchsorted(t)) - 1, 0), len(self.times) - 2)
        start, end = float(self.times[i]), float(self.times[i + 1])
        s = min(max((t - start) / (end - start), 0.0), 1.0)
        return interpolate(self.T_world_tool[i], self.T_world_tool[i + 1], s)


def parameterise(world: World, path: Array, limits: Limits, period: float = 0.05) -> Trajectory:
    """The fastest trajectory along `path` (k, n) within `limits`, sampled every `period` seconds.

    The tool's position and accumulated rotation are appended to the joints as six more coordinates of the
    path, so that one call of toppra (Pham and Pham, IEEE T-RO 2018) bounds all of them.
    """
    import toppra

    toppra.setup_logging("ERROR")
    kept = path[np.concatenate([[True], np.abs(np.diff(path, axis=0)).max(axis=1) > 1e-5])]
    if len(kept) < 2:
        kept = np.array([path[0], path[-1] + 1e-4])
    n = kept.shape[1]
    tools = [world.forward(q) for q in kept]
    steps = np.array([error(a, b) for a, b in itertools.pairwise(tools)])
    moved = np.vstack([np.zeros(6), np.cumsum(steps, axis=0)])
    knots = np.concatenate([[0.0], np.cumsum(np.maximum(np.abs(np.diff(kept, axis=0)).max(axis=1), 1e-4))])
    spline = toppra.SplineInterpolator(knots, np.hstack([kept, moved]))
    # toppra holds limits at its grid points only: a little is kept back for what lies between.
    velocity = KEPT * np.repeat([limits.joint_velocity, limits.tool_velocity, limits.tool_rotation], [n, 3, 3])
    acceleration = KEPT * np.repeat(
        [limits.joint_acceleration, limits.tool_acceleration, limits.tool_rotation_acceleration], [n, 3, 3]
    )
    instance = toppra.algorithm.TOPPRA(
        [
            toppra.constraint.JointVelocityConstraint(np.column_stack([-velocity, velocity])),
            toppra.constraint.JointAccelerationConstraint(np.column_stack([-acceleration, acceleration])),
        ],
        spline,
        parametrizer="ParametrizeConstAccel",
        gridpoints=np.linspace(0, knots[-1], max(120, 12 * len(kept))),
    )
    timed = instance.compute_trajectory(0, 0)
    if timed is None:
        raise ValueError("toppra found no parameterisation of this path")
    times = np.linspace(0, timed.duration, max(2, int(np.ceil(timed.duration / period)) + 1))
    q = np.asarray(timed(times))[:, :n]
    return Trajectory(times, q, np.array([world.forward(row) for row in q]))
