"""What skills plan and what is executed: paths and grips, and these with times, joined across actions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from motion import smoothing, timing
from motion.poses import Array
from motion.timing import Trajectory
from motion.world import State, World


@dataclass(frozen=True, eq=False)
class Move:
    """Go along a joint path (k, n) with the fingers `opening` metres apart (None: keep them as they are).

    `state` is what the world is like meanwhile. `precise`: stop at the end within the servo's fine tolerance
    rather than pass through; `yielding`: being held up near the end is as good; `exact`: do not round its
    corners. `pace` scales the speed limits.
    """

    path: Array
    state: State
    opening: float | None = None
    precise: bool = True
    yielding: bool = False
    exact: bool = False
    pace: float = 1.0


@dataclass(frozen=True)
class Grip:
    """Stand still and bring the fingers to `opening` metres; 0 closes with force.

    Closing ends when the fingers stop, opening as soon as they are clear of what they held.
    """

    opening: float


class Handover(NamedTuple):
    """The moment (seconds) of a motion at which one action ends and the next begins, with its finger opening."""

    time: float
    opening: float | None


@dataclass(frozen=True, eq=False)
class Motion:
    """A move with times. With a `handover` it belongs to two actions, between which the arm does not stop.

    `state` is what the world was taken to be like when it was timed.
    """

    trajectory: Trajectory
    opening: float | None = None
    precise: bool = True
    yielding: bool = False
    handover: Handover | None = None
    state: State | None = None


Segment = Move | Grip | Motion


@dataclass(frozen=True, eq=False)
class Timeline:
    """Motions and grips in order; `ends` counts the actions that end with each segment, at -1 those that are over
    before the first. `acts` has for each action the index of the segment from which it does more than go there."""

    segments: tuple[Motion | Grip, ...]
    ends: dict[int, int]
    acts: tuple[int, ...] = ()

    @property
    def seconds(self) -> float:
        """How long the motions are to take; grips are not foreseen."""
        return float(sum(s.trajectory.duration for s in self.segments if isinstance(s, Motion)))


def timed(actions: Sequence[tuple[Segment, ...]], world: World) -> Timeline:
    """The segments of several actions as one timeline: corners rounded, as fast as the robot's limits allow.

    Where one action ends with a move that need not stop and the next begins with one, the two become one.
    """
    out: list[Motion | Grip] = []
    ends: Counter[int] = Counter()
    acts: list[int] = []
    pending: Move | None = None
    for segments in actions:
        rest = list(segments)
        goes_on = pending is not None and bool(rest) and isinstance(rest[0], Move) and rest[0].pace == pending.pace
        acts.append(len(out) + (pending is not None and not goes_on) + _acts_from(segments))
        if pending is not None:
            first = rest[0] if rest else None
            if goes_on and isinstance(first, Move):
                out.append(_joined(pending, first, world))
                rest = rest[1:]
            else:
                out.append(_timed(pending, world))
                ends[len(out) - 1] += 1
            pending = None
        if rest and isinstance(last := rest[-1], Move) and not last.precise:
            pending = last
            rest.pop()
        out += [_timed(s, world) if isinstance(s, Move) else s for s in rest]
        if pending is None:
            ends[len(out) - 1] += 1
    if pending is not None:
        out.append(_timed(pending, world))
        ends[len(out) - 1] += 1
    return Timeline(tuple(out), dict(ends), tuple(acts))


def _acts_from(segments: Sequence[Segment]) -> int:
    """The index of the segment with which an action takes effect: the first grip, else the first push, else the last
    motion."""
    grips = [i for i, s in enumerate(segments) if isinstance(s, Grip)]
    pushes = [i for i, s in enumerate(segments) if not isinstance(s, Grip) and s.yielding]
    return (grips or pushes or [max(len(segments) - 1, 0)])[0]


def _timed(move: Move, world: World) -> Motion:
    world.load(move.state)
    path = move.path if move.exact else smoothing.rounded(world, move.path)
    trajectory = timing.parameterise(world, path, world.robot.limits.scaled(move.pace))
    return Motion(trajectory, move.opening, move.precise, move.yielding, state=move.state)


def _joined(first: Move, second: Move, world: World) -> Motion:
    """Both moves as one motion that does not stop where the first ends."""
    world.load(second.state)
    path = smoothing.rounded(world, np.concatenate([first.path, second.path[1:]]))
    trajectory = timing.parameterise(world, path, world.robot.limits.scaled(first.pace))
    nearest = int(np.argmin(np.linalg.norm(trajectory.q - first.path[-1], axis=1)))
    handover = Handover(float(trajectory.times[nearest]), second.opening)
    return Motion(trajectory, first.opening, second.precise, second.yielding, handover, second.state)
