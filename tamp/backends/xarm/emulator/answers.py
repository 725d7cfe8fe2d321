"""What a register handler gives back, and how a handler looks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tamp.backends.xarm.emulator.commands import Origin
from tamp.backends.xarm.emulator.controller import Controller
from tamp.backends.xarm.emulator.frames import INVALID


@dataclass(frozen=True)
class Answer:
    """A reply's data, and bits to set in its status besides the controller's own."""

    data: bytes = b""
    bits: int = 0


@dataclass(frozen=True)
class Asked:
    """A request as a handler sees it."""

    controller: Controller
    register: int
    data: bytes
    origin: Origin


Handler = Callable[[Asked], Answer]
DONE = Answer()


def done(success: bool, data: bytes = b"") -> Answer:
    """An answer of full length whether it went well or not: the SDK takes no shorter ones."""
    return Answer(data, 0 if success else INVALID)
