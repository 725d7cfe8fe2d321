"""Planning and refinement in a process of its own, while the world goes on."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from motion.robot import RobotDescription
from tamp.model.atoms import GroundAction
from tamp.model.bodies import world_of
from tamp.model.events import Journal
from tamp.model.goal import Goal
from tamp.model.scene import Scene
from tamp.model.situation import Situation
from tamp.model.state import WorldState
from tamp.pddl.domain_file import load
from tamp.pddl.planner import Plan, Planner
from tamp.planning.assistant import Assistant
from tamp.planning.deliberation import InTurn
from tamp.planning.search import Search
from tamp.skills.base import Refinement
from tamp.skills.patterns import patterns
from tamp.skills.registry import bind
from tamp.worker_process import Cancelled, PendingAnswer


@dataclass(frozen=True)
class Recipe:
    """What decides: a domain's name or folder, a planner, the seed, the seconds for a decision, and
    whether another engine checks the motions again."""

    domain: str
    planner: Planner
    seed: int = 0
    seconds: float = 20.0
    twice: bool = False


class _Mind:
    """What runs in the process."""

    def __init__(self, recipe: Recipe, journal: Journal, cancelled: Cancelled) -> None:
        self._recipe, self._journal, self._cancelled = recipe, journal, cancelled
        self._domain = load(recipe.domain)
        self._skills = {**patterns(), **bind(self._domain)}
        self._mind: InTurn | None = None

    def prepare(self, robot: RobotDescription, scene: Scene) -> None:
        """Have a world of a robot and a scene."""
        recipe, world = self._recipe, world_of(scene, robot)
        rng = np.random.default_rng(recipe.seed)
        search = Search(world, self._domain, self._skills, recipe.planner, rng, recipe.seconds, self._journal)
        search.cancelled = self._cancelled
        self._mind = InTurn(search, recipe.twice)

    def think(self, method: str, *args: Any) -> tuple[Any, Plan | None, dict[str, float]]:
        """The result of a method of `InTurn`, the first plan and the seconds so far."""
        assert self._mind is not None, "prepare comes first"
        value = getattr(self._mind, method)(*args)
        found = value.result() if value is not None else None
        return found, self._mind.first, dict(self._mind.seconds)


@dataclass(eq=False)
class PlannerProcess:
    """A `tamp.planning.deliberation.Deliberation` that decides in a process of its own; what it notes goes to
    `journal`."""

    recipe: Recipe
    journal: Journal
    first: Plan | None = None
    seconds: dict[str, float] = field(default_factory=lambda: {"plan": 0.0, "refine": 0.0})
    _process: Assistant = field(init=False)

    def __post_init__(self) -> None:
        self._process = Assistant(partial(_Mind, self.recipe), "planning", self.journal)

    def prepare(self, robot: RobotDescription, scene: Scene) -> PendingAnswer:
        """Have it make a world of a robot and a scene, before the first question."""
        return self._process.ask("prepare", robot, scene)

    def close(self) -> None:
        """End the process."""
        self._process.close()

    def decide(self, goal: Goal, state: WorldState, situation: Situation) -> PendingAnswer:
        """A plan with motions for all of it, or why there is none."""
        return self._think("decide", goal, state, situation)

    def refine(self, plan: Plan, situation: Situation, hints: tuple[Refinement, ...] = ()) -> PendingAnswer:
        """Motions for a plan, or why there are none."""
        return self._think("refine", plan, situation, hints)

    def first_of(self, action: GroundAction, goal: Goal, state: WorldState, situation: Situation) -> PendingAnswer:
        """Motions for one action on the way to a goal, or why there are none."""
        return self._think("first_of", action, goal, state, situation)

    def report_failure(self, action: GroundAction, note: dict[str, Any]) -> None:
        """A refinement was executed and failed."""
        self._process.tell("think", "report_failure", action, note)

    def next_goal(self) -> None:
        """Get ready for the next goal."""
        self.first = None
        self._process.tell("think", "next_goal")

    def _think(self, method: str, *args: Any) -> PendingAnswer:
        return self._process.ask("think", method, *args, convert=self._take)

    def _take(self, answer: tuple[Any, Plan | None, dict[str, float]]) -> Any:
        value, self.first, self.seconds = answer
        return value
