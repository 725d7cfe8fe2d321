"""A language model that decides for a session: in this process, or in one of its own while the world goes on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from llm.deciding import Advisor
from llm.interruptible import interruptible
from llm.session_reading import Reading
from tamp.execution.process import Cancelled
from tamp.execution.questions import Question
from tamp.model.domain import load
from tamp.planning.assistant import Assistant, kept
from tamp.planning.beside import Entries, Notes
from tamp.planning.deliberation import Ready, Thought
from tamp.planning.search import Journal


class Decider:
    """Decides; the model is loaded when it is made."""

    def __init__(self, reading: Reading, cancelled: Cancelled | None = None) -> None:
        self._notes = Notes()
        self._advisor = Advisor(interruptible(reading.llm, cancelled), load(reading.domain), self._notes)

    def decide(self, asked: Question) -> tuple[str, Entries]:
        """The command, and what was noted on the way."""
        command = self._advisor(asked).result()
        return command, self._notes.taken()


@dataclass(eq=False)
class DeciderInTurn:
    """Decides at once; the world waits. The model is loaded at the first question."""

    reading: Reading
    journal: Journal
    _decider: Decider | None = None

    def __call__(self, asked: Question) -> Thought[str]:
        """The command."""
        self._decider = self._decider or Decider(self.reading)
        return Ready(kept(self._decider.decide(asked), self.journal))

    def close(self) -> None:
        """Nothing is to be ended."""


class DeciderBeside:
    """Decides in a process of its own, which is started, and loads the model, at once."""

    def __init__(self, reading: Reading, journal: Journal) -> None:
        self._decider = Assistant(partial(Decider, reading), "deciding", journal)
        self.close = self._decider.close

    def __call__(self, asked: Question) -> Thought[str]:
        """The command, once it is decided."""
        return self._decider.ask("decide", asked)
