"""A robot as data: kinematics, gripper, servo gains, response, limits and control rate.

Another gripper, or other gains, is another description: whoever has a `motion.world.World` has the robot's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from motion.poses import Array


@dataclass(frozen=True)
class Gripper:
    """A parallel gripper in its tool frame, in metres; by default the Panda's hand.

    `opening` is how far the pads can be apart. A pad reaches `pad_half_width` to each side of the tool point (y), and
    rays that tell what it would touch leave it at `pad_heights` along the approach (z). In a quick look each finger is
    a box with half-extents `finger` that ends at the tool point, and the palm one with half-extents `palm` that ends at
    `underside` (z). Closed fingers push with a face `fingertip` from the tool point and need a gap of `closed` to go
    in. A finger that lets go of a thing takes `footprint` beside it: away from it, and half as much across.
    """

    opening: float = 0.08
    pad_half_width: float = 0.007
    pad_heights: tuple[float, ...] = (-0.0106, -0.0036, 0.0034)
    finger: tuple[float, float, float] = (0.012, 0.01, 0.02)
    palm: tuple[float, float, float] = (0.1, 0.03, 0.04)
    underside: float = -0.042
    fingertip: float = 0.014
    closed: float = 0.05
    footprint: tuple[float, float] = (0.027, 0.011)


@dataclass(frozen=True)
class ServoGains:
    """How hard to ask. An impedance-controlled arm that is asked for a point `lead` v + `inertia` a ahead moves with
    velocity v and acceleration a: `inertia` (s²) is one over its stiffness, `lead` (s) its damping over its
    stiffness and a little for the delay. By default for the stiffness of robosuite's OSC, 150/s².

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


DELAY = 0.027
"""Seconds that an arm takes for a command to show."""


@dataclass(frozen=True)
class Response:
    """How the tool answers to a displacement: x'' = rate² (displacement left) - 2 rate x', critically damped.

    `rate` (1/s) is the root of the stiffness, by default 150/s² of robosuite's OSC. `reach` (m, rad) is the most that
    one command can ask for along an axis.
    """

    rate: float = 12.25
    reach: tuple[float, float] = (0.05, 0.5)

    def after(self, twist: Array, displacement: Array, seconds: float) -> tuple[Array, Array]:
        """How far (6,) the tool has moved `seconds` after a command, and its twist (6,) then."""
        asked = self.within_reach(displacement)
        a, decay = twist - self.rate * asked, float(np.exp(-self.rate * seconds))
        return asked + (a * seconds - asked) * decay, (twist - self.rate * seconds * a) * decay

    def fastest(self) -> tuple[float, float]:
        """The speeds that the tool can keep up, m/s along an axis and rad/s about it: half the rate times the reach."""
        return 0.5 * self.rate * self.reach[0], 0.5 * self.rate * self.reach[1]

    def asked_ahead(self) -> dict[str, float]:
        """The `lead` and the `inertia` of gains for an arm that answers so."""
        return {"lead": 2.0 / self.rate + DELAY, "inertia": 1.0 / self.rate**2}

    def within_reach(self, displacement: Array) -> Array:
        """The displacement (6,), shortened to what one command can ask for: position and rotation each in its own
        direction."""
        asked = displacement.copy()
        asked[:3] /= max(1.0, float(np.abs(asked[:3]).max()) / self.reach[0])
        asked[3:] /= max(1.0, float(np.abs(asked[3:]).max()) / self.reach[1])
        return asked


@dataclass(frozen=True)
class Limits:
    """What a trajectory may ask for: joint velocity (rad/s) and acceleration (rad/s²), tool speed and
    acceleration along each world axis (m/s, m/s²), tool rotation about each (rad/s, rad/s²)."""

    joint_velocity: float = 1.8
    joint_acceleration: float = 12.0
    tool_velocity: float = 0.275
    tool_acceleration: float = 4.0
    tool_rotation: float = 1.6
    tool_rotation_acceleration: float = 12.0

    def scaled(self, factor: float) -> Limits:
        """The same limits with velocities multiplied by `factor`."""
        return replace(
            self,
            joint_velocity=self.joint_velocity * factor,
            tool_velocity=self.tool_velocity * factor,
            tool_rotation=self.tool_rotation * factor,
        )


@dataclass(frozen=True, eq=False)
class RobotDescription:
    """A robot as MJCF with the names in it that matter, and what else there is to know of it.

    `tool_site` is the tool frame: z points out of the hand (approach), x along the closing fingers.
    `posture` (n,) is where the controller's null space rests; `pinned_bodies` never move, so they collide
    with nothing in the scene. A robot without fingers names none, and its gripper does not open. Geoms of the robot
    that must not touch each other are pairs in the MJCF (`contact/pair`), whose joints have their position limits.
    `period` is the control period in seconds. What drives the joints takes torques, or joint targets every
    `joint_period` seconds, which it then follows with at most `efforts` (n,), Nm. By its `name` whoever made it finds
    it again, wherever it stands: empty where nobody does.
    """

    mjcf: str
    arm_joints: tuple[str, ...]
    tool_site: str
    posture: Array
    pinned_bodies: frozenset[str]
    finger_joints: tuple[str, ...] = ()
    pad_geoms: tuple[str, ...] = ()
    gripper: Gripper = field(default_factory=Gripper)
    gains: ServoGains = field(default_factory=ServoGains)
    response: Response = field(default_factory=Response)
    limits: Limits = field(default_factory=Limits)
    period: float = 0.05
    joint_period: float | None = None
    efforts: tuple[float, ...] = ()
    name: str = ""


_PARTS = {"gripper": Gripper, "gains": ServoGains, "response": Response, "limits": Limits}


def description(told: Mapping[str, Any]) -> RobotDescription:
    """The robot that plain data tell of, as `dataclasses.asdict` gives them, with lists for tuples, sets and arrays.
    Raises TypeError or KeyError for what is unknown or missing in them."""
    robot = dict(told)
    robot |= {name: from_plain(kind, robot[name]) for name, kind in _PARTS.items() if name in robot}
    robot["pinned_bodies"] = frozenset(robot.get("pinned_bodies", ()))
    if "posture" in robot:
        robot["posture"] = np.asarray(robot["posture"], dtype=float)
    made: RobotDescription = from_plain(RobotDescription, robot)
    return made


def from_plain(kind: Any, told: Mapping[str, Any]) -> Any:
    """A dataclass of plain data; lists become tuples."""
    return kind(**{name: tuple(v) if isinstance(v, list) else v for name, v in told.items()})
