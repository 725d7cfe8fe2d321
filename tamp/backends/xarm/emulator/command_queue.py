"""Carries out queued commands one after the other, along a clock of its own that slows down to pause and to stop."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from motion.poses import Array
from tamp.backends.xarm.emulator.motion_profiles import JointPath, TimedMotion, plan
from tamp.backends.xarm.emulator.protocol import FINISHED, STARTED, ProtocolRequest
from tamp.backends.xarm.emulator.queued_commands import ArcMove, Command, JointMove, LineMove
from tamp.backends.xarm.emulator.tool_body import ToolBody

SUCCESS, FAILURE, DISCARDED = 0, 1, 2
"""Codes of feedback."""
PAUSE_SECONDS = 0.1
"""To come to rest on the path when paused, and to go on."""


@dataclass(frozen=True)
class Queued:
    """A command with its number, the request that it came with, and its number among the motions (0: none)."""

    number: int
    command: Command
    request: ProtocolRequest
    motion: int = 0


@dataclass(frozen=True)
class QueueEvent:
    """A command has started or finished (`kind`, as of feedback); `code` says how."""

    queued: Queued
    kind: int
    code: int


@dataclass(frozen=True)
class _Running:
    queued: Queued
    motion: TimedMotion
    start: float


class CommandQueue:
    """The queue of position control. `q` (n,) is where the arm is; poses follow from `body`. `shares` gets the share
    of its way that each motion has travelled, by its number among the motions."""

    def __init__(self, body: ToolBody, q: Array, shares: dict[int, float]) -> None:
        self.body, self.q, self.shares = body, q, shares
        self.waiting: deque[Queued] = deque()
        self._running: list[_Running] = []
        self._clock = 0.0
        self._rate, self._wanted, self._ramp = 1.0, 1.0, 1.0
        self._ending = False
        self._events: list[QueueEvent] = []

    @property
    def moving(self) -> bool:
        """Whether a command runs, is being stopped, or waits."""
        return bool(self._running or self.waiting)

    @property
    def count(self) -> int:
        """Commands that run or wait."""
        return len(self.waiting) + (0 if self._ending else len(self._running))

    def submit(self, queued: Queued) -> None:
        """Put a command at the end of the queue."""
        self.waiting.append(queued)

    def pause(self) -> None:
        """Come to rest on the path."""
        self._towards(0.0, PAUSE_SECONDS)

    def resume(self) -> None:
        """Go on; what was being stopped is over."""
        if self._ending:
            self._drop()
        self._towards(1.0, PAUSE_SECONDS)
        if not self._running:
            self._rate = 1.0

    def stop(self, seconds: float, code: int = DISCARDED) -> None:
        """Drop what waits, and come to rest within some seconds; `code` is for the command that runs."""
        if not self._ending:
            self._events += [QueueEvent(running.queued, FINISHED, code) for running in self._running]
        self._events += [QueueEvent(queued, FINISHED, DISCARDED) for queued in self.waiting]
        self.waiting.clear()
        self._ending = True
        self._towards(0.0, seconds)
        if seconds <= 0 or not self._running or self._rate == 0:
            self._drop()

    def events(self) -> list[QueueEvent]:
        """What has happened since the last call."""
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
        motion = plan(queued.command, q, T, self.body)
        self.waiting.popleft()
        self._running.append(_Running(queued, motion, start))
        self._events.append(QueueEvent(queued, STARTED, SUCCESS))

    def _begin_blended(self, before: TimedMotion) -> None:
        """The next command starts where the one before it will end."""
        end = before.path.at(1.0)
        joint = isinstance(before.path, JointPath)
        self._begin(end if joint else self.q, self.body.tool(end) if joint else end, self._clock)

    def _fits(self, before: TimedMotion) -> bool:
        """Whether the next command goes on in the same space."""
        command = self.waiting[0].command if self.waiting else None
        return isinstance(command, JointMove if isinstance(before.path, JointPath) else LineMove | ArcMove)

    def _end(self, running: _Running) -> None:
        if len(self._running) == 1:
            self._go_to(running.motion.path.at(1.0), running.motion)
        self._running.remove(running)
        self.shares[running.queued.motion] = 1.0
        if not self._ending:
            self._events.append(QueueEvent(running.queued, FINISHED, SUCCESS))

    def _follow(self) -> None:
        if not self._running:
            return
        first, *others = self._running
        place = first.motion.path.at(first.motion.profile.at(self._clock - first.start))
        for other in others:
            place = other.motion.path.joined(place, other.motion.profile.at(self._clock - other.start))
        self._go_to(place, first.motion)
        for running in self._running:
            self.shares[running.queued.motion] = running.motion.share(self._clock - running.start)

    def _go_to(self, place: Array, motion: TimedMotion) -> None:
        self.q = place if isinstance(motion.path, JointPath) else self.body.follow(place, self.q)

    def _towards(self, rate: float, seconds: float) -> None:
        self._wanted, self._ramp = rate, max(seconds, 1e-9)

    def _drop(self) -> None:
        self._running.clear()
        self._ending = False
