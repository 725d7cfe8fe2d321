"""Who reads instructions for a policy, and for a session: at once, or in a process while the world goes on."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace
from functools import cached_property, partial

from llm.models.language_model import Model
from llm.models.load import load as load_model
from llm.reader.goal_reader import Stage, ground, seen_stage, understand
from tamp.agent.camera_perceiver import Instruction
from tamp.agent.tabletop_agent import Going, Heard
from tamp.errors import TampError
from tamp.model.domain import Domain
from tamp.model.events import Journal
from tamp.model.goal import Goal
from tamp.model.scene import Scene
from tamp.model.state import WorldState
from tamp.pddl.domain_file import load
from tamp.pddl.planner import Engine
from tamp.planning.assistant import Assistant
from tamp.planning.deliberation import Ready, Thought
from tamp.planning.refinement import never
from tamp.quiet import hush_warnings
from tamp.worker_process import Cancelled


@dataclass(frozen=True, eq=False)
class PolicyReader:
    """Reads for a policy: see `tamp.agent.camera_perceiver.Read`. Asks nothing back; with `assume_first` it takes the
    first of several things that the words fit."""

    model: Model
    assume_first: bool = False

    def __call__(self, instruction: Instruction) -> tuple[Goal, ...]:
        """The goals, one after the other. Refusal where the words come to none."""
        return ground(
            instruction.text,
            instruction.scene,
            instruction.state,
            instruction.domain,
            self.model,
            names=dict(instruction.names),
            assume_first=self.assume_first,
            image=(instruction.picture or None) if self.model.sees else None,
            planner=Engine(),
            tell=instruction.journal.event,
        ).goals


@dataclass(frozen=True)
class SessionWords:
    """What a session's words are read with: a model's name, a domain's, other names of the scene's things."""

    llm: str
    domain: str
    names: dict[str, str]


class SessionReader:
    """Reads what is said in a session; the model is loaded when it is needed first, unless one is given."""

    def __init__(
        self, words: SessionWords, journal: Journal, cancelled: Cancelled = never, model: Model | None = None
    ) -> None:
        self._words, self._journal, self._cancelled, self._given = words, journal, cancelled, model

    @cached_property
    def _domain(self) -> Domain:
        return load(self._words.domain)

    @cached_property
    def _model(self) -> Model:
        hush_warnings()
        return self._given or load_model(self._words.llm)

    def warm(self, scene: Scene, state: WorldState) -> None:
        """Load the weights, and have the model evaluate the scene, before anything is said."""
        with contextlib.suppress(TampError):
            understand("wait", self._stage(scene, state), self._model)

    def read(self, text: str, scene: Scene, state: WorldState, going: Going | None = None) -> Heard:
        """What is wanted from now on after some words. Refusal where nothing is."""
        stage = self._stage(scene, state)
        if going is not None:
            stage = replace(stage, doing=going.goals if going.busy else going.last, before=going.before)
        answer = understand(text, stage, self._model, tell=self._journal.event, cancelled=self._cancelled)
        return Heard(text, answer.goals, answer.goals)

    def _stage(self, scene: Scene, state: WorldState) -> Stage:
        return seen_stage(scene, state, self._domain, self._words.names, Engine())


class InTurnReader(SessionReader):
    """Reads at once; the world waits."""

    def __call__(self, text: str, scene: Scene, state: WorldState, going: Going | None) -> Thought[Heard]:
        """What is wanted after some words."""
        return Ready(self.read(text, scene, state, going))

    def warm(self, scene: Scene, state: WorldState) -> None:
        """Nothing: the world waits for the first words, too."""

    def close(self) -> None:
        """Nothing is to be ended."""


class ParallelReader:
    """Reads in a process, which is started, and loads the model, at once."""

    def __init__(self, words: SessionWords, journal: Journal) -> None:
        self._reader = Assistant(partial(SessionReader, words), "reading", journal)
        self.close = self._reader.close

    def warm(self, scene: Scene, state: WorldState) -> None:
        """Have it get ready for a scene."""
        self._reader.tell("warm", scene, state)

    def __call__(self, text: str, scene: Scene, state: WorldState, going: Going | None) -> Thought[Heard]:
        """What is wanted after some words, once they are read."""
        return self._reader.ask("read", text, scene, state, going)
