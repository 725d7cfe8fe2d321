"""A table in PyBullet: a world of things and robots that are commanded as every other.

Several robots share one world and one clock: each has a seat, whose commands wait until the period passes for all.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
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


class SharedTable:
    """One world and one clock for robots of the same control period, each at its seat. ValueError for others."""

    def __init__(self, scene: Scene, *robots: RobotDescription) -> None:
        if len({r.period for r in robots}) != 1:
            raise ValueError("robots that share a clock have one control period")
        self.period, self.steps, self.stepping_seconds = robots[0].period, 0, 0.0
        self.world = BulletWorld(scene, *robots)
        self.seats = tuple(Seat(self, robot, number) for number, robot in enumerate(robots))
        for _ in range(SETTLING):
            for seat in self.seats:
                seat.aim(np.zeros(6), seat.opening)
            self.pass_period()
        self.steps, self.stepping_seconds = 0, 0.0

    @property
    def physics_steps(self) -> int:
        """Physics steps of a control period."""
        return round(self.period / STEP)

    def pass_period(self) -> None:
        """One control period for all, each going to where it was told to."""
        start = time.perf_counter()
        for step in range(self.physics_steps):
            for arm in self.world.arms:
                arm.drive(step)
            self.world.step()
        self.stepping_seconds += time.perf_counter() - start
        self.steps += 1

    def apart(self, held: Mapping[int, str], most: float) -> float:
        """Metres between the first two arms, with what they hold (things by the number of the arm), at most `most`."""
        return self.world.apart(0, 1, held, most)

    def close(self) -> None:
        """Free the simulation."""
        self.world.close()


class Seat:
    """One robot of a shared table: a `Backend` and a `Perceiver` in one. A command is taken up when the period
    passes."""

    def __init__(self, shared: SharedTable, robot: RobotDescription, number: int) -> None:
        self.shared, self.robot_model, self.period, self.number = shared, robot, robot.period, number

    @property
    def time(self) -> float:
        """Seconds since everything had come to rest."""
        return self.shared.steps * self.period

    @property
    def stepping_seconds(self) -> float:
        """Seconds that the world took."""
        return self.shared.stepping_seconds

    @property
    def opening(self) -> float:
        """Metres that the fingers were last told to be apart."""
        return self.shared.world.arms[self.number].opening

    def observe(self) -> RobotState:
        """Proprioception now."""
        return self.shared.world.robot(self.number)

    def perceive(self) -> Scene:
        """The scene now, exactly."""
        world = self.shared.world
        scene = arranged(world.start, world.poses(), world.joints())
        return replace(scene, robot=self.observe(), time=self.time, confidence={o.name: 1.0 for o in scene})

    def felt(self, observation: Observation) -> None:
        """What was observed in this control period: it is known already."""

    def aim(self, displacement: Array, opening: float) -> None:
        """Where the robot goes in the period that passes next: see `tamp.backends.backend.Backend`."""
        start, arm = time.perf_counter(), self.shared.world.arms[self.number]
        arm.grip(opening)
        arm.aim(displacement, self.shared.physics_steps)
        self.shared.stepping_seconds += time.perf_counter() - start

    def command(self, displacement: Array, opening: float) -> None:
        """As `aim`: whoever owns the clock lets the period pass."""
        self.aim(displacement, opening)

    def stop(self) -> None:
        """Hold still in the period that passes next."""
        self.command(np.zeros(6), self.opening)

    def put(self, name: str, T_world_object: Array) -> None:
        """Have somebody put a thing elsewhere, at rest."""
        self.shared.world.put(name, T_world_object)


class BulletTable(Seat):
    """A robot that is alone at its table: each command lets a control period pass."""

    def __init__(self, scene: Scene, robot: RobotDescription) -> None:
        super().__init__(SharedTable(scene, robot), robot, 0)

    @property
    def world(self) -> BulletWorld:
        """The robot and the things."""
        return self.shared.world

    def command(self, displacement: Array, opening: float) -> None:
        """One control period: see `tamp.backends.backend.Backend`."""
        self.aim(displacement, opening)
        self.shared.pass_period()

    def close(self) -> None:
        """Free the simulation."""
        self.shared.close()
