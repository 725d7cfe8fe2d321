"""Servo laws: where to ask the tool to go next, from where it is and where the trajectory has it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from motion.poses import Array, error
from motion.timing import Trajectory


@dataclass(frozen=True)
class ServoGains:
    """`lead` (s): an impedance-controlled arm asked for a point v*lead ahead settles at speed v, so the
    reference is read that much ahead. `gain` multiplies the residual once the trajectory has ended."""

    lead: float = 0.19
    gain: float = 1.6
    fine: tuple[float, float] = (0.004, 0.03)
    coarse: tuple[float, float] = (0.02, 0.15)
    patience: float = 0.6
    lag: float = 0.05


def displacement(T_world_tool: Array, trajectory: Trajectory, t: float, gains: ServoGains) -> Array:
    """Displacement (6,) [m, rad], world axes, to ask for at time `t` of the trajectory."""
    e = error(T_world_tool, trajectory.tool_at(t + gains.lead))
    return e * (gains.gain if t >= trajectory.duration else 1.0)


def arrived(T_world_tool: Array, T_world_goal: Array, tolerance: tuple[float, float]) -> bool:
    """Whether the tool is within `tolerance` (metres, radians) of the goal."""
    e = error(T_world_tool, T_world_goal)
    return bool(np.linalg.norm(e[:3]) < tolerance[0] and np.linalg.norm(e[3:]) < tolerance[1])
