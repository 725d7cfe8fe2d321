"""Who reads or decides for a session in a process of its own, while the world goes on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from tamp.execution.process import Asked, Make, Process
from tamp.planning.beside import Entries, pass_on
from tamp.planning.search import Journal

T = TypeVar("T")


def kept(told: tuple[T, Entries], journal: Journal) -> T:
    """An answer, once what was noted on the way to it is in the journal."""
    answer, entries = told
    pass_on(entries, journal)
    return answer


@dataclass(eq=False)
class Assistant:
    """An object that `make` makes in a process called `name`, which is started at once. Its methods give an answer with
    what was noted on the way to it, which goes to the `journal`."""

    make: Make
    name: str
    journal: Journal
    _process: Process = field(init=False)

    def __post_init__(self) -> None:
        self._process = Process(self.make, self.name)

    def ask(self, method: str, *args: Any, convert: Callable[[Any], Any] = lambda answer: answer) -> Asked:
        """Call a method there; returns at once. `convert` is applied to the answer."""
        return self._process.ask(method, *args, convert=lambda told: convert(kept(told, self.journal)))

    def tell(self, method: str, *args: Any) -> None:
        """Call a method there whose answer nobody waits for."""
        self._process.tell(method, *args)

    def close(self) -> None:
        """End the process."""
        self._process.close()
