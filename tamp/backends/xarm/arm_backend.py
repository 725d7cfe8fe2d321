"""An arm as a backend, asked once a cycle for all that its controller says, and legs of a motion that it is sent.

It holds still by itself. A leg is watched until the arm is where it ends.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from motion.arms import Arm
from motion.poses import Array, error
from tamp.agent.session import Routine
from tamp.backends.xarm.arm_stop import ArmFault, ArmStop
from tamp.backends.xarm.driver import STATE_PAUSED, Condition, Driver
from tamp.backends.xarm.workcell import Rates
from tamp.model.backend import Observation
from tamp.model.scene import RobotState

CYCLE = 0.02
"""Seconds between two looks at the arm."""
OFF_THE_WAY = 0.1
"""Radians of any joint off the path that was checked."""
ARRIVED = (0.0005, np.deg2rad(0.1))
"""Metres and radians from the end of a leg at which it is done."""
SETTLE = 0.5
"""Seconds in which an idle arm may still be reported away from its goal."""
SLOWEST = 2.0
"""A leg may take so many times as long as planned, and `GRACE` seconds more."""
GRACE = 3.0


@dataclass(frozen=True, eq=False)
class ArmObservation(Observation):
    """What the controller says in a cycle, or why it does not say anything."""

    condition: Condition | None = None
    fault: ArmFault | None = None

    def checked(self) -> Condition:
        """The condition. ArmFault where there is none, for an error, and when something else stopped the arm."""
        if self.condition is None:
            raise self.fault or ArmFault("frozen", "the controller was not asked yet")
        return self.condition.checked()


@dataclass(eq=False)
class ArmBackend:
    """An arm as what a session runs on: asked once a cycle. It holds still by itself, and is sent legs by routines."""

    driver: Driver
    T_flange_tool: Array
    period: float = CYCLE
    last: ArmObservation | None = None
    _begun: float = field(default_factory=time.monotonic)

    @property
    def time(self) -> float:
        """Seconds since it was made; they only grow."""
        return time.monotonic() - self._begun

    def observe(self) -> RobotState:
        """Joints and tool pose now, or as they were last; `last` has all that the controller reported."""
        try:
            condition, fault = self.driver.condition(), None
        except ArmFault as e:
            condition, fault = None, e
        q = condition.q if condition else self.last.robot.q if self.last else np.zeros(self.driver.arm.joints)
        robot = RobotState(q, float("nan"), self.driver.arm.forward(q) @ self.T_flange_tool)
        self.last = ArmObservation(self.time, robot, condition=condition, fault=fault)
        return robot

    def command(self, displacement: Array, opening: float) -> None:
        """Nothing: it stands still unless a leg was sent."""

    def stop(self) -> None:
        """Halt it, unless it says that it does not move. ArmFault when that is not acknowledged."""
        with contextlib.suppress(ArmFault):
            if not self.driver.condition().moving:
                return
        self.driver.halt()


@dataclass(frozen=True, eq=False)
class Leg:
    """A motion that the controller makes in one piece: all joints straight to their ends, or the tool point along a
    line. `q` (k, n) is the way that was checked, `seconds` how long it was planned to take, at this `share` of speed.
    """

    kind: Literal["joints", "line"]
    q: Array
    T_base_tool: Array
    seconds: float
    share: float = 1.0

    def deviation(self, q: Array) -> float:
        """Radians of the worst joint between a configuration (n,) and the nearest of the way."""
        ends = np.stack([self.q[:-1], self.q[1:]], axis=1) if len(self.q) > 1 else np.stack([self.q, self.q], axis=1)
        start, span = ends[:, 0], ends[:, 1] - ends[:, 0]
        length = np.maximum(np.sum(span**2, axis=1), 1e-12)
        share = np.clip(np.sum((q - start) * span, axis=1) / length, 0.0, 1.0)
        return float(np.min(np.max(np.abs(start + share[:, None] * span - q), axis=1)))


def follow(
    leg: Leg, driver: Driver, rates: Rates, T_flange_tool: Array, stop: ArmStop, look: Callable[[], Condition]
) -> Routine[Condition]:
    """Send a leg and watch it, a look at the arm a cycle; the condition at its end. ArmFault when it has to stop: the
    caller halts the arm."""
    stop.check()
    if leg.kind == "joints":
        driver.move_joints(leg.q[-1], rates)
    else:
        driver.move_line(leg.T_base_tool, replace(rates, tool_speed=rates.tool_speed * leg.share))
    until, idle_since, last = stop.clock() + SLOWEST * leg.seconds + GRACE, None, stop.clock()
    while True:
        yield None
        stop.check()
        now = look()
        if (off := leg.deviation(now.q)) > OFF_THE_WAY:
            where = f"{np.rad2deg(off):.1f} degrees off the path that was checked"
            raise ArmFault("tracking_error", f"the arm is {where}")
        if now.state == STATE_PAUSED:  # it may be let go on
            until += stop.clock() - last
        last = stop.clock()
        if now.idle:
            idle_since = idle_since or stop.clock()
            away = tracking_error(driver.arm, now.q, T_flange_tool, leg.T_base_tool)
            if away[0] <= ARRIVED[0] and away[1] <= ARRIVED[1]:
                return now
            if stop.clock() - idle_since > SETTLE:
                raise ArmFault(
                    "tracking_error", f"the arm says that it is done, {_how_far(away)} from where it should be"
                )
        else:
            idle_since = None
        if stop.clock() > until:
            raise ArmFault("frozen", f"a move planned for {leg.seconds:.1f} s was not done in time")


def tracking_error(arm: Arm, q: Array, T_flange_tool: Array, T_base_tool: Array) -> tuple[float, float]:
    """Metres and radians between where the tool is at a configuration and a pose."""
    twist = error(arm.forward(q) @ T_flange_tool, T_base_tool)
    return float(np.linalg.norm(twist[:3])), float(np.linalg.norm(twist[3:]))


def _how_far(away: tuple[float, float]) -> str:
    return f"{away[0] * 1000:.1f} mm and {np.rad2deg(away[1]):.1f} degrees"
