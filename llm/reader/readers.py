"""Who reads instructions for a policy, and for a session: at once, or in a process while the world goes on."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial

from llm.models.language_model import Logged, Model, Prompt
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
        scene, sees, tell = instruction.scene, self.model.sees, instruction.journal.event
        known = [o.category.replace("_", " ") for o in scene if o.name not in scene.unknown]
        unknown = names_of(instruction.crops, known, Logged(self.model, tell)) if sees else {}
        return ground(
            instruction.text,
            scene,
            instruction.state,
            instruction.domain,
            self.model,
            names={**unknown, **instruction.names},
            assume_first=self.assume_first,
            image=instruction.picture if sees and instruction.picture else None,
            planner=Engine(),
            tell=tell,
        ).goals


TASK = "You are shown a part of a picture. Name the thing in its middle as people would when they ask for it."
QUESTION = "What is it? One to three words, no article."
NAME = "start: /[a-z]{2,16}( [a-z]{2,16}){0,2}/"
"""The grammar of a name."""


def names_of(crops: Mapping[str, bytes], known: Collection[str], model: Model) -> dict[str, str]:
    """Names of things, each with the symbol it is for, from their pictures (PNG) by symbol. A name whose noun is that
    of a `known` thing's is left out, and one that two of them have: it would not tell which is meant."""
    nouns = {name.split()[-1] for name in known if name.split()}
    named = {symbol: model.complete(Prompt(TASK, (), QUESTION, image=png), NAME).text for symbol, png in crops.items()}
    every = list(named.values())
    return {n: symbol for symbol, n in named.items() if every.count(n) == 1 and n.split()[-1] not in nouns}


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
