"""Execution as a step function: asked for its next command each control period, it can be stopped anywhere.

Every command comes from the observation just made. Nothing here knows how long an action should take: a
segment ends when the tool has arrived or the fingers have stopped.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from motion import servo
from motion.poses import Array, error
from motion.servo import ServoGains
from tamp.scene import RobotState
from tamp.skills.base import Grip, Move, Segment

GRIP_STILL = 0.0006
"""Metres per control period below which the fingers count as stopped."""
GRIP_STEPS = (3, 24)
"""Fewest and most control periods that closing or opening may take."""
PATIENCE_STEPS = 10
"""Control periods in a row for which the reference waits for an arm that has fallen behind."""


class Command(NamedTuple):
    """Displacement (6,) of the tool and the finger opening to go to."""

    displacement: Array
    opening: float


@dataclass
class Execution:
    """Runs segments one after another. `step` gives the next command, or None when all are done."""

    segments: tuple[Segment, ...]
    opening: float
    period: float = 0.05
    gains: ServoGains = field(default_factory=ServoGains)
    index: int = 0
    _t: float = 0.0
    _hold: Array | None = None
    _waited: int = 0
    _openings: list[float] = field(default_factory=list)

    @property
    def stage(self) -> str:
        """What is going on: `move`, `grip` or `done`."""
        if self.index >= len(self.segments):
            return "done"
        return "grip" if isinstance(self.segments[self.index], Grip) else "move"

    def step(self, robot: RobotState) -> Command | None:
        """The command for this control period, from the observation just made."""
        while self.index < len(self.segments):
            segment = self.segments[self.index]
            command = self._grip(segment, robot) if isinstance(segment, Grip) else self._move(segment, robot)
            if command is not None:
                return command
            self.index += 1
            self._t, self._hold, self._waited, self._openings = 0.0, None, 0, []
        return None

    def _move(self, segment: Move, robot: RobotState) -> Command | None:
        trajectory, gains = segment.trajectory, self.gains
        if segment.opening is not None:
            self.opening = segment.opening
        T, T_goal = robot.T_world_tool, trajectory.T_world_tool[-1]
        if self._t >= trajectory.duration - (0.0 if segment.precise else gains.lead):
            tolerance = gains.fine if segment.precise else gains.coarse
            late = self._t > trajectory.duration + gains.patience
            if late or servo.arrived(T, T_goal, tolerance):
                return None
        command = servo.displacement(T, trajectory, self._t, gains)
        behind = float(np.linalg.norm(error(T, trajectory.tool_at(self._t))[:3]))
        if self._t >= trajectory.duration or self._may_go_on(behind):
            self._t += self.period
        return Command(command, self.opening)

    def _may_go_on(self, behind: float) -> bool:
        """Whether the reference moves on: the arm keeps up, or waiting for it has not helped for a while."""
        self._waited = 0 if behind < self.gains.lag else self._waited + 1
        return self._waited == 0 or self._waited > PATIENCE_STEPS

    def _grip(self, segment: Grip, robot: RobotState) -> Command | None:
        self.opening = segment.opening
        if self._hold is None:
            self._hold = robot.T_world_tool
        self._openings.append(robot.opening)
        n = len(self._openings) - 1
        still = n >= GRIP_STEPS[0] and np.ptp(self._openings[-3:]) < GRIP_STILL
        if still or n >= GRIP_STEPS[1]:
            return None
        return Command(error(robot.T_world_tool, self._hold), self.opening)
