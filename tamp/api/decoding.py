"""What a language model makes of an instruction, scored against the task's own goal; nothing moves."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tamp.api import language
from tamp.api.scenes import load_scene, perceive
from tamp.backends.libero.goals import equivalent, goal_regions, in_the_tasks_words, reaching, task_goal
from tamp.backends.libero.oracle import OraclePerceiver
from tamp.errors import Refusal
from tamp.runs.episode_log import EpisodeLog

if TYPE_CHECKING:
    from pathlib import Path

    from tamp.api.language import Model
    from tamp.api.scenes import Seen
    from tamp.backends.libero.scene_description import Task
    from tamp.model.domain import Domain
    from tamp.model.goal import Goal
    from tamp.model.grounding import Grounding
    from tamp.model.scene import Scene


@dataclass(frozen=True, eq=False)
class Looked:
    """A task's scene as perceived, its own goal, and the scene with the regions that this goal names."""

    task: Task
    init_state: int
    view: Seen
    own: Goal
    marked: Scene
    image: bytes | None


def look_at(task: Task, seed: int, init_state: int, sight: bool) -> Looked:
    """Build a task's scene and look at it once; `sight` takes a picture too."""
    with load_scene(task.name, seed=seed, init_state=init_state, pictures=sight) as scene:
        view, environment = perceive(scene), scene._environment
        assert environment is not None  # the task is of a suite
        own = task_goal(environment, view.scene)
        image = environment.picture() if sight else None
        marked = OraclePerceiver(environment, goal_regions(environment)).perceive()
    return Looked(task, init_state, view, own, marked, image)


def decode(instruction: str, at: Looked, model: Model, domain: Domain, folder: Path, refuse: bool) -> dict[str, Any]:
    """Ask, and score the answer. With `refuse` it is right to give no goal."""
    start = time.perf_counter()
    with EpisodeLog(folder) as log:
        if at.image is not None:
            log.write("view.png", at.image)
        try:
            answer = language.goals_of(
                instruction,
                at.view.scene,
                at.view.state,
                domain,
                model,
                log,
                names=at.task.names,
                assume_first=False,
                image=at.image,
            )
            outcome = _no_refusal(answer) if refuse else _score(answer, at, domain)
        except Refusal as e:
            log.event("refused", why=e.kind, message=str(e))
            outcome = {
                "success": refuse,
                "failure_stage": None if refuse else "goal",
                "failure_reason": f"{e.kind}: {e}",
            }
        scored = {"success": outcome["success"], "reaches": outcome.get("reaches"), "reason": outcome["failure_reason"]}
        log.event("scored", refuse=refuse, **scored)
    return {"language_seconds": round(time.perf_counter() - start, 3), **outcome}


def _answered(answer: Grounding) -> dict[str, Any]:
    return {
        "goal": str(answer.goal),
        "reply": answer.reply,
        "confidence": round(answer.confidence, 4),
        "language_seconds": round(answer.seconds, 3),
    }


def _no_refusal(answer: Grounding) -> dict[str, Any]:
    reason = f"not refused, decoded {answer.goal}"
    return _answered(answer) | {"success": False, "failure_stage": "goal", "failure_reason": reason}


def is_equivalent(goal: Goal, at: Looked) -> bool:
    """Whether a goal is logically the task's own, not counting what holds from the start."""
    return equivalent(in_the_tasks_words(goal, at.own, at.marked), at.own, at.view.state.atoms)


def is_the_tasks(goal: Goal, at: Looked, domain: Domain) -> bool:
    """The same, or of the same things, with a plan that leaves the task's own true: "open the drawer and …"."""
    own = {s for a in at.own.mentioned for s in a.args}
    spoken = {s for a in in_the_tasks_words(goal, at.own, at.marked).mentioned for s in a.args}
    return is_equivalent(goal, at) or (spoken <= own and reaching(goal, at.own, at.marked, at.view.state, domain))


def _score(answer: Grounding, at: Looked, domain: Domain) -> dict[str, Any]:
    same = is_equivalent(answer.goal, at)
    return _answered(answer) | {
        "success": same,
        "reaches": same or reaching(answer.goal, at.own, at.marked, at.view.state, domain),
        "failure_stage": None if same else "goal",
        "failure_reason": None if same else f"decoded {answer.goal}, the task's goal is {at.own}",
    }
