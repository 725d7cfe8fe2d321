"""Where the library meets the language models: `llm` is imported once it is asked for something."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tamp.api.configs import DEFAULT_MODEL, LANGUAGE_PLANNER
from tamp.quiet import debugging

if TYPE_CHECKING:
    from llm.models.language_model import Model as Model  # noqa: PLC0414 (for those who may not import it themselves)
    from llm.planner.deciding import Advisor, ParallelDecider
    from llm.reader.arm import ParallelArmReader
    from llm.reader.readers import InTurnReader, ParallelReader
    from llm.vocabulary.phrases import SceneVocabulary
    from tamp.agent.camera_perceiver import Read
    from tamp.api.scenes import LoadedScene, Seen
    from tamp.backends.xarm.workcell import Workcell
    from tamp.model.domain import Domain
    from tamp.model.events import Journal
    from tamp.model.grounding import Grounding
    from tamp.model.scene import Scene
    from tamp.model.state import WorldState
    from tamp.pddl.planner import Planner


def model(name: str | Path | None = None) -> Model:
    """What `--llm` names, by default the model that reads instructions; its weights are loaded at the first question.
    InputError when it is missing."""
    from llm.models.load import load

    return load(DEFAULT_MODEL if name is None else str(name))


def planner(name: str, model: Model | None, timeout: float = 60.0) -> Planner:
    """The planner of that name; `model` is not needed for those that ask none. `timeout` in seconds is for engines."""
    if name != LANGUAGE_PLANNER:
        from tamp.pddl.planner import Engine

        return Engine(name, timeout)
    from llm.planner.skill_planner import SkillPlanner

    assert model is not None
    return SkillPlanner(model)


def reader(model: Model | None, assume_first: bool = False) -> Read:
    """What reads instructions for a policy; nothing, without a model."""
    if model is None:
        from tamp.agent.camera_perceiver import nobody_reads

        return nobody_reads
    from llm.reader.readers import PolicyReader

    return PolicyReader(model, assume_first)


def session_reader(
    llm: str, domain: Domain, names: dict[str, str], journal: Journal, *, waits: bool
) -> InTurnReader | ParallelReader:
    """Who reads words for a session: while the world `waits`, or in a process of its own, which is started at once.
    `names` are other names of the scene's things."""
    from llm.reader.readers import InTurnReader, ParallelReader, SessionWords

    words = SessionWords(llm, str(domain.path), names)
    return InTurnReader(words, journal) if waits else ParallelReader(words, journal)


def session_decider(llm: str, domain: Domain, journal: Journal, *, waits: bool) -> Advisor | ParallelDecider:
    """Who decides in the planner's place, in the same two ways."""
    from llm.planner.deciding import Advisor, ParallelDecider

    if waits:
        return Advisor(model(llm), domain, journal)
    return ParallelDecider(llm, str(domain.path), journal)


def arm_reader(llm: str, cell: Workcell, journal: Journal) -> ParallelArmReader:
    """Who reads words as steps of an arm in its world, in a process of its own, which is started at once."""
    from llm.reader.arm import ParallelArmReader

    return ParallelArmReader(llm, cell, journal)


def arm_plan(text: str, cell: Workcell, model: Model, journal: Journal) -> dict[str, Any]:
    """The action plan that words ask for in an arm's world. Refusal where they come to none."""
    from llm.reader.arm import ArmNames, plan_of, steps_in

    plan = plan_of(text, ArmNames.of(cell), model, journal)
    steps_in(plan, cell)
    return plan


def goals_of(
    text: str,
    scene: Scene,
    state: WorldState,
    domain: Domain,
    model: Model,
    journal: Journal,
    *,
    names: dict[str, str],
    assume_first: bool,
    image: bytes | None = None,
) -> Grounding:
    """What words ask for in an episode, with all that was said on the way in its journal."""
    from llm.reader.goal_reader import ground
    from tamp.pddl.planner import Engine

    with _without_warnings():
        return ground(
            text,
            scene,
            state,
            domain,
            model,
            names=names,
            assume_first=assume_first,
            image=image,
            planner=Engine(),
            tell=journal.event,
        )


def read(
    text: str, seen: Seen, scene: LoadedScene, read_by: Model, assume_first: bool, image: bytes | None = None
) -> Grounding:
    """What words ask for in a scene. Refusal where they come to no goal, or to several."""
    from llm.reader.goal_reader import ground
    from tamp.pddl.planner import Engine

    with _without_warnings():
        return ground(
            text,
            seen.scene,
            seen.state,
            scene.domain,
            read_by,
            names=scene._task.names,
            assume_first=assume_first,
            image=image,
            planner=Engine(),
        )


def read_of_problem(text: str, state: WorldState, domain: Domain, read_by: Model, assume_first: bool) -> Grounding:
    """What words ask for in a world that has names and no geometry. Refusal as `read`."""
    from llm.reader.goal_reader import stage_of, understand
    from llm.vocabulary.phrases import vocabulary_of
    from tamp.pddl.planner import Engine

    stage = stage_of(domain, state, vocabulary_of(state, domain), Engine())
    with _without_warnings():
        return understand(text, stage, read_by, assume_first)


def vocabulary(seen: Seen, scene: LoadedScene) -> SceneVocabulary:
    """The words for what is seen in a scene."""
    from llm.vocabulary.names import own_words
    from llm.vocabulary.phrases import vocabulary as words

    return words(seen.scene, seen.state, scene._task.names, own_words(scene.domain))


@contextmanager
def _without_warnings() -> Iterator[None]:
    """Nothing of what the libraries behind a model warn about; the filters are as before once it is over."""
    with warnings.catch_warnings():
        if not debugging():
            warnings.simplefilter("ignore")
        yield


def nouns(word: str) -> tuple[str, ...]:
    """What a thing whose category has that name can be called."""
    from llm.vocabulary.names import nouns as known

    return known(word)


def instruction(text: str) -> str:
    """Words as they are read. InputError for none, or too many."""
    from llm.reader.constrained_decoding import instruction as plain

    return plain(text)
