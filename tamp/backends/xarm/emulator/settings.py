"""What clients configure and the controller only keeps: it is reported and answered, and moves nothing."""

from __future__ import annotations

from dataclasses import dataclass, field

LOAD_DELAY = 0.1
"""Seconds until a load takes effect."""


@dataclass
class Settings:
    """In the units of the wire."""

    tcp_offset: tuple[float, ...] = (0.0,) * 6
    world_offset: tuple[float, ...] = (0.0,) * 6
    load: tuple[float, ...] = (0.0,) * 4
    gravity: tuple[float, ...] = (0.0, 0.0, -1.0)
    collision_sensitivity: int = 3
    teach_sensitivity: int = 3
    tcp_jerk: float = 1000.0
    tcp_acceleration: float = 50000.0
    joint_jerk: float = 20.0
    joint_acceleration: float = 20.0
    reduced: bool = False
    reduced_box: tuple[int, ...] = (9999, -9999) * 3
    reduced_tcp_speed: float = 1000.0
    reduced_joint_speed: float = 3.1415927
    reduced_joints: tuple[float, ...] = (-6.2831853, 6.2831853) * 7
    fence: bool = False
    rebound: bool = False
    self_collision: bool = False
    tool_model: tuple[int, tuple[float, ...]] = (0, (0.0,) * 6)
    """Kind and sizes of the tool for self-collision."""
    approximate: bool = False
    continuous: bool = False
    currents: bool = False
    io_reset: tuple[bool, bool] = (False, False)
    """Whether outputs of the box and of the tool go off with a stop."""
    counter: int = 0
    common: dict[int, bytes] = field(default_factory=dict)
