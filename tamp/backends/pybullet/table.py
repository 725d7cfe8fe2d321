"""A table in PyBullet: the robot and the things of a scene, with forces. Built from what was seen alone."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from motion.bullet import Bullet
from motion.poses import Array
from motion.robot import RobotDescription
from tamp.backends.pybullet.arm import BulletArm
from tamp.backends.pybullet.things import BulletThing
from tamp.model.scene import RobotState, Scene, with_joint_at, with_object_at

if TYPE_CHECKING:
    from tamp.execution.activity import Observation

SUBSTEPS = 25
"""Physics steps in a control period."""
SOLVER_STEPS = 60
SETTLING = 10
"""Control periods in which everything comes to rest before the time begins."""


class BulletTable:
    """A `Backend` and a `Perceiver` in one. The scene's robot is not looked at: the arm starts at its posture."""

    def __init__(self, scene: Scene, robot: RobotDescription) -> None:
        self.robot_model, self.period, self.steps, self.stepping_seconds = robot, robot.period, 0, 0.0
        self._scene = scene
        self._bullet = b = Bullet()
        b.setGravity(0, 0, -9.81)
        b.setPhysicsEngineParameter(
            fixedTimeStep=self.period / SUBSTEPS, numSolverIterations=SOLVER_STEPS, numSubSteps=0
        )
        self._things = [BulletThing(b, o) for o in scene]
        self._arm = BulletArm(b, robot)
        for _ in range(SETTLING):
            self.stop()
        self.steps, self.stepping_seconds = 0, 0.0

    @property
    def time(self) -> float:
        """Seconds since everything had come to rest."""
        return self.steps * self.period

    def observe(self) -> RobotState:
        """Proprioception now."""
        felt = self._arm.felt()
        return RobotState(felt.q, float(np.abs(felt.fingers).sum()), self._arm.now().T_world_tool)

    def perceive(self) -> Scene:
        """The scene now, exactly."""
        scene = self._scene
        for thing in self._things:
            for part, value in thing.joints().items():
                scene = _with_joint(scene, thing.name, part, value)
        for thing in self._things:
            if thing.movable:
                scene = with_object_at(scene, thing.name, thing.pose())
        return replace(scene, robot=self.observe(), time=self.time, confidence={o.name: 1.0 for o in scene})

    def felt(self, observation: Observation) -> None:
        """What was observed in this control period: it is known already."""

    def command(self, displacement: Array, opening: float) -> None:
        """One control period: see `tamp.backends.backend.Backend`."""
        start = time.perf_counter()
        self._arm.aim(displacement, opening, SUBSTEPS)
        for step in range(SUBSTEPS):
            self._arm.drive(step)
            self._bullet.stepSimulation()
        self.stepping_seconds += time.perf_counter() - start
        self.steps += 1

    def stop(self) -> None:
        """Hold still for one control period."""
        self.command(np.zeros(6), self._arm.opening)

    def put(self, name: str, T_world_object: Array) -> None:
        """Have somebody put a thing elsewhere, at rest."""
        next(t for t in self._things if t.name == name).put(T_world_object)

    def close(self) -> None:
        """Free the simulation."""
        self._bullet.close()


def _with_joint(scene: Scene, name: str, part: str, value: float) -> Scene:
    """The scene with a joint elsewhere, and what is in the part where it was: that moves by itself."""
    moved = with_joint_at(scene, name, part, value).object(name)
    return replace(scene, objects=tuple(moved if o.name == name else o for o in scene.objects))
