"""Decisions whose motions another engine has looked at, from beginning to end, before anything moves."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from motion.robot import RobotDescription
from motion.second_check import Held, Nearest, nearest
from motion.shapes import Body
from tamp.model.atoms import GroundAction
from tamp.model.bodies import bodies_of
from tamp.model.events import Journal
from tamp.model.goal import Goal
from tamp.model.motions import Motion
from tamp.model.scene import Scene, objects_of
from tamp.model.situation import Situation
from tamp.model.state import WorldState
from tamp.pddl.planner import Plan
from tamp.planning.deliberation import Decision, InTurn, Ready
from tamp.planning.refinement import Failure
from tamp.planning.search import NoSolution
from tamp.skills.base import Infeasible, Refinement

F = TypeVar("F")

DEEP = 0.003
"""Metres inside something from which the second look objects: the engines differ by two to a mesh."""
NEAR = 0.02
"""Metres within which it looks."""
TRIES = 3
"""Decisions that it may object to before nothing is done."""


@dataclass(frozen=True)
class Objection:
    """A motion of the `index`th action of a decision that comes too near to something, and how near."""

    index: int
    action: GroundAction
    near: Nearest

    def __str__(self) -> str:
        n = self.near
        deep = -1000 * n.distance
        return f"the second look sees {n.link} {deep:.0f} mm inside {n.other} after {n.time:.1f} s of a motion"

    def failure(self) -> Failure:
        """The same as the reason why a plan has no motions."""
        return Failure(self.index, self.action, Infeasible("collision", (self.near.other,), message=str(self)))


def objection(decision: Decision, scene: Scene, robot: RobotDescription) -> Objection | None:
    """What another engine has against a decision's motions in a scene, if anything.

    An action's hand, and what it holds, may touch what the action is about, and its refinement says it touches; nothing
    of the arm may touch anything.
    """
    bodies = {b.name: b for b in bodies_of(scene)}
    for motion, about in _motions(decision):
        state = motion.state
        assert state is not None
        there = [Body(n, b.shapes, state.poses.get(n, b.T_world_body)) for n, b in bodies.items()]
        held = None
        if state.held is not None and state.T_tool_held is not None:
            body = bodies[state.held]
            held = Held(Body(body.name, body.shapes, body.T_world_body), state.T_tool_held)
        opening = state.opening if held is not None or motion.opening is None else motion.opening
        meant = frozenset[str]().union(*(_meant(decision, i, scene) for i in about))
        path = motion.trajectory
        near = nearest(robot, there, path.q, path.times, opening, held, NEAR, meant).touches(-DEEP)
        if near is not None:
            return Objection(about[0], decision.plan.actions[about[0]], near)
    return None


def _motions(decision: Decision) -> Iterator[tuple[Motion, tuple[int, ...]]]:
    """Each motion that knows what the world is like, with the indices of the one or two actions that it belongs to."""
    timeline = decision.timeline
    action = timeline.ends.get(-1, 0)
    for n, segment in enumerate(timeline.segments):
        passes = isinstance(segment, Motion) and segment.handover is not None
        if isinstance(segment, Motion) and segment.state is not None:
            yield segment, (action, action + 1) if passes else (action,)
        action += passes + timeline.ends.get(n, 0)


def _meant(decision: Decision, index: int, scene: Scene) -> frozenset[str]:
    """Bodies that the hand may touch during an action."""
    step = decision.steps[index]
    owners = objects_of(scene, decision.plan.actions[index].args)
    return step.touched | step.displaced | {p.name for o in scene if o.name in owners for p in o.parts}


@dataclass(eq=False)
class MotionCrossCheck:
    """A `Deliberation` that decides as `mind` does, and otherwise where the second look objects."""

    mind: InTurn
    log: Journal | None = None
    looking: float = 0.0
    """Seconds that the second look has taken."""

    @property
    def first(self) -> Plan | None:
        """The first plan found for the present goal."""
        return self.mind.first

    @property
    def seconds(self) -> dict[str, float]:
        """Seconds of planning, of refinement and of the second look so far."""
        return self.mind.seconds | {"second_look": self.looking}

    def decide(self, goal: Goal, state: WorldState, situation: Situation) -> Ready[Decision | NoSolution]:
        """A plan with motions for all of it that the second look has nothing against, or why there is none."""
        found = self._agreed(lambda: self.mind.decide(goal, state, situation).result(), situation.scene)
        if isinstance(found, Objection):
            return Ready(NoSolution("refinement", f"{found.action}: {found}"))
        return Ready(found)

    def refine(self, plan: Plan, situation: Situation, hints: tuple[Refinement, ...] = ()) -> Ready[Decision | Failure]:
        """Motions for a plan that the second look has nothing against, or why there are none."""
        found = self._agreed(lambda: self.mind.refine(plan, situation, hints).result(), situation.scene)
        return Ready(found.failure() if isinstance(found, Objection) else found)

    def first_of(
        self, action: GroundAction, goal: Goal, state: WorldState, situation: Situation
    ) -> Ready[Decision | Failure]:
        """Motions for one action that the second look has nothing against, or why there are none."""
        found = self._agreed(lambda: self.mind.first_of(action, goal, state, situation).result(), situation.scene)
        return Ready(found.failure() if isinstance(found, Objection) else found)

    def report_failure(self, action: GroundAction, note: dict[str, Any]) -> None:
        """A refinement was executed and failed."""
        self.mind.report_failure(action, note)

    def next_goal(self) -> None:
        """Get ready for the next goal."""
        self.mind.next_goal()

    def _agreed(self, ask: Callable[[], Decision | F], scene: Scene) -> Decision | F | Objection:
        """What is decided without an objection, or the last one after a few."""
        tries = 0
        while True:
            found, tries = ask(), tries + 1
            objected = self._objection(found, scene) if isinstance(found, Decision) else None
            if objected is None:
                return found
            if tries == TRIES:
                return objected

    def _objection(self, decision: Decision, scene: Scene) -> Objection | None:
        """What the second look has against a decision: then its refinement of the action counts as one that failed."""
        start = time.perf_counter()
        found = objection(decision, scene, self.mind.search.world.robot)
        self.looking += time.perf_counter() - start
        if found is not None:
            self.report_failure(found.action, decision.steps[found.index].note)
            if self.log is not None:
                self.log.event("second_look", action=str(found.action), objection=str(found))
        return found
