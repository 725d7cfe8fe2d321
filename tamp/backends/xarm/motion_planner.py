"""Ways of an arm in its workcell: motions that the controller makes in one piece, checked before anything is sent.

Lines of the tool point and moves of all joints at once, one after the other; free of the keep-out boxes, the table and
the arm itself, with the tool point in the workspace and the joints within limits all the way.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Literal

import numpy as np

from motion import kinematics, paths
from motion.arm_model import Tool, arm_world
from motion.paths import OUTSIDE, Blocked, Check, Workspace, checker, kept_within, leaving, lifted
from motion.poses import Array, error, pose, turned_to
from motion.second_check import ClearanceReport, nearest
from motion.shapes import Body, Shape
from tamp.backends.xarm.arm_backend import Leg
from tamp.backends.xarm.arm_steps import OfObject, Sleep, Step, word
from tamp.backends.xarm.arm_stop import ArmFault, ArmResult, ArmStop
from tamp.backends.xarm.hand import HandEvent
from tamp.backends.xarm.step_targets import How, StepTarget, StepTargets
from tamp.backends.xarm.workcell import Box, Rates, Workcell
from tamp.pddl.planner import Tell

CLEARANCE = 0.01
"""Metres that every part of the arm keeps from boxes and the table."""
EDGE = 1e-6
"""Metres within which a pose on the workspace's edge is inside."""
TOOL_RADIUS, TOOL_TIP, TOOL_LEAST = 0.02, 0.03, 0.002
"""Metres of the rod that stands for the tool, of its tip that may touch what it works on, and of what is left at least:
a rod without length is none, and a flange without a tool has to be something."""
RISES = (0.05, 0.15, 0.3)
"""Metres above both ends at which a way across is tried."""
TABLE = "table"

_WHY = {"stretched": "the straight line passes a singularity", "limit": "a joint would be beyond its limit"}


class MotionPlanner:
    """Finds ways; the same question gets the same answer."""

    def __init__(self, cell: Workcell, seed: int = 0) -> None:
        self.cell = cell
        self._seed = seed
        self._bodies = tuple(obstacles(cell))
        self._world = arm_world(cell.arm, self._bodies, tool_of(cell.T_flange_tool))
        room = Workspace(cell.workspace.low - EDGE, cell.workspace.high + EDGE)
        self._check = kept_within(self._world, room, checker(self._world, CLEARANCE))

    def tool(self, q: Array) -> Array:
        """`T_base_tool` (4, 4) at a configuration (n,)."""
        return self._world.forward(q)

    def legs(self, q: Array, T_base_tool: Array, how: How, q_goal: Array | None = None) -> tuple[Leg, ...] | str:
        """Legs from a configuration (n,) to a pose of the tool, straight where `how` says so, else by any way; or why
        there are none.

        `q_goal` is how to get there when the caller knows; otherwise the nearest free configuration is looked for.
        """
        check = leaving(q, self._check)
        line = self._line(q, T_base_tool, check)
        if how == "line" or (q_goal is None and isinstance(line, Leg)):
            return (line,) if isinstance(line, Leg) else no_path(line)
        goals = [q_goal] if q_goal is not None else paths.goals(self._world, q, T_base_tool)
        wrong = [self._wrong(goal) for goal in goals]
        free = [goal for goal, blocked in zip(goals, wrong, strict=True) if blocked is None]
        if not free:
            return no_path(next((b for b in wrong if b is not None), Blocked("unreachable")))
        direct = [self._joints(q, goal, check) for goal in free]
        if straight := [d for d in direct if isinstance(d, Leg)]:
            return (straight[0],)
        found = self._over(q, T_base_tool, q_goal, check) or self._around(q, free[0], check)
        return found or no_path(next(d for d in direct if isinstance(d, Blocked)))

    def free(self, q: Array) -> bool:
        """Whether a configuration (n,) is within limits, in the workspace, and touches nothing."""
        return self._wrong(q) is None

    def second_look(self, legs: tuple[Leg, ...]) -> ClearanceReport:
        """What PyBullet, which shares no code with what planned them, sees of the whole motion."""
        starts = np.cumsum([0.0, *(leg.seconds for leg in legs)])
        times = [np.linspace(a, b, len(leg.q)) for leg, (a, b) in zip(legs, itertools.pairwise(starts), strict=True)]
        q = np.concatenate([leg.q for leg in legs])
        return nearest(self._world.robot, self._bodies, q, np.concatenate(times))

    # How

    def _wrong(self, q: Array) -> Blocked | None:
        if kinematics.slack(self._world, q) < -1e-9:
            return Blocked("limit")
        return paths.blocked(self._world, q[None], self._check)

    def _line(self, q: Array, T_base_tool: Array, check: Check) -> Leg | Blocked:
        """The tool point straight to a pose."""
        path = paths.straight(self._world, q, T_base_tool, check)
        return path if isinstance(path, Blocked) else self._leg("line", path, T_base_tool)

    def _joints(self, q: Array, goal: Array, check: Check) -> Leg | Blocked:
        """All joints straight to a configuration."""
        path = paths.densify(np.array([q, goal]), self._world.robot.tracking.look)
        return paths.blocked(self._world, path, check) or self._leg("joints", path, self.tool(goal))

    def _leg(self, kind: Literal["joints", "line"], path: Array, T_base_tool: Array) -> Leg:
        share, seconds = timed(kind, path, self._travel(path), self.cell.rates)
        return Leg(kind, path, T_base_tool, seconds, share)

    def _over(self, q: Array, T_base_tool: Array, q_goal: Array | None, check: Check) -> tuple[Leg, ...] | None:
        """Up, across and down, each a line; at the end the joints as wanted."""
        T = self.tool(q)
        top = max(T[2, 3], T_base_tool[2, 3])
        for rise in RISES:
            stops = [lifted(T, top + rise - T[2, 3]), lifted(T_base_tool, top + rise - T_base_tool[2, 3]), T_base_tool]
            if (legs := self._by(q, stops, check)) is None:
                continue
            if q_goal is None:
                return legs
            last = self._joints(legs[-1].q[-1], q_goal, check)
            if isinstance(last, Leg):
                return (*legs, last)
        return None

    def _by(self, q: Array, stops: list[Array], check: Check) -> tuple[Leg, ...] | None:
        legs: list[Leg] = []
        for T in stops:
            leg = self._line(legs[-1].q[-1] if legs else q, T, check)
            if isinstance(leg, Blocked):
                return None
            legs.append(leg)
        return tuple(legs)

    def _around(self, q: Array, goal: Array, check: Check) -> tuple[Leg, ...] | None:
        """By RRT-Connect, with as few stops as are free between them."""
        path = paths.joint_move(self._world, q, goal, check, self._seed)
        if isinstance(path, Blocked):
            return None
        legs, at = [], 0
        while at < len(path) - 1:
            ahead = ((n, self._joints(path[at], path[n], check)) for n in range(len(path) - 1, at, -1))
            at, leg = next(((n, leg) for n, leg in ahead if isinstance(leg, Leg)), (len(path), None))
            if leg is None:
                return None
            legs.append(leg)
        return tuple(legs)

    def _travel(self, path: Array) -> float:
        """Metres that the tool point goes along a path."""
        tools = [self.tool(q) for q in path]
        return float(sum(np.linalg.norm(error(a, b)[:3]) for a, b in itertools.pairwise(tools)))


def no_path(blocked: Blocked) -> str:
    """Why there is no way, in words."""
    if blocked.body == OUTSIDE:
        return "the tool point would leave the workspace"
    if blocked.reason == "collision":
        return f"{blocked.body} is in the way"
    return _WHY.get(blocked.reason, "the arm does not reach it that way")


def timed(kind: str, path: Array, metres: float, rates: Rates) -> tuple[float, float]:
    """The share of the rates at which a leg keeps to all of them, and its seconds from rest to rest."""
    if kind == "joints":
        turns = np.abs(path[-1] - path[0])
        return 1.0, max(_ramped(float(t), rates.joint_speed, rates.joint_acceleration) for t in turns)
    steps = np.abs(np.diff(path, axis=0))
    fastest = float(steps.max()) * (len(path) - 1) / max(metres, 1e-9) * rates.tool_speed  # at the tool's full speed
    share = min(1.0, rates.joint_speed / fastest) if fastest > 0 else 1.0
    turning = _ramped(float(steps.sum(axis=0).max()), rates.joint_speed, rates.joint_acceleration)
    return share, max(_ramped(metres, share * rates.tool_speed, rates.tool_acceleration), turning)


def _ramped(distance: float, speed: float, acceleration: float) -> float:
    """Seconds from rest to rest with a trapezoid of speed."""
    if distance * acceleration < speed**2:
        return float(2 * np.sqrt(distance / acceleration))
    return distance / speed + speed / acceleration


def obstacles(cell: Workcell) -> Iterator[Body]:
    """The keep-out boxes, and the table under the whole workspace."""
    for box in cell.keep_out:
        yield _body(box)
    if cell.table is not None:
        low, high = cell.workspace.low - 1.0, cell.workspace.high + 1.0
        yield _body(Box(TABLE, np.array([*low[:2], cell.table - 0.2]), np.array([*high[:2], cell.table])))


def tool_of(T_flange_tool: Array) -> Tool:
    """A rod from the flange towards the tool point, without its tip."""
    along, far = T_flange_tool[:3, 3], float(np.linalg.norm(T_flange_tool[:3, 3]))
    length = max(far - TOOL_TIP, TOOL_LEAST)
    radius = min(TOOL_RADIUS, length / 2 - TOOL_LEAST / 4)
    z = along / far if far > TOOL_TIP else np.array([0.0, 0.0, 1.0])
    middle = pose(z * length / 2, turned_to(z))
    return Tool(Shape("capsule", np.array([radius, length / 2 - radius, 0.0]), middle), T_flange_tool)


def _body(box: Box) -> Body:
    half = (box.high - box.low) / 2
    return Body(box.name, (Shape("box", half, np.eye(4)),), pose(box.low + half))


@dataclass(frozen=True, eq=False)
class StepRefiner:
    """Refines steps to legs; `check_twice`: PyBullet looks at them again. `tell` gets what was tried and found."""

    planner: MotionPlanner
    targets: StepTargets
    tell: Tell
    check_twice: bool = True

    def refine(self, number: int, step: Step, target: StepTarget, q: Array) -> tuple[tuple[Leg, ...], float | None]:
        """The legs of a step from a configuration (n,), and the nearest that they come to anything by the second check,
        metres. ArmFault `infeasible` when there are none."""
        legs = self.planner.legs(q, target.T_base_tool, target.how, target.q)
        if isinstance(legs, str):
            self.tell("infeasible", number=number, why=legs)
            raise ArmFault("infeasible", f"step {number}, {word(step)}: {legs}", number)
        if not self.check_twice:
            return legs, None
        report = self.planner.second_look(legs)
        self.tell("second_look", number=number, **asdict(report))
        if near := report.touches():
            what = f"{near.link} {abs(near.distance) * 1000:.0f} mm into {near.other} after {near.time:.1f} s"
            raise ArmFault("infeasible", f"step {number}, {word(step)}: the second check sees {what}", number)
        return legs, report.bodies.distance if report.bodies else None

    def rehearse(self, steps: Sequence[Step | HandEvent], q: Array, stop: ArmStop) -> int:
        """How many steps could be refined from a configuration (n,): up to the first to a thing that is not seen yet,
        or that may be elsewhere by then because the hand took something before.

        ArmFault `infeasible` with the number of the step that cannot be done, `stopped` when there is a reason to stop.
        """
        self.targets.begin()
        taken = False
        for number, step in enumerate(steps, 1):
            stop.check()
            if isinstance(step, HandEvent | Sleep):
                taken = taken or word(step) == "close"
                continue
            if taken and isinstance(step, OfObject):
                return number - 1
            target = self.targets.find(step, self.planner.tool(q))
            if isinstance(target, str):
                return number - 1
            q = self.refine(number, step, target, q)[0][-1].q[-1]
        return len(steps)

    def rehearsed(self, steps: Sequence[Step | HandEvent], q: Array) -> ArmResult:
        """What comes of a plan that is only rehearsed."""
        try:
            known = self.rehearse(steps, q, ArmStop())
        except ArmFault as e:
            return ArmResult(False, failed=e.step, kind=e.kind, reason=str(e))
        seen = "" if known == len(steps) else f"step {known + 1} and what follows depend on what will be seen"
        return ArmResult(True, reason=seen)
