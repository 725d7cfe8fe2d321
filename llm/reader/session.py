"""Reading words for a session: in this process, or in one of its own while the world goes on."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace
from functools import partial

from llm.models.load import interruptible
from llm.models.model import Logged, Model
from llm.reader.grounding import seen_stage, understood
from tamp.errors import TampError
from tamp.execution.performing import Going, Heard
from tamp.execution.process import Cancelled
from tamp.model.domain import load
from tamp.model.scene import Scene
from tamp.model.state import WorldState
from tamp.planning.assistant import Assistant, kept
from tamp.planning.beside import Entries, Notes
from tamp.planning.deliberation import Ready, Thought
from tamp.planning.engine import Engine
from tamp.planning.search import Journal


@dataclass(frozen=True)
class Reading:
    """What words are read with: a model's name, a domain's, other names of the scene's things."""

    llm: str
    domain: str
    names: dict[str, str]
    assume_first: bool = False


class Reader:
    """Reads; the model is loaded when it is made, unless one is given."""

    def __init__(self, reading: Reading, cancelled: Cancelled | None = None, model: Model | None = None) -> None:
        self._reading, self._domain = reading, load(reading.domain)
        self._model = interruptible(reading.llm, cancelled, model)

    def warm(self, scene: Scene, state: WorldState) -> None:
        """Load the weights, and have the model read what it is told of the scene, before anybody says anything."""
        with contextlib.suppress(TampError):
            self.read("wait", scene, state)

    def read(self, text: str, scene: Scene, state: WorldState, going: Going | None = None) -> tuple[Heard, Entries]:
        """What is wanted from now on after some words, and what was noted on the way. Refusal where nothing is."""
        notes = Notes()
        notes.event("instruction", text=text)
        stage = seen_stage(scene, state, self._domain, self._reading.names, Engine())
        if going is not None:
            stage = replace(stage, doing=going.goals if going.busy else going.last, before=going.before)
        model = Logged(self._model, notes.event)
        answer = understood(text, stage, model, self._reading.assume_first, tell=notes.event)
        if answer.goals:
            notes.event("language", **answer.as_dict())
        return Heard(text, answer.goals, answer.goals), notes.taken()


@dataclass(eq=False)
class InTurnReader:
    """Reads at once; the world waits."""

    reading: Reading
    journal: Journal
    model: Model | None = None
    """One that is loaded already."""
    _reader: Reader | None = None

    def __call__(self, text: str, scene: Scene, state: WorldState, going: Going | None) -> Thought[Heard]:
        """What is wanted after some words."""
        self._reader = self._reader or Reader(self.reading, model=self.model)
        return Ready(kept(self._reader.read(text, scene, state, going), self.journal))

    def warm(self, scene: Scene, state: WorldState) -> None:
        """Nothing: the world waits for the first words, too."""

    def close(self) -> None:
        """Nothing is to be ended."""


class ReaderBeside:
    """Reads in a process of its own, which is started, and loads the model, at once."""

    def __init__(self, reading: Reading, journal: Journal) -> None:
        self._reader = Assistant(partial(Reader, reading), "reading", journal)
        self.close = self._reader.close

    def warm(self, scene: Scene, state: WorldState) -> None:
        """Have it get ready for a scene."""
        self._reader.tell("warm", scene, state)

    def __call__(self, text: str, scene: Scene, state: WorldState, going: Going | None) -> Thought[Heard]:
        """What is wanted after some words, once they are read."""
        return self._reader.ask("read", text, scene, state, going)
