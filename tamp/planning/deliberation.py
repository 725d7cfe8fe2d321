"""How the agent gets a decision of `tamp.planning.search`, with motions and times: now, or while the world goes on.

`InTurn` decides in the caller's process, so that the world waits; a `PlannerProcess` in its own.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from tamp.model.atoms import GroundAction
from tamp.model.bodies import bodies_of
from tamp.model.goal import Goal
from tamp.model.motions import Timeline, timed
from tamp.model.situation import Situation
from tamp.model.state import WorldState
from tamp.pddl.planner import Plan
from tamp.planning.refinement import Failure, Refined
from tamp.planning.search import NoSolution, Search
from tamp.skills.base import Refinement

ELSEWHERE = 0.05
"""Radians from where motions begin beyond which a joint is elsewhere."""

T_co = TypeVar("T_co", covariant=True)
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Decision:
    """What to do: a plan, a refinement of each of its actions, and all of it as one timeline; `goal` is the alternative
    that it reaches, of a goal with several; None when it is the rest of an earlier decision."""

    plan: Plan
    steps: tuple[Refinement, ...]
    timeline: Timeline
    goal: Goal | None = None


class Thought(Protocol[T_co]):
    """Something that is being thought about."""

    def done(self) -> bool:
        """Whether there is a result."""
        ...

    def result(self) -> T_co:
        """What it came to, once it is done; raises what went wrong."""
        ...

    def cancel(self) -> None:
        """Nobody wants to know any more."""
        ...


class Deliberation(Protocol):
    """Decides."""

    @property
    def first(self) -> Plan | None:
        """The first plan found for the present goal."""
        ...

    @property
    def seconds(self) -> dict[str, float]:
        """Seconds of planning and of refinement so far."""
        ...

    def decide(self, goal: Goal, state: WorldState, situation: Situation) -> Thought[Decision | NoSolution]:
        """A plan with motions for all of it, or why there is none."""
        ...

    def refine(
        self, plan: Plan, situation: Situation, hints: tuple[Refinement, ...] = ()
    ) -> Thought[Decision | Failure]:
        """Motions for a plan, or why there are none."""
        ...

    def first_of(
        self, action: GroundAction, goal: Goal, state: WorldState, situation: Situation
    ) -> Thought[Decision | Failure]:
        """Motions for one action on the way to a goal, or why there are none."""
        ...

    def report_failure(self, action: GroundAction, note: dict[str, Any]) -> None:
        """A refinement was executed and failed: others are preferred from now on."""
        ...

    def next_goal(self) -> None:
        """Get ready for the next one of a sequence of goals."""
        ...


@dataclass(frozen=True)
class Ready(Generic[T]):
    """A thought that is finished already."""

    value: T

    def done(self) -> bool:
        """It is."""
        return True

    def result(self) -> T:
        """What it came to."""
        return self.value

    def cancel(self) -> None:
        """Too late."""


@dataclass(eq=False)
class InTurn:
    """Thinks at once, in this thread, with the world that the session itself looks into."""

    search: Search

    @property
    def first(self) -> Plan | None:
        """The first plan found for the present goal."""
        return self.search.first

    @property
    def seconds(self) -> dict[str, float]:
        """Seconds of planning and of refinement so far."""
        return self.search.seconds

    def decide(self, goal: Goal, state: WorldState, situation: Situation) -> Ready[Decision | NoSolution]:
        """A plan with motions for all of it, or why there is none. Refusal where the domain cannot say what is to be
        left alone."""
        self.search.world.sync(bodies_of(situation.scene))
        found = self.search.decide(goal, state, situation)
        return Ready(found if isinstance(found, NoSolution) else self._timed(found.plan, found.refined, found.goal))

    def refine(self, plan: Plan, situation: Situation, hints: tuple[Refinement, ...] = ()) -> Ready[Decision | Failure]:
        """Motions for a plan, or why there are none."""
        self.search.world.sync(bodies_of(situation.scene))
        found = self.search.refine(plan, situation, self.search.budget, hints)
        return Ready(found if isinstance(found, Failure) else self._timed(plan, found))

    def first_of(
        self, action: GroundAction, goal: Goal, state: WorldState, situation: Situation
    ) -> Ready[Decision | Failure]:
        """Motions for one action on the way to a goal, or why there are none."""
        self.search.world.sync(bodies_of(situation.scene))
        found = self.search.first_of(action, goal, state, situation)
        return Ready(found if isinstance(found, Failure) else self._timed(Plan((action,)), found))

    def report_failure(self, action: GroundAction, note: dict[str, Any]) -> None:
        """A refinement was executed and failed."""
        self.search.failed.setdefault(action, []).append(note)

    def next_goal(self) -> None:
        """Get ready for the next goal."""
        self.search.next_goal()

    def _timed(self, plan: Plan, refined: Refined, goal: Goal | None = None) -> Decision:
        start = time.perf_counter()
        timeline = timed([s.segments for s in refined.steps], self.search.world)
        self.search.seconds["refine"] += time.perf_counter() - start
        return Decision(plan, refined.steps, timeline, goal)


@dataclass(eq=False)
class PrecomputedDecision:
    """A `Deliberation` that was begun before: it decides as was `decided` for a goal from how things were at the
    `begin`, as long as they are so, and else as `mind` does."""

    mind: Deliberation
    goal: Goal
    decided: Decision | None
    begin: Situation
    _first: Plan | None = None

    @property
    def first(self) -> Plan | None:
        """The first plan found for the present goal."""
        return self._first or self.mind.first

    @property
    def seconds(self) -> dict[str, float]:
        """Seconds of planning and of refinement so far, without those of before."""
        return self.mind.seconds

    def decide(self, goal: Goal, state: WorldState, situation: Situation) -> Thought[Decision | NoSolution]:
        """What was decided before, once and where it still fits; else what is decided now."""
        known, self.decided = self.decided, None
        if known is None or goal != self.goal or not self._as_begun(situation):
            return self.mind.decide(goal, state, situation)
        self._first = known.plan
        return Ready(known)

    def refine(
        self, plan: Plan, situation: Situation, hints: tuple[Refinement, ...] = ()
    ) -> Thought[Decision | Failure]:
        """Motions for a plan, or why there are none."""
        return self.mind.refine(plan, situation, hints)

    def first_of(
        self, action: GroundAction, goal: Goal, state: WorldState, situation: Situation
    ) -> Thought[Decision | Failure]:
        """Motions for one action on the way to a goal, or why there are none."""
        return self.mind.first_of(action, goal, state, situation)

    def report_failure(self, action: GroundAction, note: dict[str, Any]) -> None:
        """A refinement was executed and failed."""
        self.mind.report_failure(action, note)

    def next_goal(self) -> None:
        """Get ready for the next goal."""
        self._first = None
        self.mind.next_goal()

    def _as_begun(self, situation: Situation) -> bool:
        """Whether things, and the arm, are where they were at the beginning."""
        q, before = situation.scene.robot.q, self.begin.scene.robot.q
        return self.begin.difference(situation) is None and float(np.max(np.abs(q - before))) < ELSEWHERE
