"""Reading words for a session: in this process, or in one of its own while the world goes on."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from functools import partial

from llm import turns
from llm.grounding import AmbiguousError, ground
from llm.interruptible import interruptible
from llm.logged import Logged
from llm.model import Model
from llm.turns import INCOMPLETE, Turn, wanted_after
from tamp.errors import Refusal, TampError
from tamp.execution.performing import Going, Heard
from tamp.execution.process import Cancelled
from tamp.model.domain import load
from tamp.model.goal import Goal
from tamp.model.scene import Scene
from tamp.model.state import WorldState
from tamp.model.wishes import as_before
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
        model = Logged(self._model, notes.event)
        if going is None or not going.said:
            goals = self._goals(text, scene, state, model, notes)
            return Heard(text, goals, goals), notes.taken()
        turn = turns.turn_of(model, going.said, text)
        notes.event("turn", turn=turn, before=going.said)
        if turn == "stop":
            return Heard(text, ()), notes.taken()
        if turn == "undo":
            said, new = text, as_before(going.last, going.before, self._domain)
        else:
            said, new = self._in_context(turn, text, scene, state, model, notes, going)
        return Heard(said, wanted_after(turn, going, new), new), notes.taken()

    def _in_context(
        self, turn: Turn, text: str, scene: Scene, state: WorldState, model: Model, notes: Notes, going: Going
    ) -> tuple[str, tuple[Goal, ...]]:
        """What words alone ask for, and the words in full: as they are, or if that cannot be, or they correct
        something, as the model puts them beside what was said before."""
        if turn != "fix":
            try:
                return text, self._goals(text, scene, state, model, notes)
            except Refusal as refusal:
                if refusal.kind not in INCOMPLETE:
                    raise
        said = turns.in_full(model, going.said, text)
        notes.event("in_full", text=said)
        return said, self._goals(said, scene, state, model, notes, going.last if turn == "fix" else ())

    def _goals(
        self,
        text: str,
        scene: Scene,
        state: WorldState,
        model: Model,
        notes: Notes,
        not_these: tuple[Goal, ...] = (),
    ) -> tuple[Goal, ...]:
        """The goals of some words by themselves; where they fit several, those that were not meant before."""
        try:
            answer = ground(
                text,
                scene,
                state,
                self._domain,
                model,
                names=self._reading.names,
                assume_first=self._reading.assume_first and not not_these,
                image=None,
                planner=Engine(),
                tell=notes.event,
            )
        except AmbiguousError as ambiguous:
            others = [goals for goals in ambiguous.alternatives if goals != not_these]
            if not_these and (len(others) == 1 or self._reading.assume_first):
                return others[0]
            raise
        notes.event("language", **answer.as_dict())
        return answer.goals


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
