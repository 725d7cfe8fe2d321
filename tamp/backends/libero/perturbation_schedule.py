"""Perturb an episode once, at the right moment (`--disturb KIND`).

The schedule knows the simulation and the robot's events; the robot does not know of it.
"""

from __future__ import annotations

import contextlib
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from motion.poses import Array
from motion.standard_action import OPEN
from tamp.backends.libero import perturbations
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.perturbations import NUDGED, ActionProgress, Do, Done
from tamp.errors import InputError
from tamp.model.events import ActionBegun, Event, Interrupted
from tamp.model.goal_syntax import valid
from tamp.model.images import Image


@dataclass(frozen=True)
class Kind:
    """A kind of perturbation: when it is done, and what. While it goes on, the fingers are open (`fingers`), and
    `pictures` changes each image, given the last one before; `cameras`: it shows only with camera perception."""

    when: Callable[[ActionProgress], bool]
    do: Do
    fingers: bool = False
    pictures: Callable[[Image, Image], Image] | None = None
    cameras: bool = False


HELD_OPEN, SLIPPED, BLIND = 30, 8, 40
"""Control steps in which fingers do not close, in which they let go of a handle, and in which cameras show nothing."""


def _blind(pictures: Callable[[Image, Image], Image]) -> Kind:
    return Kind(ActionProgress.going, partial(perturbations.persist, steps=BLIND), pictures=pictures, cameras=True)


KINDS: dict[str, Kind] = {
    "moved-before": Kind(ActionProgress.grasping, perturbations.move),
    "moved": Kind(ActionProgress.approaching, perturbations.move),
    "nudged": Kind(ActionProgress.approaching, partial(perturbations.move, by=NUDGED)),
    "moved-after": Kind(ActionProgress.closing, perturbations.move),
    "knocked": Kind(ActionProgress.carrying, perturbations.knock),
    "slides": Kind(ActionProgress.carrying, perturbations.slide),
    "swapped": Kind(ActionProgress.approaching, perturbations.swap),
    "occupied": Kind(ActionProgress.carrying, perturbations.occupy),
    "shut": Kind(ActionProgress.relying, perturbations.turn_back),
    "half-shut": Kind(ActionProgress.relying, partial(perturbations.turn_back, share=0.5)),
    "turned-back": Kind(ActionProgress.relying, partial(perturbations.turn_back, knob=True)),
    "slips": Kind(ActionProgress.handling, partial(perturbations.persist, steps=SLIPPED), fingers=True),
    "pushed": Kind(ActionProgress.approaching, perturbations.push),
    "open-fingers": Kind(ActionProgress.closing, partial(perturbations.persist, steps=HELD_OPEN), fingers=True),
    "in-the-way": Kind(ActionProgress.approaching, perturbations.obstruct),
    "taken": Kind(ActionProgress.approaching, perturbations.take_away),
    "brought-back": Kind(ActionProgress.approaching, partial(perturbations.take_away, back=True)),
    "frozen": _blind(lambda now, last: replace(now, colour=last.colour, depth=last.depth)),
    "black": _blind(lambda now, last: replace(now, colour=0 * now.colour, depth=0 * now.depth)),
    "no-depth": _blind(lambda now, last: replace(now, depth=0 * now.depth)),
    "shifted": Kind(ActionProgress.going, perturbations.displace_camera, cameras=True),
}
IMPOSSIBLE = ("taken",)
"""After these the goal cannot be reached any more, and the robot should say so."""
MORE_STEPS = 200
"""Control steps that a perturbed episode may take beyond LIBERO's limit, which is for tasks that are done once."""


def check(kind: str, perception: str) -> None:
    """InputError for an unknown kind, or one that shows only with camera perception."""
    if kind not in KINDS:
        raise InputError(f"no disturbance {kind!r}; {valid(kind, KINDS)}")
    if KINDS[kind].cameras and perception != "camera":
        raise InputError(f"--disturb {kind} is about pictures; valid with --perception camera")


@contextlib.contextmanager
def perturbed(
    environment: LiberoEnvironment, kind: str | None, seed: int, init_state: int | None
) -> Iterator[PerturbationSchedule | None]:
    """Perturb an environment while this lasts, the same way for the same task, seed and initial state; None without a
    `kind`."""
    if kind is None:
        yield None
        return
    seeds = (seed, init_state or 0, zlib.crc32(environment.task.name.encode()))
    schedule = PerturbationSchedule(kind, environment, np.random.default_rng(seeds))
    try:
        yield schedule
    finally:
        schedule.close()


@dataclass(eq=False)
class PerturbationSchedule:
    """Perturbs by a `kind` as soon as it can be done. `record` says what was done and when, None before; and after how
    many control steps the robot stopped (`noticed`), and went on (`resumed`)."""

    kind: str
    environment: LiberoEnvironment
    rng: np.random.Generator
    record: dict[str, Any] | None = None
    _now: ActionProgress = field(init=False)
    _done: Done = field(default_factory=Done)
    _until: int = 0
    """The control step until which the perturbation goes on."""
    _last: tuple[Image, ...] = ()

    def __post_init__(self) -> None:
        self._now, self._task = ActionProgress(self.environment), self.environment.task
        self._others, self.environment.disturbed = self.environment.disturbed, self.act
        self.environment.task = replace(self._task, step_limit=self._task.step_limit + MORE_STEPS)

    def on_event(self, event: Event, operands: tuple[str, ...]) -> None:
        """Take an event of the robot into account; `operands` of an action in the simulation's names."""
        self._now.on_event(event, operands)
        if self.record is None:
            return
        after = self.environment.steps - self.record["step"]
        if isinstance(event, Interrupted):
            self.record.setdefault("noticed", after)
        elif isinstance(event, ActionBegun) and "noticed" in self.record:
            self.record.setdefault("resumed", after)

    def act(self, action: Array) -> Array:
        """The action (7,) that is carried out in this control step in place of the robot's."""
        action = self._others(action) if self._others is not None else action
        kind, now, step = KINDS[self.kind], self._now, self.environment.steps
        now.since += 1
        if self.record is None:
            if now.action is not None and kind.when(now) and (done := kind.do(now, self.rng)) is not None:
                self.record = {"kind": self.kind, "step": step, "action": now.action, **done.record}
                self._done, self._until = done, step + done.steps
        elif step == self._until:
            self._done.after()
        return np.array([*action[:6], OPEN]) if self._goes_on and kind.fingers else action

    def pictures(self, images: tuple[Image, ...]) -> tuple[Image, ...]:
        """The images that the robot gets in place of the cameras'."""
        changed = KINDS[self.kind].pictures
        if changed is not None and self._goes_on:
            return tuple(map(changed, images, self._last or images))
        self._last = images
        return images

    def close(self) -> None:
        """Restore the simulation."""
        self._done.undo()
        self.environment.disturbed, self.environment.task = self._others, self._task

    @property
    def _goes_on(self) -> bool:
        return self.record is not None and self.environment.steps < self._until
