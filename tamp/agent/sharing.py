"""An arm's mind where it shares a table: what it decides is done only once the way there, and the way back to its
posture, is reserved.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np

from motion import paths
from motion.lookahead import Lookahead
from motion.paths import Blocked
from motion.world import World
from tamp.agent.activity import Routine
from tamp.agent.reservations import Reservations, Way, way_of
from tamp.agent.tabletop import Tabletop
from tamp.agent.trajectory_tracker import Execution
from tamp.model.atoms import GroundAction
from tamp.model.bodies import bodies_of
from tamp.model.goal import Goal
from tamp.model.motions import Move, Timeline, timed
from tamp.model.scene import Perceiver, Scene, with_object_at
from tamp.model.situation import Situation
from tamp.model.state import WorldState
from tamp.planning.deliberation import Decision, Deliberation, Ready, Thought
from tamp.planning.engine import Plan
from tamp.planning.refinement import Failure
from tamp.planning.search import NoSolution
from tamp.skills.base import Refinement

T = TypeVar("T")

CLEARANCE = 0.008
"""Metres kept from everything on the way back to the posture."""
MOST_WAITING = 3.0
"""Seconds for which an arm in the middle of things waits for a way that the other one has: after that it goes on, and
only the guard keeps them apart."""


@dataclass(frozen=True, eq=False)
class Journey:
    """A decision, the way back to the posture after it, and all that both sweep."""

    decision: Decision
    home: Timeline | None
    way: Way


@dataclass(eq=False)
class Sharing:
    """Decides as another mind does; what it decides, and what it decides again in the middle of things, waits until the
    way is free. `prepared` is what is decided already, for which the way has been reserved; `home` the way back that is
    reserved."""

    inner: Deliberation
    world: World
    reservations: Reservations
    number: int
    rng: np.random.Generator
    time: Callable[[], float]
    prepared: Decision | None = None
    home: Timeline | None = None

    @property
    def first(self) -> Plan | None:
        """The first plan found for the present goal."""
        return self.inner.first

    @property
    def seconds(self) -> dict[str, float]:
        """Seconds of planning and of refinement so far."""
        return self.inner.seconds

    def journey(self, decision: Decision, scene: Scene) -> Journey:
        """What a decision takes of the room over the table."""
        self.world.sync(bodies_of(scene))
        way = way_of(decision.timeline, self.world, self.reservations.clearance, self.number)
        home = way_home(self.world, decision.steps[-1].after, self.rng)
        if home is not None:
            way = way.then(way_of(home, self.world, self.reservations.clearance, self.number))
        return Journey(decision, home, way)

    def take(self, journey: Journey) -> None:
        """Have a journey, whose way is free or is taken all the same."""
        self.reservations.take(self.number, journey.way)
        self.home = journey.home

    def decide(self, goal: Goal, state: WorldState, situation: Situation) -> Thought[Decision | NoSolution]:
        """A plan with motions for all of it, or why there is none."""
        if (prepared := self.prepared) is not None:
            self.prepared = None
            return Ready(prepared)
        return _Waiting(self, self.inner.decide(goal, state, situation), situation.scene)

    def refine(
        self, plan: Plan, situation: Situation, hints: tuple[Refinement, ...] = ()
    ) -> Thought[Decision | Failure]:
        """Motions for a plan, or why there are none."""
        return _Waiting(self, self.inner.refine(plan, situation, hints), situation.scene)

    def first_of(
        self, action: GroundAction, goal: Goal, state: WorldState, situation: Situation
    ) -> Thought[Decision | Failure]:
        """Motions for one action on the way to a goal, or why there are none."""
        return _Waiting(self, self.inner.first_of(action, goal, state, situation), situation.scene)

    def disappointed(self, action: GroundAction, note: dict[str, Any]) -> None:
        """A refinement was executed and failed: others are preferred from now on."""
        self.inner.disappointed(action, note)

    def next_goal(self) -> None:
        """Get ready for the next one of a sequence of goals."""
        self.inner.next_goal()


@dataclass(eq=False)
class _Waiting(Generic[T]):
    """A thought that is done once its way is free, and reserved."""

    mind: Sharing
    thought: Thought[T]
    scene: Scene
    _journey: Journey | None = None
    _since: float = 0.0
    _looked: int = -1
    _granted: bool = False

    def done(self) -> bool:
        """Whether the arm may go."""
        if self._granted or not self.thought.done():
            return self._granted
        mind = self.mind
        if self._journey is None:
            found = self.thought.result()
            if not isinstance(found, Decision):
                self._granted = True
                return True
            self._journey, self._since = mind.journey(found, self.scene), mind.time()
        changed = mind.reservations.changes[1 - mind.number]
        free = changed != self._looked and mind.reservations.free(mind.number, self._journey.way)
        self._looked = changed
        if free or mind.time() - self._since > MOST_WAITING:
            mind.take(self._journey)
            self._granted = True
        return self._granted

    def result(self) -> T:
        """What it came to."""
        return self.thought.result()

    def cancel(self) -> None:
        """Nobody wants to know any more."""
        self.thought.cancel()


@dataclass(eq=False)
class Beholder:
    """Eyes of an arm to which what the other one is moving stays where it was when that began: it has to keep clear of
    the way, not of a thing that flies."""

    inner: Perceiver
    stays: dict[str, Any] = field(default_factory=dict)
    """Pose (4, 4) by thing."""

    def perceive(self) -> Scene:
        """The scene now."""
        scene = self.inner.perceive()
        for name, T_world_object in self.stays.items():
            scene = with_object_at(scene, name, T_world_object)
        return scene

    def felt(self, observation: Any) -> None:
        """What was observed in this control period."""
        self.inner.felt(observation)


def way_home(world: World, situation: Situation, rng: np.random.Generator) -> Timeline | None:
    """A free way from where an arm is to its posture; None where there is none."""
    state = situation.state()
    world.load(state)
    q, T_home = situation.scene.robot.q, world.forward(world.robot.posture)
    check = paths.leaving(q, paths.checker(world, CLEARANCE))
    path = paths.transit(world, q, T_home, check, rng)
    return None if isinstance(path, Blocked) else timed([(Move(path, state, precise=False),)], world)


def going(table: Tabletop, timeline: Timeline) -> Routine[str | None]:
    """Go along a timeline, the fingers as they are. Returns why the arm did not get there."""
    world, opening = table.world, table.observed.robot.opening
    execution = Execution(timeline, opening, table.period, world.robot.gains, Lookahead(world, table.period))
    while (command := execution.step(table.observed.robot)) is not None:
        yield command
    return execution.why or None
