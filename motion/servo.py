"""Servo laws: where to ask the tool to go next, from where it is and where the trajectory has it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from motion.poses import Array, error
from motion.timing import Trajectory

STEP = 0.05
"""Seconds over which the reference's twist is taken."""


@dataclass(frozen=True)
class ServoGains:
    """How hard to ask. An impedance-controlled arm that is asked for a point `lead` v + `inertia` a ahead moves with
    velocity v and acceleration a: `inertia` (s²) is one over its stiffness, `lead` (s) its damping over its
    stiffness and a little for the delay. These are for the stiffness of robosuite's OSC, 150/s².

    `gain` multiplies the error, `final_gain` what is left of it once the trajectory has ended, twice as much after
    `patience` seconds. The reference slows down, and stops, for an arm that is behind by a `lag_share` of what is
    left to go, between the `lag` (m). `fine` and `coarse` (m, rad) are when the arm has arrived.
    """

    lead: float = 0.19
    inertia: float = 0.0067
    gain: float = 1.2
    final_gain: float = 1.6
    fine: tuple[float, float] = (0.004, 0.03)
    coarse: tuple[float, float] = (0.02, 0.15)
    patience: float = 0.6
    lag: tuple[float, float] = (0.02, 0.05)
    lag_share: float = 0.3


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
