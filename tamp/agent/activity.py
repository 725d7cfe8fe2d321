"""A running action: its stage, how long it has been in it, what it takes, and why it is not further.

An activity runs as a routine: an iterator of commands, advanced once in each control period after the new observation
is there. None means that it commands nothing in this period; what it returns is what is missing in the end, None for
nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from tamp.model.backend import Command
from tamp.model.skill_spec import ARM, HAND

T = TypeVar("T")


Routine = Generator[Command | None, None, T]

Stage = Literal["moving", "acting", "done", "failed", "stopped"]
OVER = ("done", "failed", "stopped")


@dataclass(eq=False)
class Doing:
    """The action that an activity is at; `began` and `now` in the session's seconds. `operands` are its arguments."""

    name: str
    began: float
    now: float
    operands: tuple[str, ...] = ()
    stage: Stage = "moving"
    waits_for: str = ""

    @property
    def seconds(self) -> float:
        """How long it has been going on."""
        return self.now - self.began


def for_ever() -> Routine[str | None]:
    """A routine that commands nothing and has no end."""
    while True:
        yield None


@dataclass(eq=False)
class Activity:
    """What was started, under the name by which it is stopped. `began` and `now` in the session's seconds.

    `inner` gives the action that it is at, for what consists of several.
    """

    name: str
    routine: Routine[str | None] = field(repr=False)
    resources: frozenset[str] = frozenset({ARM, HAND})
    endless: bool = False
    stage: Stage = "moving"
    began: float = 0.0
    now: float = 0.0
    waits_for: str = ""
    """Why it is not further, in words; empty while it goes on."""
    inner: Callable[[], Doing | None] = field(default=lambda: None, repr=False)

    @property
    def seconds(self) -> float:
        """How long it has been running."""
        return self.now - self.began

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return self.stage in OVER

    @property
    def shown(self) -> Activity | Doing:
        """What is shown of it: of a goal the action that it is at, else itself."""
        inner = self.inner()
        return self if inner is None or self.over or self.endless or inner.name == self.name else inner

    def __str__(self) -> str:
        return f"{self.shown.name} ({self.shown.stage}, {self.shown.seconds:.1f}s)"

    def step(self, now: float) -> Command | None:
        """Its command for this control period. Once it is over: None, its stage says how it ended."""
        self.now = now
        try:
            command = next(self.routine)
        except StopIteration as end:
            self.stage, self.waits_for = ("failed", end.value) if end.value else ("done", "")
            return None
        if (inner := self.inner()) is not None:
            self.stage = "acting" if self.endless and self.stage == "acting" else inner.stage
            self.waits_for = inner.waits_for
        return command

    def stop(self) -> None:
        """End it where it is."""
        self.routine.close()
        if not self.over:
            self.stage = "stopped"
