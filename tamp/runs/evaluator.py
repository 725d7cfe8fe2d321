"""Evaluate an episode with ground truth. Nothing of it reaches the planner.

Whether the goals hold is judged by an oracle of the formula; where the scene has a task of its own, its check is asked,
too. An agent that perceives by itself has names of its own for things: they are matched by where it saw them.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from motion.robot import RobotDescription
from tamp.errors import Refusal, TampError
from tamp.model.atoms import Atom
from tamp.model.bodies import world_of
from tamp.model.domain import Domain
from tamp.model.events import ActionBegun, ActionEnded, Event, GoalTaken, Journal, MilestoneEnded
from tamp.model.goal import Goal, parse_goal
from tamp.model.scene import Perceiver, RobotState, Scene, joints_of, objects_of, poses_of
from tamp.model.state import WorldState
from tamp.perception.observers import StateEstimator
from tamp.perception.predicates import held_in, observe
from tamp.runs.episode import Result
from tamp.runs.matching import MatchedNames, match
from tamp.runs.task_check import TaskCheck
from tamp.skills.base import Skill
from tamp.skills.registry import bound

SEEMED = "it was seen to be done, and is not"
"""What is wrong where only the agent's own perception says that it is done."""
SHIFT = 0.01
"""Metres from which a bystander counts as moved."""
CHECK_SAYS_NO = "the goal is seen to hold, LIBERO's check of the scene's task says no"


@dataclass(eq=False)
class GoalOracle:
    """Whether goals hold, one after the other, in ground truth. `sight` states that in symbols; its trail is its own,
    what is believed it takes from the agent."""

    goals: tuple[Goal, ...]
    perceiver: Perceiver
    sight: StateEstimator
    held: list[bool] = field(default_factory=list)
    seconds: float = 0.0
    """What looking has taken while the robot was at work."""

    @staticmethod
    def of(goals: tuple[Goal, ...], perceiver: Perceiver, sight: StateEstimator, start: Scene) -> GoalOracle:
        """The oracle of goals, from the start on."""
        own = StateEstimator(sight.domain, sight.observers, sight.world, tuple(a for g in goals for a in g.mentioned))
        oracle = GoalOracle(goals, perceiver, own)
        own.state(start)
        return oracle

    def heard(self, event: Event) -> None:
        """Look when one of several goals was worked on, and for observers that remember when an action has ended."""
        if isinstance(event, ActionEnded) and any(o.keeps for o in self.sight.observers.values()):
            start = time.perf_counter()
            self.sight.state(self.perceiver.perceive())
            self.seconds += time.perf_counter() - start
        if isinstance(event, MilestoneEnded) and event.number < len(self.goals):
            self.held.append(self.holds(self.goals[event.number - 1]))

    def reached(self, believed: Mapping[Atom, float]) -> bool:
        """Whether each of the goals held at its time, the last one now; `believed` has atoms and the seconds since when
        the agent believes them."""
        rules = self.sight.beliefs.rules
        self.sight.beliefs.since |= {a: t for a, t in believed.items() if a.predicate in rules}
        last = self.holds(self.goals[-1])
        return last and all(self.held) and len(self.held) == len(self.goals) - 1

    def holds(self, goal: Goal) -> bool:
        """Whether a goal holds now."""
        return not goal.missing(self.sight.state(self.perceiver.perceive()))


@dataclass(eq=False)
class Evaluator:
    """Judges by `perceiver`, which has ground truth. `names` are the agent's names in those of ground truth, None where
    the agent perceives with the same; `unmatched` says why a goal cannot be judged, where that is so."""

    perceiver: Perceiver
    sight: StateEstimator
    skills: Mapping[str, Skill]
    log: Journal
    names: MatchedNames | None
    check: TaskCheck | None = None
    start: Scene = field(init=False)
    state: WorldState = field(init=False)
    oracle: GoalOracle = field(init=False)
    unmatched: str | None = None
    own: bool = False
    """Whether what is asked for is the task that `check` checks."""
    verdicts: Counter[str] = field(default_factory=Counter)
    """How often the agent was `right` about what became of an action, said it was `done` that was not, or `undone`."""
    operands: tuple[str, ...] = ()
    """What the action that goes on is about, in the names of ground truth."""
    _seen: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.start = self.perceiver.perceive()
        self.state = self.sight.state(self.start)
        self.oracle = GoalOracle((), self.perceiver, self.sight)
        self._seen = {"symbols": self.state.symbols}

    @staticmethod
    def of(truth: Perceiver, robot: RobotDescription, domain: Domain, log: Journal, same: bool) -> Evaluator:
        """One with a kinematic world of its own. `same`: the agent perceives with ground truth, too."""
        found, world = bound(domain), world_of(truth.perceive(), robot)
        return Evaluator(
            truth, StateEstimator(domain, found.observers, world), found.skills, log, None if same else MatchedNames({})
        )

    # What the agent perceives and reports

    def saw(self, record: Mapping[str, Any]) -> None:
        """Take the agent's scene as plain data (`tamp.model.scene`), with its `symbols`."""
        self._seen = record
        if self.names is not None:
            self.names = match(record, self.perceiver.perceive())

    def in_agents_names(self, goals: Iterable[Goal]) -> list[Goal]:
        """Goals in the names that the agent has for things. Refusal for what it does not see."""
        if self.names is None:
            return list(goals)
        back = self.names.backwards()
        return [back.of(g) for g in goals]

    def heard(self, event: Event) -> None:
        """Take an event of the agent's."""
        match event:
            case GoalTaken(goal, untouched):
                self._take(goal if isinstance(goal, list) else [str(goal)], untouched)
            case ActionBegun(action):
                self.operands = self._operands([action])
            case ActionEnded():
                self.operands = ()
                self._judge_action(event)
        self.oracle.heard(event)

    def after_step(self, seconds: float, robot: RobotState) -> None:
        """Look, after a control step at so many seconds of the world's clock."""
        if self.check is not None:
            self.check.after_step(self.operands)
        self.oracle.sight.felt(seconds, robot)

    # What it comes to

    def conclude(self, result: Result, believed: Mapping[str, float]) -> None:
        """Put into the result whether what was asked for holds, once the robot has stood still for a while."""
        scene = self.perceiver.perceive()
        state = self.oracle.sight.state(scene)
        result.reached = self._reached(believed)
        result.shifted = shifted(self.start, self.state, scene, self._operands(result.executed))
        result.verdicts = dict(self.verdicts)
        self.log.event("final", atoms=state.atoms, poses=poses_of(scene), joints=joints_of(scene))
        lasts = result.reached
        if self.check is not None:
            result.libero, result.touched = self.check.success, self.check.touched
            lasts = self.check.holds() if self.own else lasts
        result.task = result.libero if self.own else None
        result.success = result.reached if result.task is None else result.task
        result.lasting = lasts and held_in(state) is None
        if self.oracle.seconds:
            result.seconds["judge"] = round(self.oracle.seconds, 3)
        if result.stage is None and self.unmatched is not None:
            result.stage, result.reason = "judge", self.unmatched
        elif result.stage is None and not result.success:
            result.stage, result.reason = "checker", CHECK_SAYS_NO if self.own else SEEMED

    def _reached(self, believed: Mapping[str, float]) -> bool:
        """Whether each of the goals held at its time, the last one now."""
        if not self.oracle.goals or self.unmatched is not None:
            return False
        named: Callable[[str], str] = str if self.names is None else self.names.symbol
        atoms = {}
        for text, since in believed.items():
            predicate, *args = text.strip("()").split()
            atoms[Atom(predicate, tuple(map(named, args)))] = since
        return self.oracle.reached(atoms)

    def _operands(self, actions: Iterable[str]) -> tuple[str, ...]:
        """What actions were about, in the names of ground truth."""
        if self.names is None:
            return tuple(s for action in actions for s in action.strip("()").split()[1:])
        return tuple(dict.fromkeys(s for a in actions for s in self.names.operands(a)))

    def _take(self, texts: list[str], untouched: list[str]) -> None:
        """Judge from now on whether these goals hold, which are in the agent's names."""
        symbols = self._seen["symbols"]
        try:
            goals = tuple(parse_goal(t, self.sight.domain, symbols, untouched=untouched) for t in texts)
            if self.names is not None:
                goals = tuple(map(self.names.of, goals))
            self.oracle, self.unmatched = GoalOracle.of(goals, self.perceiver, self.sight, self.start), None
        except (TampError, KeyError) as e:
            self.unmatched = f"what it worked towards cannot be judged: {e}"
            self.log.event("unmatched", message=str(e))
            return
        self.own = self.check is not None and self.check.is_about(goals, self.state.atoms)
        if self.names is not None:
            self.log.event("matched", goal=[str(g) for g in goals], own=self.own, names=self.names.true)

    def _judge_action(self, event: ActionEnded) -> None:
        """Count whether what an agent that perceives by itself says of an action is so."""
        if self.names is None:
            return
        name, *arguments = event.action.strip("()").split()
        scene = self.oracle.perceiver.perceive()
        there = {o.name for o in scene} | {r.name for _, r in scene.regions()}
        try:
            args = tuple(map(self.names.said, arguments))
        except Refusal:  # of what only the agent has a name for nothing can be said
            return
        if name not in self.skills or not there.issuperset(args):
            return
        held = held_in(observe(scene, self.sight.world))
        missing = self.skills[name].achieved(args, scene, held)
        verdict = "right" if event.success == (missing is None) else "done" if event.success else "undone"
        self.verdicts[verdict] += 1
        self.log.event("verdict", action=event.action, verdict=verdict, missing=missing)


def shifted(before: Scene, state: WorldState, after: Scene, operands: tuple[str, ...]) -> list[str]:
    """Items that `after` has further than a centimetre from where they were, in the scene `before` and its `state`,
    though no action was about them and none of them stood in or on something movable that one was about."""
    meant = objects_of(before, operands) | {
        a.args[0]
        for a in state.atoms
        if a.predicate in ("on", "in") and a.args[1] in operands and _is_movable(before, a.args[1])
    }
    return [
        o.name
        for o in before
        if o.movable and o.name not in meant and np.linalg.norm(after.object(o.name).position - o.position) > SHIFT
    ]


def _is_movable(scene: Scene, place: str) -> bool:
    """Whether a symbol is an item, or a region on a part with a joint."""
    if any(o.name == place for o in scene):
        return True
    owner, region = scene.region(place)
    return owner.part(region.part).joint is not None
