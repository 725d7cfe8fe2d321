"""Carries out queued commands one after the other, along a clock of its own that slows down to pause and to stop."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Literal

from motion.poses import Array
from tamp.backends.xarm.emulator.body import Body
from tamp.backends.xarm.emulator.choices import Choices
from tamp.backends.xarm.emulator.commands import ArcMove, Command, JointMove, LineMove, Origin
from tamp.backends.xarm.emulator.planning import plan
from tamp.backends.xarm.emulator.profiles import JointPath, Motion

SUCCESS, FAILURE, DISCARDED = 0, 1, 2
"""Codes of feedback."""
OUTCOMES = {SUCCESS: "done", FAILURE: "failed", DISCARDED: "stopped"}
"""The same in words."""


@dataclass(frozen=True)
class Queued:
    """A command with the number it got, and who sent it."""

    number: int
    command: Command
    origin: Origin


@dataclass(frozen=True)
class Event:
    """A command has started, ended (`code` says how), or come to rest after it was ended early; `share` of its way
    was travelled, `q` (n,) is where."""

    queued: Queued
    kind: Literal["start", "end", "rest"]
    code: int
    share: float
    q: Array


@dataclass(frozen=True)
class _Running:
    queued: Queued
    motion: Motion
    start: float


class Player:
    """The queue of position control. `q` (n,) is where the arm is; poses follow from `body`."""

    def __init__(self, body: Body, choices: Choices, q: Array) -> None:
        self.body, self.choices, self.q = body, choices, q
        self.waiting: deque[Queued] = deque()
        self._running: list[_Running] = []
        self._clock = 0.0
        self._rate, self._wanted, self._ramp = 1.0, 1.0, 1.0
        self._ending, self._code = False, DISCARDED
        self._events: list[Event] = []

    @property
    def moving(self) -> bool:
        """Whether a command runs, is being stopped, or waits."""
        return bool(self._running or self.waiting)

    @property
    def count(self) -> int:
        """Commands that run or wait."""
        return len(self.waiting) + (0 if self._ending else len(self._running))

    def share(self, number: int) -> float | None:
        """The share of the way that a running command has travelled; None when it does not run."""
        for running in self._running:
            if running.queued.number == number:
                return self._share(running)
        return None

    def submit(self, queued: Queued) -> None:
        """Put a command at the end of the queue."""
        self.waiting.append(queued)

    def pause(self) -> None:
        """Come to rest on the path."""
        self._towards(0.0, self.choices.pause_seconds)

    def resume(self) -> None:
        """Go on; what was being stopped is over."""
        if self._ending:
            self._drop()
        self._towards(1.0, self.choices.pause_seconds)
        if not self._running:
            self._rate = 1.0

    def stop(self, seconds: float, code: int = DISCARDED) -> None:
        """Drop what waits, and come to rest within some seconds; `code` is for the command that runs."""
        if not self._ending:
            self._code = code
            self._events += [Event(r.queued, "end", code, self._share(r), self.q) for r in self._running]
        self._events += [Event(queued, "end", DISCARDED, 0.0, self.q) for queued in self.waiting]
        self.waiting.clear()
        self._ending = True
        self._towards(0.0, seconds)
        if seconds <= 0 or not self._running or self._rate == 0:
            self._drop()

    def halt(self, code: int) -> None:
        """Drop everything and stay here: the path cannot be followed any further."""
        self.stop(0.0, code)

    def place(self, q: Array) -> None:
        """Put the arm elsewhere; only when nothing runs."""
        self.q = q

    def events(self) -> list[Event]:
        """What has happened since this was asked last."""
        happened, self._events = self._events, []
        return happened

    def advance(self, seconds: float) -> None:
        """Go on for some seconds. Raises MotionError where the arm cannot follow; `q` is then where it could last."""
        before, step = self._rate, seconds / self._ramp
        self._rate = min(max(self._wanted, before - step), before + step)
        self._clock += seconds * (before + self._rate) / 2
        if self._ending and self._rate == 0:
            self._follow()
            self._drop()
        elif self._rate or before:
            self._start_and_end()
            self._follow()

    def _start_and_end(self) -> None:
        free = None
        while True:
            if not self._running:
                if not self.waiting:
                    return
                self._begin(self.q, self.body.tool(self.q), self._clock if free is None else free)
            first = self._running[0]
            t = self._clock - first.start
            if t >= first.motion.profile.duration:
                free = first.start + first.motion.profile.duration
                self._end(first)
                continue
            if len(self._running) == 1 and first.motion.blends(t) and self._fits(first.motion):
                self._begin_blended(first.motion)
            return

    def _begin(self, q: Array, T: Array, start: float) -> None:
        queued = self.waiting[0]
        motion = plan(queued.command, q, T, self.body, self.choices)
        self.waiting.popleft()
        self._running.append(_Running(queued, motion, start))
        self._events.append(Event(queued, "start", SUCCESS, 0.0, self.q))

    def _begin_blended(self, before: Motion) -> None:
        """The next command starts where the one before it will end."""
        end = before.path.at(1.0)
        joint = isinstance(before.path, JointPath)
        self._begin(end if joint else self.q, self.body.tool(end) if joint else end, self._clock)

    def _fits(self, before: Motion) -> bool:
        """Whether the next command goes on in the same space."""
        command = self.waiting[0].command if self.waiting else None
        if isinstance(before.path, JointPath):
            return isinstance(command, JointMove)
        return isinstance(command, ArcMove) or (isinstance(command, LineMove) and command.joint == 0)

    def _end(self, running: _Running) -> None:
        if len(self._running) == 1:
            end = running.motion.path.at(1.0)
            self.q = end if isinstance(running.motion.path, JointPath) else self.body.follow(end, self.q)
        self._running.remove(running)
        if not self._ending:
            self._events.append(Event(running.queued, "end", SUCCESS, 1.0, self.q))
        else:
            self._events.append(Event(running.queued, "rest", self._code, 1.0, self.q))

    def _follow(self) -> None:
        if not self._running:
            return
        first, *others = self._running
        place = first.motion.at(self._clock - first.start)
        for other in others:
            place = other.motion.joined(place, self._clock - other.start)
        self.q = place if isinstance(first.motion.path, JointPath) else self.body.follow(place, self.q)

    def _share(self, running: _Running) -> float:
        profile = running.motion.profile
        return profile.at(self._clock - running.start) / profile.length if profile.length > 0 else 1.0

    def _towards(self, rate: float, seconds: float) -> None:
        self._wanted, self._ramp = rate, max(seconds, 1e-9)

    def _drop(self) -> None:
        self._events += [Event(r.queued, "rest", self._code, self._share(r), self.q) for r in self._running]
        self._running.clear()
        self._ending = False
