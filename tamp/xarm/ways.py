"""Ways of an arm in its workcell: motions that the controller makes in one piece, checked before anything is sent.

Lines of the tool point and moves of all joints at once, one after the other; free of the keep-out boxes, the table and
the arm itself, with the tool point in the workspace and the joints within limits all the way.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

import numpy as np

from motion import arm_ik
from motion.arm_model import robot_model
from motion.paths import densify, lifted, rrt_connect
from motion.poses import Array, error, interpolate, inverse, pose
from motion.shapes import Body, Shape
from motion.world import Contact, World
from tamp.xarm.following import Leg
from tamp.xarm.workcell import Box, Rates, Workcell

CLEARANCE = 0.01
"""Metres that every part of the arm keeps from boxes and the table."""
LINE_STEP, TURN_STEP = 0.01, 0.05
"""Metres and radians between the looks along a line of the tool point."""
JOINT_STEP = 0.03
"""Radians of the fastest joint between the looks along a move of the joints."""
JUMP = 0.35
"""Radians of a joint between two looks along a line above which it is no line the arm can follow."""
RISES = (0.05, 0.15, 0.3)
"""Metres above both ends at which a way across is tried."""
TABLE = "table"
EDGE, LIMIT = "the edge of the workspace", "a joint's limit"
SLACK = 1e-4
"""Metres by which what is wrong in the beginning may get worse."""

How = Literal["line", "any"]


@dataclass(frozen=True)
class NoWay:
    """Why there is none: what is in the way, or that no configuration reaches the pose."""

    obstacle: str | None

    def __str__(self) -> str:
        return f"{self.obstacle} is in the way" if self.obstacle else "the arm does not reach it that way"


class Ways:
    """Finds ways; the same question gets the same answer."""

    def __init__(self, cell: Workcell, seed: int = 0) -> None:
        self.cell = cell
        self._seed = seed
        self._world = World(robot_model(cell.arm), obstacles(cell))
        self._T_tool_flange = inverse(cell.T_flange_tool)

    def tool(self, q: Array) -> Array:
        """`T_base_tool` (4, 4) at a configuration (n,)."""
        return np.asarray(self.cell.arm.forward(q) @ self.cell.T_flange_tool)

    def legs(self, q: Array, T_base_tool: Array, how: How, q_goal: Array | None = None) -> tuple[Leg, ...] | NoWay:
        """Legs from a configuration (n,) to a pose of the tool, straight where `how` says so, else by any way.

        `q_goal` is how to get there when the caller knows; otherwise the nearest free configuration is looked for.
        """
        line = self._line(q, T_base_tool)
        if how == "line" or (q_goal is None and isinstance(line, Leg)):
            return (line,) if isinstance(line, Leg) else line
        goals = [q_goal] if q_goal is not None else self._goals(q, T_base_tool)
        free = [g for g in goals if self.wrong(g) is None]
        if not free:
            return NoWay(self.wrong(goals[0]) if goals else None)
        direct = [self._joints(q, g) for g in free]
        found: tuple[Leg, ...] | None = next(((d,) for d in direct if isinstance(d, Leg)), None)
        found = found or self._over(q, T_base_tool, q_goal) or self._around(q, free[0])
        return found or next((d for d in direct if isinstance(d, NoWay)), NoWay(None))

    def wrong(self, q: Array, leaving: Mapping[str, float] = MappingProxyType({})) -> str | None:
        """What a configuration (n,) is too near to, or outside of; None when it is free.

        What is wrong in the beginning, `leaving` as of `margins`, may be so on the way but must not get worse.
        """
        return next((what for what, margin in self.margins(q).items() if margin < leaving.get(what, np.inf)), None)

    def margins(self, q: Array) -> dict[str, float]:
        """What is wrong with a configuration (n,), and how far it is from being right: the smaller, the worse."""
        found = {} if self.cell.arm.within(q) else {LIMIT: -np.inf}
        for contact in self._world.contacts(q, CLEARANCE):
            found[contact.other] = min(contact.distance, found.get(contact.other, np.inf))
        p, workspace = self.tool(q)[:3, 3], self.cell.workspace
        if (outside := float(np.max([workspace.low - p, p - workspace.high]))) > 1e-6:
            found[EDGE] = -outside
        return found

    # How

    def _line(self, q: Array, T_base_tool: Array) -> Leg | NoWay:
        """The tool point straight to a pose."""
        T = self.tool(q)
        twist = error(T, T_base_tool)
        parts = [np.linalg.norm(twist[:3]) / LINE_STEP, np.linalg.norm(twist[3:]) / TURN_STEP, 1.0]
        path = [q]
        for share in np.linspace(0, 1, int(np.ceil(max(parts))) + 1)[1:]:
            T_base_flange = interpolate(T, T_base_tool, share) @ self._T_tool_flange
            following = arm_ik.track(self.cell.arm, T_base_flange, path[-1])
            if following is None or float(np.max(np.abs(following - path[-1]))) > JUMP:
                return NoWay(None)
            path.append(following)
        return self._leg("line", np.array(path), T_base_tool)

    def _joints(self, q: Array, goal: Array) -> Leg | NoWay:
        """All joints straight to a configuration."""
        return self._leg("joints", densify(np.array([q, goal]), JOINT_STEP), self.tool(goal))

    def _leg(self, kind: Literal["joints", "line"], path: Array, T_base_tool: Array) -> Leg | NoWay:
        leaving = self._leaving(path[0])
        for q in path[1:]:
            if (obstacle := self.wrong(q, leaving)) is not None:
                return NoWay(obstacle)
        share, seconds = timed(kind, path, self._travel(path), self.cell.rates)
        return Leg(kind, path, T_base_tool, seconds, share)

    def _leaving(self, q: Array) -> dict[str, float]:
        return {what: margin - SLACK for what, margin in self.margins(q).items()}

    def _goals(self, q: Array, T_base_tool: Array) -> list[Array]:
        """Configurations that reach a pose, the one nearest to `q` first."""
        T_base_flange = T_base_tool @ self._T_tool_flange
        found = [arm_ik.solve(self.cell.arm, T_base_flange, q, seed=self._seed + k) for k in range(4)]
        distinct: list[Array] = []
        for one in found:
            if one is not None and all(np.max(np.abs(one - other)) > 1e-3 for other in distinct):
                distinct.append(one)
        return sorted(distinct, key=lambda one: float(np.max(np.abs(one - q))))

    def _over(self, q: Array, T_base_tool: Array, q_goal: Array | None) -> tuple[Leg, ...] | None:
        """Up, across and down, each a line; at the end the joints as wanted."""
        T = self.tool(q)
        top = max(T[2, 3], T_base_tool[2, 3])
        for rise in RISES:
            stops = [lifted(T, top + rise - T[2, 3]), lifted(T_base_tool, top + rise - T_base_tool[2, 3]), T_base_tool]
            if (legs := self._by(q, stops)) is None:
                continue
            if q_goal is None:
                return legs
            last = self._joints(legs[-1].q[-1], q_goal)
            if isinstance(last, Leg):
                return (*legs, last)
        return None

    def _by(self, q: Array, stops: list[Array]) -> tuple[Leg, ...] | None:
        legs: list[Leg] = []
        for T in stops:
            leg = self._line(legs[-1].q[-1] if legs else q, T)
            if isinstance(leg, NoWay):
                return None
            legs.append(leg)
        return tuple(legs)

    def _around(self, q: Array, goal: Array) -> tuple[Leg, ...] | None:
        """By RRT-Connect, with as few stops as are free between them."""
        leaving = self._leaving(q)

        def check(at: Array) -> list[Contact]:
            what = self.wrong(at, leaving)
            return [] if what is None else [Contact(self.cell.arm.name, what, 0.0)]

        found = rrt_connect(self._world, q, goal, check, self._seed)
        if found is None:
            return None
        legs, at = [], 0
        while at < len(found) - 1:
            ahead = ((n, self._joints(found[at], found[n])) for n in range(len(found) - 1, at, -1))
            step = next(((n, leg) for n, leg in ahead if isinstance(leg, Leg)), None)
            if step is None:
                return None
            legs.append(step[1])
            at = step[0]
        return tuple(legs)

    def _travel(self, path: Array) -> tuple[float, float]:
        """Metres and radians that the tool goes along a path."""
        tools = [self.tool(q) for q in path]
        steps = np.array([error(a, b) for a, b in itertools.pairwise(tools)]).reshape(-1, 6)
        return float(np.linalg.norm(steps[:, :3], axis=1).sum()), float(np.linalg.norm(steps[:, 3:], axis=1).sum())


def timed(kind: str, path: Array, travel: tuple[float, float], rates: Rates) -> tuple[float, float]:
    """The share of the rates at which a leg keeps to all of them, and its seconds from rest to rest."""
    turns = np.abs(path[-1] - path[0]) if kind == "joints" else np.abs(np.diff(path, axis=0)).sum(axis=0)
    if kind == "joints":
        return 1.0, max(_ramped(float(t), rates.joint_speed, rates.joint_acceleration) for t in turns)
    metres = max(travel[0], 1e-9)
    steps = np.abs(np.diff(path, axis=0)).max(axis=1)
    fastest = float(steps.max()) * (len(path) - 1) / metres * rates.tool_speed  # joint speed at the tool's full speed
    share = min(1.0, rates.joint_speed / fastest) if fastest > 0 else 1.0
    turning = _ramped(float(turns.max()), rates.joint_speed, rates.joint_acceleration)
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


def _body(box: Box) -> Body:
    half = (box.high - box.low) / 2
    return Body(box.name, (Shape("box", half, np.eye(4)),), pose(box.low + half))
