"""Plans: for a goal in a scene, and for PDDL files."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tamp.api import arguments, language
from tamp.api.configs import LANGUAGE_PLANNER
from tamp.api.goal_requests import one_goal
from tamp.api.options import keywords
from tamp.api.scenes import seen_in
from tamp.api.tool_configs import PlanConfig
from tamp.files.replacing import replace_file
from tamp.pddl.engines import usual

if TYPE_CHECKING:
    from motion.world import World
    from tamp.api.scenes import LoadedScene
    from tamp.model.atoms import Atom, GroundAction
    from tamp.model.events import Journal
    from tamp.model.goal import Goal
    from tamp.model.grounding import Grounding
    from tamp.pddl.planner import PlanResult, PlanStatus
    from tamp.planning.deliberation import InTurn
    from tamp.planning.search import Search

SEARCH = 0.5
"""Of the seconds of a time limit, what the search has at least, however long reading took."""


@dataclass(frozen=True)
class Planned:
    """What a planner said to a goal in a scene. It is true where there is a plan.

    `status` tells found, unsolvable, time-out and what an engine does not support apart; `message` says more of what
    is no plan, and why there is none. `problem` is what was asked, in PDDL; `seconds` is how long it took.
    """

    goal: Goal
    status: PlanStatus
    actions: tuple[GroundAction, ...]
    message: str
    seconds: float
    problem: str = field(repr=False)

    def __bool__(self) -> bool:
        return self.status.value == "found"

    def __str__(self) -> str:
        """The plan, an action a line."""
        return "\n".join(map(str, self.actions))


def plan(
    scene: LoadedScene,
    goal: Grounding | Goal | str,
    *,
    planner: str | None = None,
    timeout: float = 60.0,
    facts: Iterable[Atom] = (),
    llm: str | None = None,
) -> Planned:
    """Plan for a goal from how things are in a scene now, in symbols alone: `refine` looks for motions.

    Args:
        scene: Where.
        goal: What `ground` made of words, or a goal in PDDL: `"(in can box_contain_region)"`. One goal, not several.
        planner: An engine of unified-planning, by default Fast Downward; or `qwen`: the language model plans.
        timeout: Seconds.
        facts: What holds beside what is seen, such as what `refine` found out.
        llm: The language model where it plans; by default the one that reads instructions.

    Returns:
        The plan, or why there is none.

    Raises:
        InputError: For a goal or a planner that there is not.
        Refusal: Where the domain cannot say that something is to be left alone.

    >>> import tamp
    >>> with tamp.load_scene("docs/examples/kitchenette") as scene:
    ...     print(tamp.plan(scene, "(in can box_contain_region)"))
    (pick can table)
    (place-in can box_contain_region)
    """
    from tamp.model.state import problem_text
    from tamp.model.state import wanted as wanted_facts
    from tamp.pddl.planner import PlanStatus

    wanted, mind = one_goal(scene, goal), mind_of(scene, planner, timeout, llm)
    state = seen_in(scene, wanted.mentioned).state
    state = state.with_facts(wanted.rules(scene.domain, state) | frozenset(facts))
    answers = [mind.ask(g, state) for g in wanted.alternatives()]
    found = sorted((a for a in answers if a.plan is not None), key=lambda a: len(a.plan.actions) if a.plan else 0)
    answer = (found or answers)[0]
    actions = () if answer.plan is None else answer.plan.actions
    text = problem_text(scene.domain, state.with_facts(wanted_facts(scene.domain, wanted.parts)), str(wanted))
    message = mind.why(wanted, state) if answer.status is PlanStatus.UNSOLVABLE else answer.message
    return Planned(wanted, answer.status, actions, message, sum(a.seconds for a in answers), text)


def mind_of(
    scene: LoadedScene,
    planner: str | None = None,
    timeout: float = 60.0,
    llm: str | None = None,
    seed: int = 0,
    world: World | None = None,
    log: Journal | None = None,
) -> Search:
    """What plans and looks for motions in a scene as it is now, or in a `world` that is a copy of it already; `seed`
    draws grasps and paths."""
    import numpy as np

    from tamp.model.bodies import world_of
    from tamp.planning.search import Search
    from tamp.skills.patterns import patterns
    from tamp.skills.registry import bind

    planner = planner or usual()
    arguments.check_planner(planner)
    who = language.planner(planner, language.model(llm) if planner == LANGUAGE_PLANNER else None, timeout)
    world = world or world_of(scene.perceiver.perceive(), scene.robot)
    skills = {**patterns(), **bind(scene.domain)}
    return Search(world, scene.domain, skills, who, np.random.default_rng(seed), log=log)


def deliberation(mind: Search, scene: LoadedScene) -> InTurn:
    """What decides in a scene, while the world waits. Before an arm moves, another engine has checked the motions."""
    from tamp.planning.deliberation import InTurn

    return InTurn(mind, twice=scene.simulator == "xarm")


@keywords(PlanConfig)
def plan_problem(config: PlanConfig) -> PlanResult:
    """Plan a problem that is given in PDDL.

    Returns:
        `status`, `plan` (with `actions`, `steps` and `cost`), `message`, and `why` where it is
        unsolvable: what can never hold, and what would help.

    Raises:
        InputError: For files that cannot be read, and for an engine that is not there.

    >>> import tamp
    >>> answer = tamp.plan_problem("tabletop", "problems/cases/drawer_first/problem.pddl")
    >>> answer.status.value, answer.plan.steps
    ('found', ['(open-drawer chest)', '(pick cup bench)', '(place-in cup chest)'])
    """
    return planned(config)


def planned(config: PlanConfig, spent: float = 0.0) -> PlanResult:
    """The same; `spent` seconds of the time limit are gone."""
    from tamp.pddl.ask import Question, ask, ask_planner
    from tamp.pddl.reading import read_problem

    start, timeout = time.monotonic(), config.timeout
    _, _, parsed = read_problem(config.domain, Path(config.problem))
    if config.planner != LANGUAGE_PLANNER:
        arguments.check_planner(config.planner)
    left = max(timeout - (time.monotonic() - start + spent), timeout * SEARCH)
    question = Question(config.planner, timeout, left)
    if config.planner == LANGUAGE_PLANNER:
        answer = ask_planner(parsed, language.planner(config.planner, language.model(config.llm)), question)
    else:
        answer = _explained(ask(parsed, question), parsed, left)
    if config.out is not None and answer.plan is not None:
        replace_file(Path(config.out), str(answer.plan))
    return answer


def _explained(answer: PlanResult, parsed: Any, left: float) -> PlanResult:
    """The answer with what is found out in the seconds left about a problem that has no plan."""
    from tamp.pddl.planner import PlanStatus
    from tamp.pddl.unsolvable import explain

    if answer.status is not PlanStatus.UNSOLVABLE:
        return answer
    return replace(answer, why=explain(parsed, answer.engine, max(0.0, left - answer.seconds)))
