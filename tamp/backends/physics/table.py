"""A table in any physics: a world of things and robots that are commanded as every other.

Several robots share one world and one clock: each has a seat, whose commands wait until the period passes for all.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from motion.poses import Array
from motion.robot import RobotDescription
from tamp.model.scene import RobotState, Scene, with_joint_at, with_object_at

if TYPE_CHECKING:
    from tamp.model.backend import Observation

SETTLING = 10
"""Control periods in which everything comes to rest before the time begins."""


@dataclass(frozen=True, eq=False)
class Arrangement:
    """Where everything is at one moment: `poses` T_world_object (4, 4) of what can be carried, `joints` metres or
    radians of the parts of what stands still, `q` (n,) and `fingers` (k,) the robot's own joints."""

    poses: Mapping[str, Array]
    joints: Mapping[str, Mapping[str, float]]
    q: Array
    fingers: Array


class PhysicsArm(Protocol):
    """An arm and its hand. `opening` (m) is where the fingers were told to go."""

    opening: float

    def grip(self, opening: float) -> None:
        """Have the fingers go to an opening (m), pressing on what is in between."""
        ...

    def aim(self, displacement: Array, steps: int) -> None:
        """Set off: the tool is asked to move by a displacement (6,) in a control period of so many physics steps."""
        ...

    def drive(self, step: int) -> None:
        """Do what moves the joints in one of the physics steps."""
        ...


class PhysicsWorld(Protocol):
    """Things and robots with forces. `start` is the scene that it was made of, `step_seconds` a physics step's."""

    start: Scene
    step_seconds: float

    @property
    def arms(self) -> Sequence[PhysicsArm]:
        """The robots."""
        ...

    def step(self) -> None:
        """One physics step."""
        ...

    def robot(self, number: int = 0) -> RobotState:
        """Where an arm and its fingers are."""
        ...

    def poses(self) -> dict[str, Array]:
        """`T_world_object` (4, 4) of what can be carried."""
        ...

    def joints(self) -> dict[str, dict[str, float]]:
        """Joint values of the parts of what stands still, by thing and part."""
        ...

    def arrangement(self) -> Arrangement:
        """Where everything is now, the first robot, too."""
        ...

    def put(self, name: str, T_world_object: Array) -> None:
        """Have somebody put a thing elsewhere, at rest."""
        ...

    def close(self) -> None:
        """Free the simulation."""
        ...


class SharedTable:
    """One world and one clock for robots of the same control period, each at its seat. ValueError for others."""

    def __init__(self, world: PhysicsWorld, *robots: RobotDescription) -> None:
        if len({r.period for r in robots}) != 1:
            raise ValueError("robots that share a clock have one control period")
        self.world, self.period, self.steps, self.stepping_seconds = world, robots[0].period, 0, 0.0
        self.seats = tuple(Seat(self, robot, number) for number, robot in enumerate(robots))
        for _ in range(SETTLING):
            for seat in self.seats:
                seat.stop()
            self.pass_period()
        self.steps, self.stepping_seconds = 0, 0.0

    @property
    def physics_steps(self) -> int:
        """Physics steps of a control period."""
        return round(self.period / self.world.step_seconds)

    def pass_period(self) -> None:
        """One control period for all, each going to where it was told to."""
        start = time.perf_counter()
        for step in range(self.physics_steps):
            for arm in self.world.arms:
                arm.drive(step)
            self.world.step()
        self.stepping_seconds += time.perf_counter() - start
        self.steps += 1


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

    def command(self, displacement: Array, opening: float) -> None:
        """Where the robot goes in the period that passes next: see `tamp.model.backend.Backend`."""
        start, arm = time.perf_counter(), self.shared.world.arms[self.number]
        arm.grip(opening)
        arm.aim(displacement, self.shared.physics_steps)
        self.shared.stepping_seconds += time.perf_counter() - start

    def stop(self) -> None:
        """Hold still for a control period."""
        self.command(np.zeros(6), self.shared.world.arms[self.number].opening)

    def put(self, name: str, T_world_object: Array) -> None:
        """Have somebody put a thing elsewhere, at rest."""
        self.shared.world.put(name, T_world_object)


class PhysicsTable(Seat):
    """A robot that is alone at its table: each command lets a control period pass."""

    def __init__(self, world: PhysicsWorld, robot: RobotDescription) -> None:
        super().__init__(SharedTable(world, robot), robot, 0)
        self.after: list[Callable[[], None]] = []
        """Called after each control period."""

    def command(self, displacement: Array, opening: float) -> None:
        """One control period: see `tamp.model.backend.Backend`."""
        super().command(displacement, opening)
        self.shared.pass_period()
        for called in self.after:
            called()


def arranged(scene: Scene, poses: Mapping[str, Array], joints: Mapping[str, Mapping[str, float]]) -> Scene:
    """The scene with its things and the joints of their parts where they are now; what is in a part moves by itself."""
    for name, values in joints.items():
        for part, value in values.items():
            moved = with_joint_at(scene, name, part, value).object(name)
            scene = replace(scene, objects=tuple(moved if o.name == name else o for o in scene.objects))
    for name, T_world_object in poses.items():
        scene = with_object_at(scene, name, T_world_object)
    return scene
