"""An arm as a backend: asked once a cycle for all that its controller says. It holds still by itself."""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass, field

import numpy as np

from motion.poses import Array
from tamp.backends.xarm.arm_faults import ArmFault
from tamp.backends.xarm.driver import Condition, Driver
from tamp.backends.xarm.following import CYCLE
from tamp.model.backend import Observation
from tamp.model.scene import RobotState


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
