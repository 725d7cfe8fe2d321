"""Reading words for a session: in this process, or in one of its own while the world goes on."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from functools import partial
from typing import Any

from cli.output import hush_warnings
from llm.model import Completion, Model, Prompt
from tamp.errors import Refusal, TampError
from tamp.execution.process import Cancelled, Process
from tamp.model.goal import Goal
from tamp.model.scene import Scene
from tamp.model.state import WorldState
from tamp.planning.beside import Notes
from tamp.planning.deliberation import Ready, Thought
from tamp.planning.refinement import never
from tamp.planning.search import Journal

Heard = tuple[tuple[Goal, ...], list[tuple[str, str, Any]]]


@dataclass(frozen=True)
class Reading:
    """What words are read with: a model's name, a domain's, other names of the scene's things."""

    llm: str
    domain: str
    names: dict[str, str]
    assume_first: bool = False


class DroppedError(Refusal):
    """Nobody wants to know any more what the words mean."""


class Interruptible:
    """A model that is not asked further when nobody wants the answer any more."""

    def __init__(self, model: Model, cancelled: Cancelled) -> None:
        self.name, self.sees = model.name, model.sees
        self._model, self._cancelled = model, cancelled

    def complete(self, prompt: Prompt, begun: str, pattern: str) -> Completion:
        """The model's answer. DroppedError when nobody wants it."""
        if self._cancelled():
            raise DroppedError("nobody wants to know any more", "dropped")
        return self._model.complete(prompt, begun, pattern)


class Reader:
    """Reads; the model is loaded when it is made."""

    def __init__(self, reading: Reading, cancelled: Cancelled | None = None) -> None:
        from llm.backends.load import load
        from tamp.model.domain import load as load_domain

        hush_warnings()
        self._reading, self._domain = reading, load_domain(reading.domain)
        self._model = Interruptible(load(reading.llm), cancelled or never)

    def warm(self, scene: Scene, state: WorldState) -> None:
        """Load the weights, and have the model read what it is told of the scene, before anybody says anything."""
        with contextlib.suppress(TampError):
            self.read("wait", scene, state)

    def read(self, text: str, scene: Scene, state: WorldState) -> Heard:
        """The goals of some words, and what was noted on the way. Refusal where there are none."""
        from llm.grounding import ground
        from llm.logged import Logged
        from tamp.planning.engine import Engine

        notes = Notes()
        notes.event("instruction", text=text)
        answer = ground(
            text,
            scene,
            state,
            self._domain,
            Logged(self._model, notes.event),
            names=self._reading.names,
            assume_first=self._reading.assume_first,
            image=None,
            planner=Engine(),
            tell=notes.event,
        )
        notes.event("language", **answer.as_dict())
        return answer.goals, notes.taken()


@dataclass(eq=False)
class InTurnReader:
    """Reads at once; the world waits."""

    reading: Reading
    journal: Journal
    _reader: Reader | None = None

    def __call__(self, text: str, scene: Scene, state: WorldState) -> Thought[tuple[Goal, ...]]:
        """The goals of some words."""
        self._reader = self._reader or Reader(self.reading)
        return Ready(_kept(self._reader.read(text, scene, state), self.journal))

    def close(self) -> None:
        """Nothing is to be ended."""


class ReaderBeside:
    """Reads in a process of its own, which is started, and loads the model, at once."""

    def __init__(self, reading: Reading, journal: Journal) -> None:
        self._journal = journal
        self._process = Process(partial(Reader, reading), "reading")

    def warm(self, scene: Scene, state: WorldState) -> None:
        """Have it get ready for a scene."""
        self._process.ask("warm", scene, state)

    def __call__(self, text: str, scene: Scene, state: WorldState) -> Thought[tuple[Goal, ...]]:
        """The goals of some words, once they are read."""
        return self._process.ask("read", text, scene, state, convert=lambda heard: _kept(heard, self._journal))

    def close(self) -> None:
        """End the process."""
        self._process.close()


def _kept(heard: Heard, journal: Journal) -> tuple[Goal, ...]:
    goals, entries = heard
    for _, kind, data in entries:
        journal.event(kind, **data)
    return goals
