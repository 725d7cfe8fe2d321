"""Who reads or decides for a session in a process of its own, while the world goes on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from tamp.errors import TampError
from tamp.model.events import Journal
from tamp.planning.planner_process import Entries, Notes, pass_on
from tamp.worker_process import Asked, Cancelled, Process

Make = Callable[[Journal, Cancelled], Any]
"""Makes an object, in its process, that notes in a journal what it does. Has to be picklable."""


class _Noting:
    """What runs in the process."""

    def __init__(self, make: Make, cancelled: Cancelled) -> None:
        self._notes = Notes()
        self._object = make(self._notes, cancelled)

    def call(self, method: str, *args: Any) -> tuple[Any, TampError | None, Entries]:
        """A method's answer, or why there is none, and what was noted on the way."""
        try:
            return getattr(self._object, method)(*args), None, self._notes.taken()
        except TampError as e:
            return None, e, self._notes.taken()


@dataclass(eq=False)
class Assistant:
    """An object that `make` makes in a process called `name`, which is started at once. What it notes goes to the
    `journal`, with each answer."""

    make: Make
    name: str
    journal: Journal
    _process: Process = field(init=False)

    def __post_init__(self) -> None:
        self._process = Process(partial(_Noting, self.make), self.name)

    def ask(self, method: str, *args: Any, convert: Callable[[Any], Any] = lambda answer: answer) -> Asked:
        """Call a method there; returns at once. `convert` is applied to the answer."""

        def kept(told: tuple[Any, TampError | None, Entries]) -> Any:
            answer, error, entries = told
            pass_on(entries, self.journal)
            if error is not None:
                raise error
            return convert(answer)

        return self._process.ask("call", method, *args, convert=kept)

    def tell(self, method: str, *args: Any) -> None:
        """Call a method there whose answer nobody waits for."""
        self._process.tell("call", method, *args)

    def close(self) -> None:
        """End the process."""
        self._process.close()
