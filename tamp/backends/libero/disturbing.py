"""Somebody who disturbs an episode, once: moves things, holds the fingers, runs into the arm or a camera.

He belongs to the bench, and knows the simulation and what the robot tells of itself; the robot is told nothing.
"""

from __future__ import annotations

import contextlib
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from motion.poses import Array
from motion.standard_action import OPEN
from tamp.backends.libero import meddling
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.meddling import Do, Done
from tamp.backends.libero.moments import Moment
from tamp.errors import InputError
from tamp.model.events import ActionBegun, Event, Interrupted
from tamp.model.goal_syntax import valid
from tamp.model.images import Image


@dataclass(frozen=True)
class Kind:
    """A kind of disturbance: when it is done, and what. `fingers`: they are open meanwhile; `pictures`: what
    becomes of one meanwhile, given the last one before; `cameras`: nobody notices it without them."""

    when: Callable[[Moment], bool]
    do: Do
    fingers: bool = False
    pictures: Callable[[Image, Image], Image] | None = None
    cameras: bool = False


def _frozen(now: Image, last: Image) -> Image:
    return replace(now, colour=last.colour, depth=last.depth)


def _black(now: Image, last: Image) -> Image:
    return replace(now, colour=np.zeros_like(now.colour), depth=np.zeros_like(now.depth))


def _flat(now: Image, last: Image) -> Image:
    return replace(now, depth=np.zeros_like(now.depth))


KINDS: dict[str, Kind] = {
    "moved-before": Kind(Moment.grasping, meddling.move),
    "moved": Kind(Moment.approaching, meddling.move),
    "nudged": Kind(Moment.approaching, meddling.nudge),
    "moved-after": Kind(Moment.closing, meddling.move),
    "knocked": Kind(Moment.carrying, meddling.knock),
    "slides": Kind(Moment.carrying, meddling.slide),
    "swapped": Kind(Moment.approaching, meddling.swap),
    "occupied": Kind(Moment.carrying, meddling.occupy),
    "shut": Kind(Moment.relying, meddling.shut),
    "half-shut": Kind(Moment.relying, meddling.half_shut),
    "turned-back": Kind(Moment.relying, meddling.turn_back),
    "slips": Kind(Moment.handling, meddling.slip, fingers=True),
    "pushed": Kind(Moment.approaching, meddling.push),
    "open-fingers": Kind(Moment.closing, meddling.hold_open, fingers=True),
    "in-the-way": Kind(Moment.approaching, meddling.obstruct),
    "taken": Kind(Moment.approaching, meddling.take_away),
    "brought-back": Kind(Moment.approaching, meddling.take_away_for_a_while),
    "frozen": Kind(Moment.going, meddling.blind, pictures=_frozen, cameras=True),
    "black": Kind(Moment.going, meddling.blind, pictures=_black, cameras=True),
    "no-depth": Kind(Moment.going, meddling.blind, pictures=_flat, cameras=True),
    "shifted": Kind(Moment.going, meddling.run_into_camera, cameras=True),
}
IMPOSSIBLE = ("taken",)
"""After these what was wanted cannot be done any more, and is to be told so."""
MORE_STEPS = 200
"""Control steps that a disturbed episode may take beyond LIBERO's limit, which is for tasks that are done once."""


def check(kind: str, perception: str) -> None:
    """InputError for a kind that there is not, or that nobody would notice without cameras."""
    if kind not in KINDS:
        raise InputError(f"no disturbance {kind!r}; {valid(kind, KINDS)}")
    if KINDS[kind].cameras and perception != "camera":
        raise InputError(f"--disturb {kind} is about pictures; valid with --perception camera")


@contextlib.contextmanager
def disturbed(
    environment: LiberoEnvironment, kind: str | None, seed: int, init_state: int | None
) -> Iterator[Disturber | None]:
    """Somebody who disturbs while this lasts, the same way for the same task, seed and initial state; nobody without
    a `kind`."""
    if kind is None:
        yield None
        return
    seeds = (seed, init_state or 0, zlib.crc32(environment.task.name.encode()))
    disturber = Disturber(kind, environment, np.random.default_rng(seeds))
    try:
        yield disturber
    finally:
        disturber.leave()


@dataclass(eq=False)
class Disturber:
    """Does what a `kind` says, as soon as it can be done. `told` says what and when, None before; and after how many
    control steps the robot `noticed`, and went on or was at rest (`resumed`)."""

    kind: str
    environment: LiberoEnvironment
    rng: np.random.Generator
    told: dict[str, Any] | None = None
    _now: Moment = field(init=False)
    _done: Done = field(default_factory=Done)
    _until: int = 0
    """The control step until which what was done goes on."""
    _last: tuple[Image, ...] = ()

    def __post_init__(self) -> None:
        self._now, self._task = Moment(self.environment), self.environment.task
        self._others, self.environment.disturbed = self.environment.disturbed, self.acts
        self.environment.task = replace(self._task, step_limit=self._task.step_limit + MORE_STEPS)

    def heard(self, event: Event, operands: tuple[str, ...]) -> None:
        """Something that the robot told; `operands` of an action in the simulation's names."""
        self._now.heard(event, operands)
        if self.told is not None and isinstance(event, Interrupted | ActionBegun):
            self._note(event)

    def _note(self, event: Event) -> None:
        """Note after how many control steps the robot stopped because of it, and went on."""
        assert self.told is not None
        after = self.environment.steps - self.told["step"]
        if isinstance(event, Interrupted):
            self.told.setdefault("noticed", after)
        elif "noticed" in self.told:
            self.told.setdefault("resumed", after)

    def acts(self, action: Array) -> Array:
        """What becomes of the robot's action (7,) in this control step."""
        action = self._others(action) if self._others is not None else action
        kind, now, step = KINDS[self.kind], self._now, self.environment.steps
        now.since += 1
        if self.told is None:
            if now.action is not None and kind.when(now) and (done := kind.do(now, self.rng)) is not None:
                self.told = {"kind": self.kind, "step": step, "action": now.action, **done.told}
                self._done, self._until = done, step + done.steps
        elif step == self._until:
            self._done.after()
        return np.array([*action[:6], OPEN]) if self._goes_on and kind.fingers else action

    def pictures(self, images: tuple[Image, ...]) -> tuple[Image, ...]:
        """What becomes of pictures."""
        spoilt = KINDS[self.kind].pictures
        if spoilt is not None and self._goes_on:
            return tuple(map(spoilt, images, self._last or images))
        self._last = images
        return images

    def leave(self) -> None:
        """Leave the simulation to others."""
        self._done.undo()
        self.environment.disturbed, self.environment.task = self._others, self._task

    @property
    def _goes_on(self) -> bool:
        return self.told is not None and self.environment.steps < self._until
