"""How the agent gets a decision of `tamp.planning.search`, with motions and times: now, or while the world goes on.

`InTurn` decides in the caller's process, so that the world waits; a `PlannerProcess` in its own. Before a real arm
moves, PyBullet checks the motions of a decision again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from motion.robot import RobotDescription
from motion.shapes import Body
from tamp.model.atoms import GroundAction
from tamp.model.bodies import bodies_of
from tamp.model.goal import Goal
from tamp.model.motions import Motion, Timeline, timed
from tamp.model.scene import Scene, objects_of
from tamp.model.situation import Situation
from tamp.model.state import WorldState
from tamp.pddl.planner import Plan
from tamp.planning.refinement import Failure, Refined
from tamp.planning.refusal import NoSolution
from tamp.planning.search import Search
from tamp.skills.base import Infeasible, Refinement

ELSEWHERE = 0.05
"""Radians from where motions begin beyond which a joint is elsewhere."""

DEEP = 0.003
"""Metres inside something from which the second check objects: the engines differ by two to a mesh."""
NEAR = 0.02
"""Metres within which it looks."""
TRIES = 3
"""Decisions that it may object to before nothing is done."""

T_co = TypeVar("T_co", covariant=True)
T = TypeVar("T")
F = TypeVar("F", NoSolution, Failure)


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
        """The result is not needed any more."""
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


@dataclass(frozen=True, eq=False)
class Known:
    """What was decided for a goal beforehand, from a situation."""

    goal: Goal
    decision: Decision
    begin: Situation

    def fits(self, goal: Goal, now: Situation) -> bool:
        """Whether it is for this goal, and things and the arm are where they were."""
        q, before = now.scene.robot.q, self.begin.scene.robot.q
        moved = float(np.max(np.abs(q - before))) >= ELSEWHERE or self.begin.difference(now) is not None
        return goal == self.goal and not moved


@dataclass(eq=False)
class InTurn:
    """Thinks at once, in this thread, with the world that the session itself looks into.

    `twice`: PyBullet checks the motions of a decision again. What is `known` is taken for the first decision, if it
    still fits.
    """

    search: Search
    twice: bool = False
    known: Known | None = None
    _first: Plan | None = None

    @property
    def first(self) -> Plan | None:
        """The first plan found for the present goal."""
        return self._first or self.search.first

    @property
    def seconds(self) -> dict[str, float]:
        """Seconds of planning, of refinement and of the second check so far."""
        return self.search.seconds

    def decide(self, goal: Goal, state: WorldState, situation: Situation) -> Ready[Decision | NoSolution]:
        """A plan with motions for all of it, or why there is none. Refusal where the domain cannot say what is to be
        left alone."""
        known, self.known = self.known, None
        if known is not None and known.fits(goal, situation):
            self._first = known.decision.plan
            return Ready(known.decision)

        def decided(seconds: float) -> Decision | NoSolution:
            found = self.search.decide(goal, state, situation, seconds)
            return found if isinstance(found, NoSolution) else self._timed(found.plan, found.refined, found.goal)

        found = self._agreed(decided, situation.scene)
        if isinstance(found, Failure):
            return Ready(NoSolution("refinement", f"{found.action}: {found.cause.message}"))
        return Ready(found)

    def refine(self, plan: Plan, situation: Situation, hints: tuple[Refinement, ...] = ()) -> Ready[Decision | Failure]:
        """Motions for a plan, or why there are none."""

        def refined(seconds: float) -> Decision | Failure:
            found = self.search.refine(plan, situation, seconds, hints)
            return found if isinstance(found, Failure) else self._timed(plan, found)

        return Ready(self._agreed(refined, situation.scene))

    def first_of(
        self, action: GroundAction, goal: Goal, state: WorldState, situation: Situation
    ) -> Ready[Decision | Failure]:
        """Motions for one action on the way to a goal, or why there are none."""

        def refined(seconds: float) -> Decision | Failure:
            found = self.search.first_of(action, goal, state, situation, seconds)
            return found if isinstance(found, Failure) else self._timed(Plan((action,)), found)

        return Ready(self._agreed(refined, situation.scene))

    def report_failure(self, action: GroundAction, note: dict[str, Any]) -> None:
        """A refinement was executed and failed."""
        self.search.failed.setdefault(action, []).append(note)

    def next_goal(self) -> None:
        """Get ready for the next goal."""
        self._first = None
        self.search.next_goal()

    def _timed(self, plan: Plan, refined: Refined, goal: Goal | None = None) -> Decision:
        start = time.perf_counter()
        timeline = timed([s.segments for s in refined.steps], self.search.world)
        self.seconds["refine"] += time.perf_counter() - start
        return Decision(plan, refined.steps, timeline, goal)

    def _agreed(self, decide: Callable[[float], Decision | F], scene: Scene) -> Decision | F | Failure:
        """What is decided in the seconds left of one decision's, without an objection of the second check, or the last
        objection."""
        objected, began, left = None, time.perf_counter(), self.search.budget
        for _ in range(TRIES):
            self.search.world.sync(bodies_of(scene))
            found = decide(left)
            if not self.twice or not isinstance(found, Decision):
                return found
            start = time.perf_counter()
            objected = objection(found, scene, self.search.world.robot)
            self.seconds["second_look"] = self.seconds.get("second_look", 0.0) + time.perf_counter() - start
            if objected is None:
                return found
            self.report_failure(objected.action, found.steps[objected.index].note)
            if self.search.log is not None:
                self.search.log.event("second_look", action=str(objected.action), objection=objected.cause.message)
            if (left := self.search.budget - (time.perf_counter() - began)) <= 0:
                break
        assert objected is not None
        return objected


def objection(decision: Decision, scene: Scene, robot: RobotDescription) -> Failure | None:
    """What another engine has against a decision's motions in a scene, if anything.

    An action's hand, and what it holds, may touch what the action is about, and its refinement says it touches; nothing
    of the arm may touch anything.
    """
    from motion.second_check import Held, nearest  # which loads PyBullet

    bodies = {b.name: b for b in bodies_of(scene)}
    for motion, about in _motions(decision.timeline):
        state = motion.state
        assert state is not None
        there = [Body(n, b.shapes, state.poses.get(n, b.T_world_body)) for n, b in bodies.items()]
        held = None
        if state.held is not None and state.T_tool_held is not None:
            body = bodies[state.held]
            held = Held(Body(body.name, body.shapes, body.T_world_body), state.T_tool_held)
        opening = state.opening if held is not None or motion.opening is None else motion.opening
        meant = frozenset[str]()
        for index in about:  # what the hand may touch
            step, owners = decision.steps[index], objects_of(scene, decision.plan.actions[index].args)
            meant |= step.touched | step.displaced | {p.name for o in scene if o.name in owners for p in o.parts}
        path = motion.trajectory
        near = nearest(robot, there, path.q, path.times, opening, held, NEAR, meant).touches(-DEEP)
        if near is not None:
            deep = f"{-1000 * near.distance:.0f} mm inside {near.other} after {near.time:.1f} s of a motion"
            cause = Infeasible("collision", (near.other,), message=f"the second look sees {near.link} {deep}")
            return Failure(about[0], decision.plan.actions[about[0]], cause)
    return None


def _motions(timeline: Timeline) -> Iterator[tuple[Motion, tuple[int, ...]]]:
    """Each motion that knows what the world is like, with the indices of the one or two actions that it belongs to."""
    action = timeline.ends.get(-1, 0)
    for n, segment in enumerate(timeline.segments):
        passes = isinstance(segment, Motion) and segment.handover is not None
        if isinstance(segment, Motion) and segment.state is not None:
            yield segment, (action, action + 1) if passes else (action,)
        action += passes + timeline.ends.get(n, 0)
