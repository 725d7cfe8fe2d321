"""A language model that decides for a session: in this process, or in one of its own while the world goes on."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from cli.live_reading import Interruptible, Reading
from cli.output import hush_warnings
from tamp.execution.directing import Question
from tamp.execution.process import Cancelled, Process
from tamp.planning.beside import Entries, Notes, pass_on
from tamp.planning.deliberation import Ready, Thought
from tamp.planning.refinement import never
from tamp.planning.search import Journal


class Decider:
    """Decides; the model is loaded when it is made."""

    def __init__(self, reading: Reading, cancelled: Cancelled | None = None) -> None:
        from llm.backends.load import load
        from tamp.model.domain import load as load_domain

        hush_warnings()
        self._domain = load_domain(reading.domain)
        self._model = Interruptible(load(reading.llm), cancelled or never)

    def decide(self, asked: Question) -> tuple[str, Entries]:
        """The command, and what was noted on the way."""
        from llm.deciding import decided
        from llm.logged import Logged

        notes = Notes()
        command = decided(Logged(self._model, notes.event), asked, self._domain)
        notes.event("decision", command=command, not_again=sorted(asked.not_again))
        return command, notes.taken()


def in_turn(reading: Reading, journal: Journal) -> Callable[[Question], Thought[str]]:
    """Decides at once; the world waits."""
    made: list[Decider] = []

    def decide(asked: Question) -> Thought[str]:
        if not made:
            made.append(Decider(reading))
        command, entries = made[0].decide(asked)
        pass_on(entries, journal)
        return Ready(command)

    return decide


class Beside:
    """Decides in a process of its own, which is started, and loads the model, at once."""

    def __init__(self, reading: Reading, journal: Journal) -> None:
        self._journal = journal
        self._process = Process(partial(Decider, reading), "deciding")

    def __call__(self, asked: Question) -> Thought[str]:
        """The command, once it is decided."""
        return self._process.ask("decide", asked, convert=self._take)

    def _take(self, told: tuple[str, Entries]) -> str:
        command, entries = told
        pass_on(entries, self._journal)
        return command

    def close(self) -> None:
        """End the process."""
        self._process.close()
