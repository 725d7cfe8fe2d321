"""An object in a process of its own that notes in a journal what it does: for reading and deciding in a session."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from tamp.errors import TampError
from tamp.model.events import Journal
from tamp.worker_process import Cancelled, PendingAnswer, Process

Make = Callable[[Journal, Cancelled], Any]
"""Makes an object, in its process, that notes in a journal what it does. Has to be picklable."""

Entries = list[tuple[str, str, Any]]
"""What was noted, in order: `event` or `write`, its name, and what it holds."""


@dataclass(eq=False)
class JournalBuffer:
    """A journal that is kept until it is passed on."""

    entries: Entries = field(default_factory=list)

    def event(self, kind: str, /, **data: Any) -> None:
        """Keep an event."""
        self.entries.append(("event", kind, data))

    def write(self, name: str, content: str | bytes) -> None:
        """Keep a file."""
        self.entries.append(("write", name, content))

    def taken(self) -> Entries:
        """What was kept, which is then forgotten here."""
        entries, self.entries = self.entries, []
        return entries


def pass_on(entries: Entries, journal: Journal) -> None:
    """Write entries to a journal."""
    for what, name, data in entries:
        if what == "event":
            journal.event(name, **data)
        else:
            journal.write(name, data)


class _Noting:
    """What runs in the process."""

    def __init__(self, make: Make, cancelled: Cancelled) -> None:
        self._buffer = JournalBuffer()
        self._object = make(self._buffer, cancelled)

    def call(self, method: str, *args: Any) -> tuple[Any, TampError | None, Entries]:
        """A method's answer, or why there is none, and what was noted on the way."""
        try:
            return getattr(self._object, method)(*args), None, self._buffer.taken()
        except TampError as e:
            return None, e, self._buffer.taken()


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

    def ask(self, method: str, *args: Any, convert: Callable[[Any], Any] = lambda answer: answer) -> PendingAnswer:
        """Call a method there; returns at once. `convert` is applied to the answer."""

        def kept(reply: tuple[Any, TampError | None, Entries]) -> Any:
            answer, error, entries = reply
            pass_on(entries, self.journal)
            if error is not None:
                raise error
            return convert(answer)

        return self._process.ask("call", method, *args, convert=kept)

    def tell(self, method: str, *args: Any) -> None:
        """Call a method there whose answer is not needed."""
        self._process.tell("call", method, *args)

    def close(self) -> None:
        """End the process."""
        self._process.close()
