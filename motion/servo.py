"""Servo laws: where to ask the tool to go next, from where it is and where the trajectory has it."""

from __future__ import annotations

import numpy as np

from motion.poses import Array, error
from motion.robot import ServoGains
from motion.timing import Trajectory

STEP = 0.05
"""Seconds over which the reference's twist is taken."""


def displacement(T_world_tool: Array, trajectory: Trajectory, t: float, gains: ServoGains) -> Array:
    """Displacement (6,) [m, rad], world axes, to ask for at time `t` of the trajectory."""
    T_reference = trajectory.tool_at(t)
    e = error(T_world_tool, T_reference)
    if t >= trajectory.duration:
        return gains.final_gain * (1.0 + min(1.0, (t - trajectory.duration) / gains.patience)) * e
    T_next = trajectory.tool_at(t + STEP)
    twist = error(T_reference, T_next) / STEP
    acceleration = (error(T_next, trajectory.tool_at(t + 2 * STEP)) / STEP - twist) / STEP
    return gains.gain * e + gains.lead * twist + gains.inertia * acceleration


def arrived(T_world_tool: Array, T_world_goal: Array, tolerance: tuple[float, float]) -> bool:
    """Whether the tool is within `tolerance` (metres, radians) of the goal."""
    e = error(T_world_tool, T_world_goal)
    return bool(np.linalg.norm(e[:3]) < tolerance[0] and np.linalg.norm(e[3:]) < tolerance[1])
