"""Volumes that arms reserve before they move: what they sweep on their way, and on the way back to their postures.

An arm is only given a way that keeps clear of all that the other one still has, so that each can always go back, and
neither ever waits for the other at a place from which that one cannot leave.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from motion.clearance import Clearance, Held, held, near
from motion.poses import Array
from motion.world import State, World
from tamp.model.motions import Grip, Timeline

GRIPPING = 0.35
"""Seconds that opening or closing the fingers counts as."""
SPACING = 0.12
"""Seconds of motion between the configurations whose solids are reserved."""
MARGIN = 0.03
"""Metres more than arms are to keep apart that a way keeps from what is reserved: arms do not go exactly where they
were planned to, nor is what lies between two configurations looked at."""
AHEAD = 3
"""Configurations ahead of the one that was passed last among which the arm is looked for."""
KEPT = 1
"""Configurations behind the arm that stay reserved."""


@dataclass(frozen=True, eq=False)
class Way:
    """Configurations (k, n) that an arm goes through at some `times` (k,) in seconds, and its capsules (k, m, 7) there
    with what it holds."""

    times: Array
    q: Array
    sweep: Array

    def then(self, other: Way) -> Way:
        """This way and another after it."""
        times = np.concatenate([self.times, other.times + self.times[-1]])
        return Way(times, np.concatenate([self.q, other.q]), np.concatenate([self.sweep, other.sweep]))

    def after(self, number: int) -> Way:
        """What is left once the configuration of a number is passed."""
        first = max(0, number - KEPT)
        return Way(self.times[first:], self.q[first:], self.sweep[first:])


@dataclass(eq=False)
class Reservations:
    """Which way each of two arms has been given, and how far it has gone. `apart` in metres; `changes` counts how often
    what an arm has became less or other."""

    clearance: Clearance
    apart: float
    ways: list[Way]
    changes: list[int] = field(default_factory=lambda: [0, 0])
    _passed: list[int] = field(default_factory=lambda: [0, 0])

    @classmethod
    def at(cls, clearance: Clearance, apart: float, q: Sequence[Array]) -> Reservations:
        """Each arm where it stands."""
        return cls(clearance, apart, [standing(clearance, number, one) for number, one in enumerate(q)])

    def free(self, number: int, way: Way) -> bool:
        """Whether an arm may have a way, beside what the other one has."""
        return self.clear(way, self.ways[1 - number])

    def clear(self, one: Way, other: Way) -> bool:
        """Whether two arms may go their ways at one time."""
        return not near(one.sweep, other.sweep, self.apart + MARGIN)

    def delay(self, one: Way, other: Way) -> float:
        """Seconds after the beginning of one way from which on another may begin, as it is freed little by little."""
        if self.clear(one, other):
            return 0.0
        low, high = 0, len(one.times)  # what is left from `low` on is not clear, from `high` on it is
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.clear(one.after(middle), other) else (middle, high)
        return float(one.times[min(high, len(one.times) - 1)])

    def take(self, number: int, way: Way) -> None:
        """Give an arm a way in place of what it had."""
        self.ways[number], self._passed[number] = way, 0
        self.changes[number] += 1

    def passed(self, number: int, q: Array) -> None:
        """An arm is at `q` (n,): what lies behind it is free again."""
        way, here = self.ways[number], self._passed[number]
        ahead = np.linalg.norm(way.q[here : here + AHEAD + 1] - q, axis=1)
        step = int(np.flatnonzero(ahead <= ahead[0])[-1])
        if step > 0:
            self.ways[number] = left = way.after(here + step)
            self._passed[number] = here + step - (len(way.q) - len(left.q))
            self.changes[number] += 1


def standing(clearance: Clearance, number: int, q: Array, thing: Held | None = None) -> Way:
    """An arm that stays at a configuration (n,)."""
    return Way(np.zeros(1), np.array([q]), clearance.swept(number, np.array([q]), [thing]))


def way_of(timeline: Timeline, world: World, clearance: Clearance, number: int) -> Way:
    """Where a timeline takes an arm of a number. The world has the bodies that it holds on the way."""
    times, q, things = zip(*_configurations(timeline, world), strict=True)
    return Way(np.array(times), np.array(q), clearance.swept(number, np.array(q), things))


def seconds_of(timeline: Timeline) -> float:
    """How long a timeline is to take, grips as well."""
    return timeline.seconds + GRIPPING * sum(isinstance(s, Grip) for s in timeline.segments)


def _configurations(timeline: Timeline, world: World) -> Iterator[tuple[float, Array, Held | None]]:
    """Seconds, configuration and what is held, every now and then."""
    begin = 0.0
    for segment in timeline.segments:
        if isinstance(segment, Grip):
            begin += GRIPPING
            continue
        trajectory, thing = segment.trajectory, carried(segment.state, world)
        count = max(2, int(np.ceil(trajectory.duration / SPACING)) + 1)
        for at in np.searchsorted(trajectory.times, np.linspace(0.0, trajectory.duration, count)):
            n = min(int(at), len(trajectory.q) - 1)
            yield begin + float(trajectory.times[n]), trajectory.q[n], thing
        begin += trajectory.duration


def carried(state: State | None, world: World) -> Held | None:
    """What is held in a state, for distances."""
    if state is None or state.held is None or state.T_tool_held is None:
        return None
    return held(world.bodies[state.held].shapes, state.T_tool_held)
