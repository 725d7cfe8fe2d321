"""Paths and how fast they are travelled: pure functions of time.

Moves that blend overlap in time: the next one starts while the one before it brakes, and the two displacements add
up. Each starts and ends at rest, so the sum has no jump in velocity, and ends exactly where the last one ends.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from motion.poses import Array, interpolate, pose, rotation_about


@dataclass(frozen=True)
class Profile:
    """A trapezoid of speed over a length, from rest to rest; units of the length (metres, radians, or a share of a
    path), and seconds."""

    length: float
    speed: float
    acceleration: float

    @property
    def peak(self) -> float:
        """The highest speed: that asked for, or less when there is no room for it."""
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

    def braking(self, t: float) -> bool:
        """Whether it has begun to brake after `t` seconds."""
        return t >= self.duration - self.ramp


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


def _joined(start: Array, now: Array, before: Array) -> Array:
    """Positions add, and what is turned from the start on is turned after `before`."""
    return pose(before[:3, 3] + now[:3, 3] - start[:3, 3], before[:3, :3] @ start[:3, :3].T @ now[:3, :3])


@dataclass(frozen=True)
class LinePath:
    """Straight in position, the shortest turn in orientation."""

    start: Array
    end: Array

    def at(self, s: float) -> Array:
        """A pose (4, 4)."""
        return self.end if s >= 1 else interpolate(self.start, self.end, s)

    def joined(self, before: Array, s: float) -> Array:
        """A pose (4, 4)."""
        return _joined(self.start, self.at(s), before)


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
        return _joined(self.start, self.at(s), before)


@dataclass(frozen=True)
class Motion:
    """A path, the share of it that is travelled over time, its length in metres or radians, and the length that may
    remain when the next motion starts (0: none, it stops)."""

    path: Path
    profile: Profile
    length: float
    radius: float = 0.0

    def at(self, t: float) -> Array:
        """Where it is after `t` seconds."""
        return self.path.at(self.profile.at(t))

    def joined(self, before: Array, t: float) -> Array:
        """The same, added to a place on the motion before it."""
        return self.path.joined(before, self.profile.at(t))

    def blends(self, t: float) -> bool:
        """Whether the next motion may start: it brakes, and no more than the radius remains."""
        remaining = self.length * (1.0 - self.profile.at(t))
        return self.radius > 0 and self.profile.braking(t) and remaining <= self.radius


def circle(start: Array, second: Array, third: Array) -> tuple[Array, Array, float] | None:
    """Centre (3,), axis (3,) and radius of the circle through three points (3,); None when they are in line."""
    a, b = second - start, third - start
    normal = np.cross(a, b)
    square = float(normal @ normal)
    if square < 1e-16:
        return None
    centre = start + (np.cross(normal, a) * (b @ b) + np.cross(b, normal) * (a @ a)) / (2 * square)
    return centre, normal / math.sqrt(square), float(np.linalg.norm(start - centre))
