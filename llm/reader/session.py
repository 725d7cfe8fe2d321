"""Reading words for a session: in this process, or in one of its own while the world goes on."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace
from functools import partial

from llm.models.load import interruptible
from llm.models.model import Logged, Model
from llm.reader.grounding import Stage, seen_stage, understood
from tamp.agent.tabletop_agent import Going, Heard
from tamp.errors import TampError
from tamp.model.events import Journal
from tamp.model.scene import Scene
from tamp.model.state import WorldState
from tamp.pddl.domain_file import load
from tamp.pddl.planner import Engine
from tamp.planning.assistant import Assistant
from tamp.planning.deliberation import Ready, Thought
from tamp.worker_process import Cancelled


@dataclass(frozen=True)
class Reading:
    """What words are read with: a model's name, a domain's, other names of the scene's things."""

    llm: str
    domain: str
    names: dict[str, str]
    assume_first: bool = False


class Reader:
    """Reads; the model is loaded when it is made, unless one is given."""

    def __init__(
        self, reading: Reading, journal: Journal, cancelled: Cancelled | None = None, model: Model | None = None
    ) -> None:
        self._reading, self._domain, self._journal = reading, load(reading.domain), journal
        self._model = interruptible(reading.llm, cancelled, model)

    def warm(self, scene: Scene, state: WorldState) -> None:
        """Load the weights, and have the model read what it is told of the scene, before anybody says anything."""
        with contextlib.suppress(TampError):
            understood("wait", self._stage(scene, state), self._model)

    def read(self, text: str, scene: Scene, state: WorldState, going: Going | None = None) -> Heard:
        """What is wanted from now on after some words. Refusal where nothing is."""
        self._journal.event("instruction", text=text)
        stage, model = self._stage(scene, state), Logged(self._model, self._journal.event)
        if going is not None:
            stage = replace(stage, doing=going.goals if going.busy else going.last, before=going.before)
        answer = understood(text, stage, model, self._reading.assume_first, tell=self._journal.event)
        if answer.goals:
            self._journal.event("language", **answer.as_dict())
        return Heard(text, answer.goals, answer.goals)

    def _stage(self, scene: Scene, state: WorldState) -> Stage:
        return seen_stage(scene, state, self._domain, self._reading.names, Engine())


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
        self._reader = self._reader or Reader(self.reading, self.journal, model=self.model)
        return Ready(self._reader.read(text, scene, state, going))

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
