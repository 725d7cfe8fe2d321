"""What a session can have done at a table: goals pursued, single actions of the domain, actions without an end."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from motion.poses import to_quat
from motion.robot import RobotDescription
from motion.world import World
from tamp.agent.control_loop import observed
from tamp.agent.director import DECISION, Director
from tamp.agent.goal_executor import GoalExecutor
from tamp.agent.session import Activity, Doing, Routine, for_ever
from tamp.agent.tabletop import Tabletop
from tamp.errors import InputError, Refusal
from tamp.model.atoms import Atom, GroundAction
from tamp.model.backend import Backend, Command, Observation
from tamp.model.bodies import world_of
from tamp.model.domain import Domain
from tamp.model.events import GoalTaken, Journal, Publish, RobotStands, StateSeen
from tamp.model.goal import Goal, in_pddl
from tamp.model.scene import Perceiver, Scene, joints_of, poses_of
from tamp.model.skill_spec import Spec
from tamp.model.state import WorldState, problem_of
from tamp.pddl.planner import Planner
from tamp.pddl.simulation import Course
from tamp.perception import relations
from tamp.perception.observers import StateEstimator
from tamp.planning.deliberation import Deliberation, InTurn, Thought
from tamp.planning.search import SECONDS, Search
from tamp.skills.base import Skill
from tamp.skills.patterns import patterns
from tamp.skills.registry import bound

STILL: Mapping[str, Spec] = {"hold": Spec("hold"), "watch": Spec("watch", segments=frozenset({"look"}))}
"""What runs without an end and without a motion: to hold still, and to look all the time."""
WATCHED = 0.5
"""Seconds between two looks of who watches."""


@dataclass(frozen=True)
class Going:
    """What is wanted: in words, the goals of it, and what held before it was begun; `last` are the goals that the last
    words alone came to, `busy` as long as it is being worked on."""

    said: str
    goals: tuple[Goal, ...]
    before: frozenset[Atom]
    busy: bool = False
    last: tuple[Goal, ...] = ()


@dataclass(frozen=True)
class Heard:
    """What words come to: all that is wanted from now on (nothing: to stop), the words in full, and what they alone
    ask for."""

    said: str
    goals: tuple[Goal, ...]
    last: tuple[Goal, ...] = ()


Read = Callable[[str, Scene, WorldState, Going | None], Thought[Heard]]
"""Reads words in a scene, said while something is going on."""


def cannot_read(text: str, scene: Scene, state: WorldState, going: Going | None) -> Thought[Heard]:
    """For sessions without a language model."""
    raise InputError("words are not read here, without a language model; valid: start, stop, skip, end")


@dataclass(eq=False)
class TabletopAgent:
    """Performs at a table: see `tamp.agent.session.Performer`. `pursuit` is the last one that was begun."""

    table: Tabletop
    most_steps: int = 400
    reader: Read = cannot_read
    director: Director | None = None
    """Who decides in the planner's place."""
    pursuit: GoalExecutor | None = None
    going: Going | None = None
    heard: Heard | None = None
    """The words of what is pursued next."""
    seen: list[str] = field(default_factory=list)
    """The symbols of what was seen last."""
    _pursued: Activity | None = None

    def feel(self, observation: Observation) -> None:
        """What was observed in this control period."""
        self.table.feel(observation)

    def pursue(self, wanted: tuple[Goal, ...]) -> Activity:
        """An activity that works towards goals. Refusal where the domain cannot say what is to be left alone."""
        scene, state, _ = self.table.look()
        for goal in wanted:
            goal.rules(self.table.domain, state)
            relations.check(goal, scene, self.table.domain)
        if unseeable := self.table.sight.unseeable(tuple(a for g in wanted for a in g.atoms)):
            name = unseeable.predicate
            ways = f"an observer of {name} in observers.py, or believed = true under [predicates.{name}] in skills.toml"
            raise Refusal(f"{unseeable} cannot be seen to hold: nothing observes it; valid: {ways}", "no goal")
        self.table.sight.asked = tuple(a for g in wanted for a in g.mentioned)
        untouched = list(dict.fromkeys(s for g in wanted for s in g.untouched))
        self.table.publish(GoalTaken(in_pddl(wanted), untouched))
        if self.going is not None:  # what was found for another goal is none of this one's
            self.table.mind.next_goal()
        name = ", then ".join(map(str, wanted))
        if self.director is not None:
            activity = Activity(name, self.director.reach(*wanted), frozenset({DECISION}))
        else:
            self.pursuit = GoalExecutor(self.table, self.most_steps)
            taken = frozenset[str]().union(*(s.spec.resources for s in self.table.skills.values()))
            activity = Activity(name, self.pursuit.reach(*wanted), taken, inner=self._doing)
        heard, self.heard = self.heard or Heard("", wanted), None
        self.going = Going(heard.said, wanted, state.atoms, last=heard.last or wanted)
        self._pursued = activity
        return activity

    def start(self, action: str) -> Activity:
        """An activity for an action in PDDL. InputError for what is no action, Refusal where it cannot start now."""
        name, *args = action.strip("()").split()
        _, state, _ = self.table.look()
        self.seen = sorted(state.symbols)
        ground = self._ground(name, tuple(args), state)
        if name in STILL:
            routine = self._watch() if name == "watch" else for_ever()
            return Activity(name, routine, STILL[name].resources, endless=True, stage="acting")
        if name in self.table.patterns:
            taken, self.pursuit = self.table.patterns[name].spec.resources, GoalExecutor(self.table, self.most_steps)
            return Activity(action, self.pursuit.repeat(ground), taken, endless=True, inner=self._doing)
        if unmet := Course.of(problem_of(self.table.domain, state, ())).unmet(ground):
            raise Refusal(f"{ground} cannot start now: it needs {' and '.join(unmet)}", "precondition")
        taken, self.pursuit = self.table.skills[name].spec.resources, GoalExecutor(self.table, self.most_steps)
        goal = None
        if self.director is not None:
            goal, self.pursuit.objected = self.director.goal, self.director.object
        return Activity(str(ground), self.pursuit.do(ground, goal), taken, inner=self._doing)

    def read(self, text: str) -> Thought[tuple[Goal, ...]]:
        """What words ask for, in the scene as it is now."""
        scene, state, _ = self.table.look()
        self.seen = sorted(state.symbols)
        going = self.going
        if going is not None:
            going = replace(going, busy=self._pursued is not None and not self._pursued.over)
        return _Reading(self, self.reader(text, scene, state, going))

    def commanded(self, command: Command | None) -> Command:
        """What to command: to stand still without a command."""
        return self.table.commanded(command)

    def listed(self, activities: list[Activity]) -> str:
        """The state in words: position, actions with their stages and seconds, what is held."""
        _, _, situation = self.table.look()
        x, y, z = self.table.observed.robot.T_world_tool[:3, 3]
        shown = ", ".join(map(str, activities))
        return f"Position: ({x:.2f}, {y:.2f}, {z:.2f})\nActions: [{shown}]\nHolding: {situation.held}"

    def vocabulary(self) -> list[str]:
        """The actions, and the things that are seen."""
        return [*self.table.domain.operators, *self.table.patterns, *STILL, *self.seen]

    def _doing(self) -> Doing | None:
        return self.table.doing

    def _watch(self) -> Routine[str | None]:
        """Look all the time, and tell whenever something else holds."""
        seen: frozenset[Atom] = frozenset()
        while True:
            scene, state, _ = self.table.look()
            if state.atoms != seen:
                self.table.publish(StateSeen(state.atoms, poses_of(scene), joints_of(scene)))
                seen = state.atoms
            for _ in range(round(WATCHED / self.table.period)):
                yield None

    def _ground(self, name: str, args: tuple[str, ...], state: WorldState) -> GroundAction:
        """The action of the domain. InputError with what would be valid."""
        domain, own = self.table.domain, (*(p.spec for p in self.table.patterns.values()), *STILL.values())
        takes = {spec.name: spec.takes for spec in own}
        if name not in domain.operators and name not in takes:
            known = [*domain.operators, *takes]
            near = difflib.get_close_matches(name, known, 1)
            raise InputError(f"no action {name!r}; " + (f"did you mean {near[0]!r}?" if near else _valid(known)))
        unnamed = tuple(("?x", kind) for kind in takes.get(name, ()))
        parameters = domain.operators[name].parameters if name in domain.operators else unnamed
        if len(args) != len(parameters):
            needs = " ".join(f"{p} - {kind}" for p, kind in parameters)
            raise InputError(f"{name} takes {len(parameters)} arguments ({needs}), got {len(args)}")
        for arg, (_, kind) in zip(args, parameters, strict=True):
            fitting = sorted(s for s, k in state.symbols.items() if domain.is_a(k, kind))
            if arg not in fitting:
                raise InputError(f"{arg!r} is no {kind} that is seen; {_valid(fitting)}")
        return GroundAction(name, args)


Think = Callable[[World, dict[str, Skill]], Deliberation]
"""Makes what decides, from the kinematic world that the session looks into and the skills."""


def in_turn(
    domain: Domain,
    planner: Planner,
    rng: np.random.Generator,
    log: Journal | None = None,
    twice: bool = False,
    seconds: float = SECONDS,
) -> Think:
    """Something that decides while the world waits, with so many seconds for one decision; `twice`:
    another engine checks the motions again."""

    def think(world: World, skills: dict[str, Skill]) -> Deliberation:
        return InTurn(Search(world, domain, {**patterns(), **skills}, planner, rng, seconds, log), twice)

    return think


def at_table(
    backend: Backend,
    perceiver: Perceiver,
    robot: RobotDescription,
    domain: Domain,
    think: Think,
    publish: Publish,
    most_steps: int,
    reader: Read = cannot_read,
) -> TabletopAgent:
    """What performs with a robot at a table, as it is seen now. InputError for a domain without skills for it."""
    world, found = world_of(perceiver.perceive(), robot), bound(domain)
    skills, T = dict(found.skills), world.shoulder()
    publish(RobotStands(robot.name, np.array([*T[:3, 3], *to_quat(T[:3, :3])]), robot.period))
    table = Tabletop(
        perceiver=perceiver,
        observed=observed(backend),
        period=backend.period,
        world=world,
        domain=domain,
        skills=skills,
        mind=think(world, skills),
        publish=publish,
        patterns={name: p for name, p in patterns().items() if name not in domain.operators},
        sight=StateEstimator(domain, found.observers, world),
    )
    return TabletopAgent(table, most_steps, reader)


@dataclass(frozen=True)
class _Reading:
    """Words that are being read; what they are in the end is kept, for what is said next."""

    performer: TabletopAgent
    thought: Thought[Heard]

    def done(self) -> bool:
        return self.thought.done()

    def result(self) -> tuple[Goal, ...]:
        heard = self.thought.result()
        self.performer.heard = heard
        return heard.goals

    def cancel(self) -> None:
        self.thought.cancel()


def _valid(names: list[str]) -> str:
    return f"valid: {', '.join(names) or 'none'}"
