"""Where an episode's goals come from: formulas as they are written, or words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tamp.api import language
from tamp.errors import Refusal

if TYPE_CHECKING:
    from tamp.api.language import Model
    from tamp.backends.libero.scene_description import Task
    from tamp.model.domain import Domain
    from tamp.model.goal import Goal
    from tamp.model.scene import Scene
    from tamp.model.state import WorldState
    from tamp.runs.episode import GoalSource
    from tamp.runs.episode_log import EpisodeLog

Say = Callable[[str], None]
"""Is called with what happens, a line of plain words at a time."""
Settle = Callable[[str, "Callable[[str], tuple[Goal, ...]]", "EpisodeLog"], "tuple[Goal, ...]"]
"""Makes goals of words by what reads them, and may ask what is meant. Refusal where that comes to none."""


def silent(line: str) -> None:
    """For those who want to hear nothing."""


def unasked(text: str, read: Callable[[str], tuple[Goal, ...]], log: EpisodeLog) -> tuple[Goal, ...]:
    """What is read; no question is asked."""
    try:
        return read(text)
    except Refusal as refusal:
        log.event("refused", why=refusal.kind, message=str(refusal))
        raise


def chosen(goals: tuple[Goal, ...], log: EpisodeLog) -> tuple[Goal, ...]:
    """The goals that the user chose."""
    from tamp.model.goal import in_pddl

    log.event("chosen", by="user", goal=in_pddl(goals))
    return goals


def from_pddl(texts: Sequence[str], untouched: Sequence[str], domain: Domain) -> GoalSource:
    """A goal source that takes goals as they are written, one after the other. InputError for what is no formula."""
    from tamp.model.goal import check_form, goals_in

    for text in texts:
        check_form(text, domain)

    def source(scene: Scene, state: WorldState, domain: Domain, _: EpisodeLog, image: bytes | None) -> tuple[Goal, ...]:
        return goals_in(state, domain, texts, untouched)

    return source


def from_language(
    text: str, model: Model, task: Task, assume_first: bool, *, settle: Settle = unasked, say: Say = silent
) -> GoalSource:
    """A goal source that decodes `text`, with all that was said in the episode's log."""

    def source(
        scene: Scene, state: WorldState, domain: Domain, log: EpisodeLog, image: bytes | None = None
    ) -> tuple[Goal, ...]:
        say("reading the instruction")
        if image is not None:
            log.write("view.png", image)

        def read(words: str) -> tuple[Goal, ...]:
            answer = language.goals_of(
                words,
                scene,
                state,
                domain,
                model,
                log,
                names=task.names,
                assume_first=assume_first,
                image=image,
            )
            if answer.ambiguous:
                n = 1 + len(answer.alternatives)
                say(f"the instruction fits {n} goals; taking the model's: {answer.goal}")
            if answer.assumed:
                say(f"taking {answer.reply!r}: {answer.assumed}")
            return answer.goals

        return settle(text, read, log)

    return source
