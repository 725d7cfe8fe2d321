"""Whoever watches a policy at work: keeps its log, maps what it means to the simulator's things, and has it judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.goals import is_the_tasks
from tamp.backends.libero.judge import Judge
from tamp.backends.libero.oracle import OraclePerceiver
from tamp.backends.libero.perturbation_schedule import PerturbationSchedule
from tamp.errors import TampError
from tamp.model.atoms import Atom
from tamp.model.bodies import world_of
from tamp.model.domain import Domain
from tamp.model.events import ActionBegun, ActionEnded, Event, GoalTaken, event_of
from tamp.model.goal import Goal, parse_goal
from tamp.model.scene import Scene
from tamp.model.state import WorldState
from tamp.perception import relative_places
from tamp.perception.beliefs import Beliefs
from tamp.perception.sight import Sight
from tamp.policy.remote import Entry
from tamp.runs.episode_log import EpisodeLog
from tamp.runs.evaluator import verdict
from tamp.runs.goal_oracle import Asked, asked_of
from tamp.runs.matching import Names, match
from tamp.runs.recorder import Recorder
from tamp.runs.spoken import spoken
from tamp.skills.registry import bound


@dataclass(eq=False)
class Watcher:
    """Hears what a policy notes. `unmatched` says why its goal is none of the simulator's things, where that is so."""

    environment: LiberoEnvironment
    perceiver: OraclePerceiver
    domain: Domain
    log: EpisodeLog
    say: Callable[[str], None]
    recorder: Recorder | None = None
    disturber: PerturbationSchedule | None = None
    names: Names = field(default_factory=lambda: Names({}))
    goals: tuple[Goal, ...] = ()
    """What the policy works towards, in the simulator's names."""
    own: bool = False
    """Whether that is the scene's own task."""
    unmatched: str | None = None
    start: Scene = field(init=False)
    state: WorldState = field(init=False)
    judge: Judge = field(init=False)
    verdicts: Counter[str] = field(default_factory=Counter)
    """How often the policy was `right` about what became of an action, said it was `done` that was not, or `undone`."""
    _seen: Mapping[str, Any] = field(default_factory=lambda: {"symbols": {}})
    _operands: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.start = self.perceiver.perceive()
        found = bound(self.domain)
        world, self._skills = world_of(self.start, self.environment.robot_model()), found.skills
        self._sight = Sight(self.domain, found.observers, world)
        self.state = self._sight.state(self.start)
        self.judge = Judge(self.environment, self.start, Asked((), self.perceiver, self._sight), self.recorder)

    def hear(self, entry: Entry) -> None:
        """Something that the policy noted."""
        what, name, data = entry
        if what == "write":
            self.log.write(name, data)
        elif what == "event":
            if name == "scene":
                self.saw(data)
            if name == "look" and self.recorder is not None:
                self.recorder.saw(data)
            self.log.event(name, **data)
        else:
            self._told(event_of(name, data))

    def saw(self, told: Mapping[str, Any]) -> Names:
        """What the policy says that it sees: the names of it."""
        self._seen, self.names = told, match(told, self.perceiver.perceive())
        return self.names

    def after_step(self) -> None:
        """Look, after a control step."""
        self.judge.after_step(self._operands)

    def reached(self, believed: Mapping[str, float]) -> bool:
        """Whether what the policy worked towards holds, by the simulator's state."""
        beliefs = Beliefs(self.domain, self.domain.table.beliefs)
        for text, since in believed.items():
            predicate, *args = text.strip("()").split()
            beliefs.since[Atom(predicate, tuple(self.names.symbol(a) for a in args))] = since
        return bool(self.judge.asked.goals) and self.judge.asked.reached(beliefs)

    def _told(self, event: Event) -> None:
        self.log.take(event)
        spoken(self.say)(event)
        match event:
            case GoalTaken(goal, untouched):
                self._take(goal if isinstance(goal, list) else [str(goal)], untouched)
            case ActionBegun(action):
                self._operands = self.names.operands(action)
            case ActionEnded(said, action):
                self._operands = ()
                self._check(action, said)
        self.judge.asked.heard(event)
        if self.disturber is not None:
            self.disturber.on_event(event, self._operands)

    def _check(self, action: str, said: bool) -> None:
        """Count whether what the policy says of an action is so."""
        found = verdict(action, said, self.names, self._skills, self.judge.asked)
        if found is not None:
            self.verdicts[found[0]] += 1
            self.log.event("verdict", action=action, verdict=found[0], missing=found[1])

    def _take(self, texts: list[str], untouched: list[str]) -> None:
        """Have it judged from now on whether these goals hold."""
        symbols = dict(self._seen["symbols"])
        symbols |= relative_places.symbols(list(self._seen.get("objects", symbols)))
        try:
            told = [parse_goal(t, self.domain, symbols, untouched=untouched) for t in texts]
            goals = tuple(self.names.of(g) for g in told)
            asked = asked_of(goals, self.perceiver, self._sight, self.start)
        except (TampError, KeyError) as e:
            self.unmatched = f"what it worked towards cannot be judged: {e}"
            self.log.event("unmatched", message=str(e))
            return
        self.goals, self.judge.asked, self.unmatched = goals, asked, None
        self.own = self.environment.task.is_checked and is_the_tasks(goals, self.environment, self.state.atoms)
        self.log.event("matched", goal=[str(g) for g in goals], own=self.own, names=self.names.true)
