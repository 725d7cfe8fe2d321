"""A table in PyBullet: a world of things and a robot that is commanded as every other."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from motion.poses import Array
from motion.robot import RobotDescription
from tamp.backends.pybullet.world import STEP, BulletWorld, arranged
from tamp.model.scene import RobotState, Scene

if TYPE_CHECKING:
    from tamp.execution.activity import Observation

SETTLING = 10
"""Control periods in which everything comes to rest before the time begins."""


class BulletTable:
    """A `Backend` and a `Perceiver` in one."""

    def __init__(self, scene: Scene, robot: RobotDescription) -> None:
        self.robot_model, self.period, self.steps, self.stepping_seconds = robot, robot.period, 0, 0.0
        self.world = BulletWorld(scene, robot)
        for _ in range(SETTLING):
            self.stop()
        self.steps, self.stepping_seconds = 0, 0.0

    @property
    def time(self) -> float:
        """Seconds since everything had come to rest."""
        return self.steps * self.period

    def observe(self) -> RobotState:
        """Proprioception now."""
        return self.world.robot()

    def perceive(self) -> Scene:
        """The scene now, exactly."""
        scene = arranged(self.world.start, self.world.poses(), self.world.joints())
        return replace(scene, robot=self.observe(), time=self.time, confidence={o.name: 1.0 for o in scene})

    def felt(self, observation: Observation) -> None:
        """What was observed in this control period: it is known already."""

    def command(self, displacement: Array, opening: float) -> None:
        """One control period: see `tamp.backends.backend.Backend`."""
        start, steps = time.perf_counter(), round(self.period / STEP)
        self.world.arm.grip(opening)
        self.world.arm.aim(displacement, steps)
        for step in range(steps):
            self.world.arm.drive(step)
            self.world.step()
        self.stepping_seconds += time.perf_counter() - start
        self.steps += 1

    def stop(self) -> None:
        """Hold still for one control period."""
        self.command(np.zeros(6), self.world.arm.opening)

    def put(self, name: str, T_world_object: Array) -> None:
        """Have somebody put a thing elsewhere, at rest."""
        self.world.put(name, T_world_object)

    def close(self) -> None:
        """Free the simulation."""
        self.world.close()
