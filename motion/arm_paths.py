"""Motions of a serial arm among bodies: straight lines of the tool, moves of the joints, and their timing.

`motion.paths` leaves the joints to a controller that follows the tool. These arms are told their joints, so here each
waypoint is exact, the joints are within their limits, and what is checked is what will be run.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from motion import arm_ik, smoothing, timing
from motion.arm_model import robot_model
from motion.arm_shape import Tool
from motion.arms import Arm
from motion.paths import Blocked, Check, densify, rrt_connect
from motion.poses import Array, error, interpolate, inverse
from motion.robot import Limits
from motion.shapes import Body
from motion.timing import Trajectory
from motion.world import World

LINE_STEP = 0.01
"""Metres of tool travel between waypoints of a straight line."""
TURN_STEP = 0.05
"""Radians of tool rotation between waypoints of a straight line."""
JOINT_JUMP = 0.4
"""Radians of one joint between two waypoints above which a straight line counts as broken: near a singularity."""
CHECK_STEP = 0.01
"""Radians of the fastest joint between configurations that are looked at."""
WAYPOINT_STEP = 0.05
"""Radians of the fastest joint between waypoints of a joint move: a spline through them hardly swings out."""
CLOSER = (WAYPOINT_STEP, WAYPOINT_STEP / 3, WAYPOINT_STEP / 9)
"""The same for what is timed: as it is planned, then ever closer to the path."""
SWING = 0.002
"""Metres by which what is timed may come nearer to things than what was planned."""
SPARE_TURN = np.pi / 2
"""Radians beyond both ends of a move within which joints that turn fully are taken to go round something."""
GOALS, TRIED = 24, 4
"""Configurations for a pose that are looked at, and free ones that are tried as the end of a move."""
ATTEMPTS = 3
"""Paths that are planned until one is free also between the configurations that the planner looked at."""


@dataclass(frozen=True, eq=False)
class Cell:
    """An arm among bodies, its base at the origin of the world; `T_flange_tool` (4, 4) is the tool point."""

    arm: Arm
    world: World
    T_flange_tool: Array

    def forward(self, q: Array) -> Array:
        """`T_base_tool` (4, 4) at a configuration (n,)."""
        return np.asarray(self.arm.forward(q) @ self.T_flange_tool)

    def flange(self, T_base_tool: Array) -> Array:
        """`T_base_flange` (4, 4) when the tool is at `T_base_tool` (4, 4)."""
        return np.asarray(T_base_tool @ inverse(self.T_flange_tool))


def cell(arm: Arm, bodies: Iterable[Body], tool: Tool | None = None) -> Cell:
    """The arm with its tool among the bodies."""
    T_flange_tool = np.eye(4) if tool is None else tool.T_flange_tool
    return Cell(arm, World(robot_model(arm, tool), bodies), T_flange_tool)


def straight(cell: Cell, q: Array, T_base_goal: Array, check: Check) -> Array | Blocked:
    """Waypoints (k, n), from `q`, along which the tool goes straight to `T_base_goal` and turns evenly.

    Blocked as `unreachable` when some pose of the line is, as `stretched` when a joint would have to leap, and as
    `collision` with the body that is in the way (the arm's own link where it would touch itself).
    """
    T_start = cell.forward(q)
    way = error(T_start, T_base_goal)
    steps = max(1, int(np.ceil(max(np.linalg.norm(way[:3]) / LINE_STEP, np.linalg.norm(way[3:]) / TURN_STEP))))
    path = [q]
    for s in np.linspace(0, 1, steps + 1)[1:]:
        following = arm_ik.track(cell.arm, cell.flange(interpolate(T_start, T_base_goal, s)), path[-1])
        if following is None:
            return blocked(np.array(path), check) or Blocked("unreachable")
        if np.abs(following - path[-1]).max() > JOINT_JUMP:
            return blocked(np.array(path), check) or Blocked("stretched")
        path.append(following)
    return blocked(np.array(path), check) or np.array(path)


def blocked(path: Array, check: Check) -> Blocked | None:
    """What the path (k, n) meets first, looked at every `CHECK_STEP`; None when it is free."""
    for q in densify(path, CHECK_STEP):
        if contacts := check(q):
            return Blocked("collision", min(contacts, key=lambda c: c.distance).other)
    return None


def joint_move(cell: Cell, q: Array, goal: Array, check: Check, seed: int) -> Array | Blocked:
    """Waypoints (k, n) from configuration `q` to `goal`: straight in the joints, or by RRT-Connect round a body.

    Blocked as `unreachable` when the goal is beyond a limit, else as `collision` with what is met at an end or, when
    no way round was found, on the straight line.
    """
    if not cell.arm.within(goal, -1e-9):
        return Blocked("unreachable")
    for end in (q, goal):
        if met := blocked(end[None], check):
            return met
    direct = densify(np.array([q, goal]), WAYPOINT_STEP)
    in_the_way = blocked(direct, check)
    if in_the_way is None:
        return direct
    for attempt in range(ATTEMPTS):
        found = rrt_connect(cell.world, q, goal, check, seed + attempt, bounds=_bounds(cell.arm, q, goal))
        if found is None:
            continue
        for path in (smoothing.rounded(cell.world, found), densify(found, WAYPOINT_STEP)):
            if blocked(path, check) is None:
                return path
    return in_the_way


def _bounds(arm: Arm, q: Array, goal: Array) -> Array:
    """Limits (n, 2) for a planner: no joint needs a whole turn more to go round something. Both ends are within, since
    the planner would wait for ever for an end that is not."""
    least, most = np.minimum(q, goal), np.maximum(q, goal)
    low = np.minimum(np.maximum(least - SPARE_TURN, arm.lower), least)
    high = np.maximum(np.minimum(most + SPARE_TURN, arm.upper), most)
    return np.column_stack([low, high])


def transit(cell: Cell, q: Array, T_base_goal: Array, check: Check, seed: int) -> Array | Blocked:
    """Waypoints (k, n) from `q` until the tool is at `T_base_goal`, by the straight line or else a move of the joints.

    Free configurations for the goal are tried, the nearest first; when none can be reached, the answer is why the
    nearest cannot.
    """
    line = straight(cell, q, T_base_goal, check)
    if not isinstance(line, Blocked):
        return line
    ends = goals(cell, q, T_base_goal)
    free = [goal for goal in ends if blocked(goal[None], check) is None]
    refusals = []
    for goal in (free or ends)[:TRIED]:
        path = joint_move(cell, q, goal, check, seed)
        if not isinstance(path, Blocked):
            return path
        refusals.append(path)
    return refusals[0] if refusals else Blocked("unreachable")


def goals(cell: Cell, q: Array, T_base_tool: Array) -> list[Array]:
    """Configurations (n,) that put the tool at a pose, different ones and the nearest to `q` (n,) first; at most
    `GOALS`."""
    found: list[Array] = []
    T_base_flange = cell.flange(T_base_tool)
    starts = [q, *(q + turn for turn in np.random.default_rng(0).uniform(-np.pi, np.pi, (GOALS - 1, len(q))))]
    for start in starts:
        goal = arm_ik.solve(cell.arm, T_base_flange, start)
        if goal is None:
            break  # every restart was tried
        goal = arm_ik.nearest_turns(cell.arm, goal, q)
        if all(np.abs(goal - other).max() > 1e-3 for other in found):
            found.append(goal)
    return sorted(found, key=lambda goal: float(np.abs(goal - q).max()))


def timed(cell: Cell, path: Array, limits: Limits, check: Check, period: float = 0.02) -> Trajectory | Blocked:
    """The fastest trajectory along a path (k, n) within limits, sampled every `period` seconds and checked again.

    Its samples lie on a spline through the waypoints. Where that swings out too far it is held closer to the path,
    which takes longer; blocked when it meets something, or passes a joint's limit, all the same. A planned path may
    lead along the very edge of what `check` allows, so give this one a check that allows `SWING` metres more.
    """
    answer: Trajectory | Blocked = Blocked("unreachable")
    for step in CLOSER:
        trajectory = timing.parameterise(cell.world, densify(path, step), limits, period)
        within = all(cell.arm.within(q, -1e-6) for q in trajectory.q)
        answer = (blocked(trajectory.q, check) or trajectory) if within else Blocked("unreachable")
        if not isinstance(answer, Blocked):
            break
    return answer
