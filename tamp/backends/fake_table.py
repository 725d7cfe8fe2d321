"""A kinematic robot at a table: it answers to commands as a servoed arm does, takes hold of what its fingers close on,
and what it lets go of falls straight down. There are no forces, and faults are made on demand.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from motion.arm_drive import JointServo
from motion.poses import Array, inverse
from motion.robot import RobotDescription
from tamp.model.bodies import state_of, world_of
from tamp.model.scene import RobotState, Scene, with_object_at

if TYPE_CHECKING:
    from tamp.model.backend import Observation

FINGER_SPEED = 0.2
"""Metres a second by which the opening changes."""
FINGER_STEP = 0.001
"""Metres between two looks whether closing fingers touch something."""
RELEASED = 0.003
"""Metres wider than it was gripped at which a thing is let go of."""
SLIP_RISE = 0.03
"""Metres above where it was gripped at which a slippery thing is lost."""


@dataclass
class FakeFaults:
    """What is wrong with the world, from now on: things that stay where they are, things that slip out of the hand,
    fingers that close no further, an arm that does not move, hidden things."""

    glued: set[str] = field(default_factory=set)
    slippery: set[str] = field(default_factory=set)
    fingers_stop_at: float = 0.0
    arm_held: bool = False
    hidden: set[str] = field(default_factory=set)


class FakeTable:
    """A `Backend` and a `Perceiver` in one: the robot and the things of a scene."""

    def __init__(self, scene: Scene, robot: RobotDescription) -> None:
        self.faults = FakeFaults()
        self.commands = 0
        self._scene, self.period = scene, robot.period
        self._world = world_of(scene, robot)
        self._servo = JointServo(robot)
        self._held: str | None = None
        self._T_tool_held = np.eye(4)
        self._gripped_at = 0.0
        self._gripped_height = 0.0

    @property
    def time(self) -> float:
        """Seconds since it was made, a control period a command."""
        return self.commands * self.period

    @property
    def robot_model(self) -> RobotDescription:
        """The arm and hand as a kinematic model."""
        return self._world.robot

    def observe(self) -> RobotState:
        """Proprioception now."""
        return self._scene.robot

    def perceive(self) -> Scene:
        """The scene now, all of it exactly but what is hidden."""
        objects = tuple(o for o in self._scene.objects if o.name not in self.faults.hidden)
        return replace(self._scene, objects=objects, time=self.time, confidence={o.name: 1.0 for o in objects})

    def felt(self, observation: Observation) -> None:
        """What was observed in this control period: it is known already."""

    def command(self, displacement: Array, opening: float) -> None:
        """One control period: see `tamp.model.backend.Backend`."""
        self.commands += 1
        before = self._scene.robot
        q = before.q if self.faults.arm_held else self._servo.targets(before.q, displacement, self.period, 1)[0]
        T = self._world.forward(q)
        now = self._fingers(before.opening, max(opening, self.faults.fingers_stop_at), q)
        self._scene = replace(self._scene, robot=RobotState(q, now, T))
        self._carry(T)

    def stop(self) -> None:
        """Stand still at once."""
        self._servo.stop()

    def put(self, name: str, T_world_object: Array) -> None:
        """Put a thing elsewhere, out of the hand if it is in there."""
        self._held = None if self._held == name else self._held
        self._scene = with_object_at(self._scene, name, T_world_object)

    # How

    def _fingers(self, now: float, target: float, q: Array) -> float:
        """The opening after a control period; closing stops at what is between the pads, opening lets go of it."""
        step = FINGER_SPEED * self.period
        if target >= now:
            wider = min(target, now + step)
            if self._held is not None and wider > self._gripped_at + RELEASED:
                self._let_go()
            return wider
        if self._held is not None:
            return now
        self._world.load(replace(state_of(self._scene), q=q))
        movable = [o for o in self._scene if o.movable]
        for opening in np.arange(now, max(target, now - step) - FINGER_STEP, -FINGER_STEP):
            self._world.set_opening(float(opening))
            self._world.forward(q)
            thing = next((o for o in movable if max(self._world.pad_distances(o.name)) <= 0.0), None)
            if thing is not None:  # both pads touch it
                if thing.name not in self.faults.glued:
                    self._held, self._gripped_at = thing.name, float(opening)
                    self._gripped_height = float(thing.position[2])
                    self._T_tool_held = inverse(self._scene.robot.T_world_tool) @ thing.T_world_object
                return float(opening)
        return max(target, now - step)

    def _carry(self, T_world_tool: Array) -> None:
        if self._held is None:
            return
        T = T_world_tool @ self._T_tool_held
        self._scene = with_object_at(self._scene, self._held, T)
        if self._held in self.faults.slippery and T[2, 3] > self._gripped_height + SLIP_RISE:
            self._let_go()

    def _let_go(self) -> None:
        """Let what is held fall onto the highest thing under it."""
        assert self._held is not None
        thing, self._held = self._scene.object(self._held), None
        low, high = thing.bounds()
        tops = [0.0]
        for under in (o for o in self._scene if o is not thing):
            under_low, under_high = under.bounds()
            over = np.all(low[:2] < under_high[:2]) and np.all(under_low[:2] < high[:2])
            if over and under_high[2] < 0.5 * (low[2] + high[2]):
                tops.append(float(under_high[2]))
        T = thing.T_world_object.copy()
        T[2, 3] += max(tops) - low[2]
        self._scene = with_object_at(self._scene, thing.name, T)
