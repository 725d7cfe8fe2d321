"""The motion that a command stands for: a path, and how fast it is travelled, as pure functions of time.

Moves that blend overlap in time: the next one starts while the one before it brakes, and the two displacements add
up. Each starts and ends at rest, so the sum has no jump in velocity, and ends exactly where the last one ends.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from motion.poses import Array, interpolate, pose, rotation_about, rotation_vector
from tamp.backends.xarm.emulator.queued_commands import ArcMove, Command, JointMove, LineMove, QueuedSleep
from tamp.backends.xarm.emulator.tool_body import (
    JOINT_ACCELERATION,
    JOINT_SPEED,
    NOT_A_CIRCLE,
    MotionError,
    ToolBody,
)

ROTATION_SPEED, ROTATION_ACCELERATION = math.pi, 2 * math.pi
"""Limits of the tool in a Cartesian move [rad/s, rad/s²], for a turn on the spot or one too fast for its distance."""
LOOK_AHEAD, MOST_PLACES = 0.02, 60
"""Metres between the places at which a Cartesian move is solved before it starts, and how many there are at most."""


@dataclass(frozen=True)
class Profile:
    """A trapezoid of speed over a length, from rest to rest; units of the length (metres, radians, or a share of a
    path), and seconds."""

    length: float
    speed: float
    acceleration: float

    @property
    def peak(self) -> float:
        """The highest speed: that requested, or less when there is no room for it."""
        return min(self.speed, math.sqrt(self.length * self.acceleration))

    @property
    def ramp(self) -> float:
        """Seconds of speeding up, and of braking."""
        return self.peak / self.acceleration

    @property
    def duration(self) -> float:
        """Seconds in all."""
        return self.ramp + self.length / self.peak if self.length > 0 else 0.0

    def at(self, t: float) -> float:
        """The length travelled after `t` seconds."""
        if t <= 0:
            return 0.0
        if t >= self.duration:
            return self.length
        left = self.duration - t
        if t < self.ramp:
            return min(0.5 * self.acceleration * t * t, self.length)
        if left < self.ramp:
            return max(self.length - 0.5 * self.acceleration * left * left, 0.0)
        return self.peak * (t - 0.5 * self.ramp)


class Path(Protocol):
    """Somewhere at each share `s` in [0, 1] of the way: a configuration (n,), or a pose (4, 4)."""

    def at(self, s: float) -> Array:
        """Where it is at a share of the way."""

    def joined(self, before: Array, s: float) -> Array:
        """Where it is when the displacement of this path at `s` is added to `before`, a place on its predecessor."""


@dataclass(frozen=True)
class JointPath:
    """Straight in joint space."""

    start: Array
    end: Array

    def at(self, s: float) -> Array:
        """A configuration (n,)."""
        return self.end if s >= 1 else self.start + s * (self.end - self.start)

    def joined(self, before: Array, s: float) -> Array:
        """Configurations add."""
        return np.asarray(before + (self.at(s) - self.start))


@dataclass(frozen=True)
class LinePath:
    """Straight in position, the shortest turn in orientation."""

    start: Array
    end: Array

    def at(self, s: float) -> Array:
        """A pose (4, 4)."""
        return self.end if s >= 1 else interpolate(self.start, self.end, s)

    def joined(self, before: Array, s: float) -> Array:
        """A pose (4, 4): positions add, and what is turned from the start on is turned after `before`."""
        now, start = self.at(s), self.start
        return pose(before[:3, 3] + now[:3, 3] - start[:3, 3], before[:3, :3] @ start[:3, :3].T @ now[:3, :3])


@dataclass(frozen=True)
class ArcPath:
    """Part of a circle about `axis` through `centre`, both (3,); the orientation stays."""

    start: Array
    centre: Array
    axis: Array
    angle: float

    def at(self, s: float) -> Array:
        """A pose (4, 4)."""
        R = rotation_about(self.axis, self.angle * min(s, 1.0))
        return pose(self.centre + R @ (self.start[:3, 3] - self.centre), self.start[:3, :3])

    def joined(self, before: Array, s: float) -> Array:
        """A pose (4, 4)."""
        return pose(before[:3, 3] + self.at(s)[:3, 3] - self.start[:3, 3], before[:3, :3])


@dataclass(frozen=True)
class TimedMotion:
    """A path, the share of it that is travelled over time, its length in metres or radians, and the length that may
    remain when the next motion starts (0: none, it stops)."""

    path: Path
    profile: Profile
    length: float = 0.0
    radius: float = 0.0

    def share(self, t: float) -> float:
        """The share of the way travelled after `t` seconds."""
        return self.profile.at(t) / self.profile.length if self.profile.length > 0 else 1.0

    def blends(self, t: float) -> bool:
        """Whether the next motion may start: it brakes, and no more than the radius remains."""
        remaining, brakes = self.length * (1.0 - self.profile.at(t)), self.profile.duration - self.profile.ramp
        return self.radius > 0 and t >= brakes and remaining <= self.radius


def plan(command: Command, q: Array, T: Array, body: ToolBody) -> TimedMotion:
    """The motion of a command from a configuration (n,) and the tool's pose (4, 4) there.

    A Cartesian one is solved along its way first. Raises MotionError with the controller's code.
    """
    if isinstance(command, JointMove):
        return _joint(command, q, body)
    if isinstance(command, LineMove):
        end = command.end(T)
        way = float(np.linalg.norm(end[:3, 3] - T[:3, 3]))
        turn = float(np.linalg.norm(rotation_vector(end[:3, :3] @ T[:3, :3].T)))
        return _along(LinePath(T, end), way, turn, command, command.radius, q, body)
    if isinstance(command, ArcMove):
        found = circle(T[:3, 3], *command.points(T))
        if found is None:
            raise MotionError(NOT_A_CIRCLE)
        centre, axis, radius = found
        angle = 2 * math.pi * command.share
        return _along(ArcPath(T, centre, axis, angle), abs(angle) * radius, 0.0, command, 0.0, q, body)
    seconds = command.seconds if isinstance(command, QueuedSleep) else 0.0
    return TimedMotion(JointPath(q, q), Profile(seconds, 1.0, 1e9))


def circle(start: Array, second: Array, third: Array) -> tuple[Array, Array, float] | None:
    """Centre (3,), axis (3,) and radius of the circle through three points (3,); None when they are in line."""
    a, b = second - start, third - start
    normal = np.cross(a, b)
    square = float(normal @ normal)
    if square < 1e-16:
        return None
    centre = start + (np.cross(normal, a) * (b @ b) + np.cross(b, normal) * (a @ a)) / (2 * square)
    return centre, normal / math.sqrt(square), float(np.linalg.norm(start - centre))


def _joint(command: JointMove, q: Array, body: ToolBody) -> TimedMotion:
    """All joints start and end together; the one with the longest way has the speed. Any radius blends them."""
    given = np.array(command.joints[: len(q)])
    target = body.check(np.where(np.isinf(given), q, given))
    length = float(np.abs(target - q).max())
    if length <= 1e-9:
        return TimedMotion(JointPath(q, target), Profile(0.0, 1.0, 1.0))
    speed, acceleration = min(command.speed, JOINT_SPEED), min(command.acceleration, JOINT_ACCELERATION)
    profile = Profile(1.0, speed / length, acceleration / length)
    return TimedMotion(JointPath(q, target), profile, length, math.inf if command.radius > 0 else 0.0)


def _along(
    path: Path, way: float, turn: float, command: LineMove | ArcMove, radius: float, q: Array, body: ToolBody
) -> TimedMotion:
    """At the command's speed over `way` metres, unless it turns by `turn` radians faster than the tool may."""
    steps = min(max(math.ceil(way / LOOK_AHEAD), math.ceil(turn / 0.2), 1), MOST_PLACES)
    for k in range(1, steps + 1):
        q = body.follow(path.at(k / steps), q)
    speed = min(_over(command.speed, way), _over(ROTATION_SPEED, turn))
    acceleration = min(_over(command.acceleration, way), _over(ROTATION_ACCELERATION, turn))
    profile = Profile(1.0, speed, acceleration) if math.isfinite(speed) else Profile(0.0, 1.0, 1.0)
    return TimedMotion(path, profile, way, radius)


def _over(rate: float, length: float) -> float:
    return rate / length if length > 1e-9 else math.inf
