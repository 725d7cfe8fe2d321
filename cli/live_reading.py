"""Reading words for a session: in this process, or in one of its own while the world goes on."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from functools import partial

from cli.output import hush_warnings
from llm.model import Completion, Model, Prompt
from llm.turns import Turn
from tamp.errors import Refusal, TampError
from tamp.execution.performing import Going, Heard
from tamp.execution.process import Cancelled, Process
from tamp.model.domain import Domain
from tamp.model.goal import Goal
from tamp.model.scene import Scene
from tamp.model.state import WorldState
from tamp.planning.beside import Entries, Notes, pass_on
from tamp.planning.deliberation import Ready, Thought
from tamp.planning.refinement import never
from tamp.planning.search import Journal


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

    def read(self, text: str, scene: Scene, state: WorldState, going: Going | None = None) -> tuple[Heard, Entries]:
        """What is wanted from now on after some words, and what was noted on the way. Refusal where nothing is."""
        from llm.logged import Logged
        from llm.turns import corrected, turn_of

        notes = Notes()
        notes.event("instruction", text=text)
        model = Logged(self._model, notes.event)
        turn: Turn = "new" if going is None or not going.said else turn_of(model, going.said, text)
        notes.event("turn", turn=turn, before=going.said if going else None)
        if going is None or turn == "new":
            return Heard(text, self._goals(text, scene, state, model, notes)), notes.taken()
        if turn == "fix":
            meant = corrected(model, going.said, text)
            return Heard(meant, self._goals(meant, scene, state, model, notes, going.goals)), notes.taken()
        if turn in ("stop", "undo"):
            goals = _undone(going, self._domain) if turn == "undo" else ()
            return Heard(text, goals), notes.taken()
        new, old = self._goals(text, scene, state, model, notes), going.goals if going.busy else ()
        both = (*old, *new) if turn == "then" else (*new, *old)
        said = f"{going.said}, then {text}" if turn == "then" else f"{text}, then {going.said}"
        return Heard(said, both), notes.taken()

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
        from llm.grounding import AmbiguousError, ground
        from tamp.planning.engine import Engine

        try:
            answer = ground(
                text,
                scene,
                state,
                self._domain,
                model,
                names=self._reading.names,
                assume_first=self._reading.assume_first,
                image=None,
                planner=Engine(),
                tell=notes.event,
            )
        except AmbiguousError as ambiguous:
            others = [goals for goals in ambiguous.alternatives if goals != not_these]
            if not_these and len(others) == 1:
                return others[0]
            raise
        notes.event("language", **answer.as_dict())
        return answer.goals


@dataclass(eq=False)
class InTurnReader:
    """Reads at once; the world waits."""

    reading: Reading
    journal: Journal
    _reader: Reader | None = None

    def __call__(self, text: str, scene: Scene, state: WorldState, going: Going | None) -> Thought[Heard]:
        """What is wanted after some words."""
        self._reader = self._reader or Reader(self.reading)
        return Ready(_kept(self._reader.read(text, scene, state, going), self.journal))

    def close(self) -> None:
        """Nothing is to be ended."""


class ReaderBeside:
    """Reads in a process of its own, which is started, and loads the model, at once."""

    def __init__(self, reading: Reading, journal: Journal) -> None:
        self._journal = journal
        self._process = Process(partial(Reader, reading), "reading")

    def warm(self, scene: Scene, state: WorldState) -> None:
        """Have it get ready for a scene."""
        self._process.tell("warm", scene, state)

    def __call__(self, text: str, scene: Scene, state: WorldState, going: Going | None) -> Thought[Heard]:
        """What is wanted after some words, once they are read."""
        return self._process.ask("read", text, scene, state, going, convert=lambda told: _kept(told, self._journal))

    def close(self) -> None:
        """End the process."""
        self._process.close()


def _kept(told: tuple[Heard, Entries], journal: Journal) -> Heard:
    heard, entries = told
    pass_on(entries, journal)
    return heard


def _undone(going: Going, domain: Domain) -> tuple[Goal, ...]:
    """Where the things were that a goal is about, and how what it opens or switches was, before it was begun: as far as
    there are operators that make it so again."""
    about = {a.args[0] for g in going.goals for a in g.mentioned}
    made = {p.name for adds in domain.adds.values() for p in adds}
    return (Goal.of(sorted(a for a in going.before if a.args and a.args[0] in about and a.predicate in made)),)
