"""A robot as data: kinematics, gripper, servo gains, response, limits and control rate.

Another gripper, or other gains, is another description: a `motion.world.World` has the robot's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields, replace
from typing import Any, TypeVar

import numpy as np

from motion.poses import Array

T = TypeVar("T")


def _within(default: T, low: float, high: float) -> T:
    """A field whose numbers are from `low` to `high`: others are in another unit, or of nothing that exists."""
    made: T = field(default=default, metadata={"within": (low, high)})
    return made


def out_of_range(of: Field[Any], value: Any) -> str:
    """Which numbers a field of the dataclasses here takes, where a value is or has another one; else empty."""
    if "within" not in of.metadata or (value is None and of.default is None):
        return ""
    low, high = of.metadata["within"]
    several = isinstance(of.default, tuple) and isinstance(value, list | tuple)
    numbers = [v for v in (value if several else [value]) if isinstance(v, int | float) and low <= v <= high]
    return "" if len(numbers) == (len(value) if several else 1) else f"{low:g} to {high:g}"


@dataclass(frozen=True)
class Gripper:
    """A parallel gripper in its tool frame, in metres; by default the Panda's hand.

    `opening` is how far the pads can be apart. A pad reaches `pad_half_width` to each side of the tool point (y), and
    rays that tell what it would touch leave it at `pad_heights` along the approach (z). In a quick look each finger is
    a box with half-extents `finger` that ends at the tool point, and the palm one with half-extents `palm` that ends at
    `underside` (z). Closed fingers push with a face `fingertip` from the tool point and need a gap of `closed` to go
    in. A finger that lets go of a thing takes `footprint` beside it: away from it, and half as much across.
    """

    opening: float = _within(0.08, 0.0, 0.5)
    pad_half_width: float = _within(0.007, 0.0, 0.5)
    pad_heights: tuple[float, ...] = _within((-0.0106, -0.0036, 0.0034), -0.5, 0.5)
    finger: tuple[float, float, float] = _within((0.012, 0.01, 0.02), 0.0, 0.5)
    palm: tuple[float, float, float] = _within((0.1, 0.03, 0.04), 0.0, 0.5)
    underside: float = _within(-0.042, -1.0, 0.5)
    fingertip: float = _within(0.014, 0.0, 0.5)
    closed: float = _within(0.05, 0.0, 0.5)
    footprint: tuple[float, float] = _within((0.027, 0.011), 0.0, 0.5)


@dataclass(frozen=True)
class ServoGains:
    """How hard to ask. An impedance-controlled arm that is asked for a point `lead` v + `inertia` a ahead moves with
    velocity v and acceleration a: `inertia` (s²) is one over its stiffness, `lead` (s) its damping over its
    stiffness and a little for the delay. By default for the stiffness of robosuite's OSC, 150/s².

    `gain` multiplies the error, `final_gain` what is left of it once the trajectory has ended, twice as much after
    `patience` seconds. The reference slows down, and stops, for an arm that is behind by a `lag_share` of what is
    left to go, between the `lag` (m). `fine` and `coarse` (m, rad) are when the arm has arrived.
    """

    lead: float = _within(0.19, 0.0, 10.0)
    inertia: float = _within(0.0067, 0.0, 1.0)
    gain: float = _within(1.2, 0.0, 100.0)
    final_gain: float = _within(1.6, 0.0, 100.0)
    fine: tuple[float, float] = _within((0.004, 0.03), 0.0, 1.0)
    coarse: tuple[float, float] = _within((0.02, 0.15), 0.0, 1.0)
    patience: float = _within(0.6, 0.0, 60.0)
    lag: tuple[float, float] = _within((0.02, 0.05), 0.0, 1.0)
    lag_share: float = _within(0.3, 0.0, 10.0)


DELAY = 0.027
"""Seconds that an arm takes for a command to show."""


@dataclass(frozen=True)
class Response:
    """How the tool answers to a displacement: x'' = rate² (displacement left) - 2 rate x', critically damped.

    `rate` (1/s) is the root of the stiffness, by default 150/s² of robosuite's OSC. `reach` (m, rad) is the most that
    one command can ask for along an axis.
    """

    rate: float = _within(12.25, 0.1, 1000.0)
    reach: tuple[float, float] = _within((0.05, 0.5), 0.0001, 6.3)

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

    joint_velocity: float = _within(1.8, 0.001, 50.0)
    joint_acceleration: float = _within(12.0, 0.01, 1000.0)
    tool_velocity: float = _within(0.275, 0.001, 10.0)
    tool_acceleration: float = _within(4.0, 0.01, 100.0)
    tool_rotation: float = _within(1.6, 0.001, 50.0)
    tool_rotation_acceleration: float = _within(12.0, 0.01, 1000.0)

    def scaled(self, factor: float) -> Limits:
        """The same limits with velocities multiplied by `factor`."""
        return replace(
            self,
            joint_velocity=self.joint_velocity * factor,
            tool_velocity=self.tool_velocity * factor,
            tool_rotation=self.tool_rotation * factor,
        )


@dataclass(frozen=True)
class Tracking:
    """How exactly inverse kinematics and paths are made, by who follows them. By default a controller that follows the
    tool and chooses redundant joints itself.

    `tolerance` (m, rad) is how near a configuration brings the tool, `limit_margin` (rad) what it keeps from joint
    limits: an arm that is sent only where its tool should be does not end up exactly there. Redundant joints go to the
    posture, weighed by inertia, where `rests`, else they stay. Random starts are `spread` (rad) around the posture.
    Straight lines have a waypoint every `line` (m) and `turn` (rad), and are broken where a joint moves more than
    `jump` (rad) between two; where joints move more than twice `look` (rad), the way between is checked, too.
    """

    tolerance: tuple[float, float] = (5e-4, 5e-3)
    limit_margin: float = 0.02
    rests: bool = True
    spread: float = 0.6
    line: float = 0.02
    turn: float = 0.12
    jump: float = 0.6
    look: float = 0.05


BY_JOINTS = Tracking((1e-7, 1e-7), 0.0, rests=False, spread=np.pi, line=0.01, turn=0.05, jump=0.4, look=0.01)
"""Of an arm that is sent its joints: it goes where it was planned, and what is checked is what it does."""


@dataclass(frozen=True, eq=False)
class RobotDescription:
    """A robot as MJCF with the names in it that matter, and what else there is to know of it.

    `tool_site` is the tool frame: z points out of the hand (approach), x along the closing fingers.
    `posture` (n,) is where the controller's null space rests; `pinned_bodies` never move, so they collide
    with nothing in the scene. A robot without fingers names none, and its gripper does not open. Geoms of the robot
    that must not touch each other are pairs in the MJCF (`contact/pair`), whose joints have their position limits.
    `period` is the control period in seconds. What drives the joints takes torques, or joint targets every
    `joint_period` seconds, which it then follows with at most `efforts` (n,), Nm. By its `name` a log can
    find it again, wherever it stands; empty without one.
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
    tracking: Tracking = Tracking()
    period: float = _within(0.05, 0.001, 1.0)
    joint_period: float | None = _within(None, 0.001, 1.0)
    efforts: tuple[float, ...] = _within((), 0.0, 10_000.0)
    name: str = ""


_PARTS = {"gripper": Gripper, "gains": ServoGains, "response": Response, "limits": Limits, "tracking": Tracking}


def description(data: Mapping[str, Any]) -> RobotDescription:
    """The robot that plain data tell of, as `dataclasses.asdict` gives them, with lists for tuples, sets and arrays.
    Raises TypeError or KeyError for what is unknown or missing in them, ValueError for what is out of range."""
    robot = dict(data)
    robot |= {name: from_plain(kind, robot[name]) for name, kind in _PARTS.items() if name in robot}
    robot["pinned_bodies"] = frozenset(robot.get("pinned_bodies", ()))
    if "posture" in robot:
        robot["posture"] = np.asarray(robot["posture"], dtype=float)
    made: RobotDescription = from_plain(RobotDescription, robot)
    return made


def from_plain(kind: Any, data: Mapping[str, Any]) -> Any:
    """A dataclass of plain data; lists become tuples. ValueError for a number that its field does not take."""
    for each in fields(kind):
        if valid := out_of_range(each, data.get(each.name)):
            raise ValueError(f"{each.name} is {data[each.name]!r}; valid: {valid}")
    return kind(**{name: tuple(v) if isinstance(v, list) else v for name, v in data.items()})
