"""A language model that decides for a session: in this process, or in one of its own while the world goes on."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from cli.live_reading import Interruptible, Reading, kept
from tamp.execution.process import Cancelled, Process
from tamp.execution.questions import Question
from tamp.planning.beside import Entries, Notes
from tamp.planning.deliberation import Ready, Thought
from tamp.planning.refinement import never
from tamp.planning.search import Journal
from tamp.quiet import hush_warnings


class Decider:
    """Decides; the model is loaded when it is made."""

    def __init__(self, reading: Reading, cancelled: Cancelled | None = None) -> None:
        from llm.backends.load import load
        from llm.deciding import Advisor
        from tamp.model.domain import load as load_domain

        hush_warnings()
        model = Interruptible(load(reading.llm), cancelled or never)
        self._notes = Notes()
        self._advisor = Advisor(model, load_domain(reading.domain), self._notes)

    def decide(self, asked: Question) -> tuple[str, Entries]:
        """The command, and what was noted on the way."""
        command = self._advisor(asked).result()
        return command, self._notes.taken()


def in_turn(reading: Reading, journal: Journal) -> Callable[[Question], Thought[str]]:
    """Decides at once; the world waits."""
    made: list[Decider] = []

    def decide(asked: Question) -> Thought[str]:
        if not made:
            made.append(Decider(reading))
        return Ready(kept(made[0].decide(asked), journal))

    return decide


class DeciderBeside:
    """Decides in a process of its own, which is started, and loads the model, at once."""

    def __init__(self, reading: Reading, journal: Journal) -> None:
        self._journal = journal
        self._process = Process(partial(Decider, reading), "deciding")

    def __call__(self, asked: Question) -> Thought[str]:
        """The command, once it is decided."""
        return self._process.ask("decide", asked, convert=lambda told: kept(told, self._journal))

    def close(self) -> None:
        """End the process."""
        self._process.close()
