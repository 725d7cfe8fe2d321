"""A table in a physics engine: a world of things, and a robot that is commanded as every other."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from motion.arm_drive import ArmDrive, Dynamics, Encoders
from motion.poses import Array
from motion.robot import RobotDescription
from motion.shapes import Shape
from tamp.model.scene import PartKind, RobotState, Scene, with_joint_at, with_object_at

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


class PhysicsArm(ABC):
    """An arm and its hand, told where to go by `aim` and driven there by `drive`. `opening` (m) is where the fingers
    were told to go."""

    def __init__(self, robot: RobotDescription) -> None:
        self._robot, self._drive = robot, ArmDrive(robot)
        self.opening = robot.gripper.opening

    @abstractmethod
    def felt(self) -> Encoders:
        """Its joints now."""

    def now(self) -> Dynamics:
        """The arm as it is now."""
        return self._drive.now(self.felt())

    def grip(self, opening: float) -> None:
        """Have the fingers go to an opening (m), pressing on what is in between."""
        self.opening = opening

    def aim(self, displacement: Array, steps: int) -> None:
        """Start moving the tool by a displacement (6,) in a control period of `steps` physics steps."""
        self._drive.aim(self.felt(), displacement, steps)

    @abstractmethod
    def drive(self, step: int) -> None:
        """Do what moves the joints in one of the physics steps."""


class PhysicsWorld(ABC):
    """Things and a robot with forces. `start` is the scene that it was made of, `step_seconds` a physics step's."""

    start: Scene
    step_seconds: float
    arm: PhysicsArm

    @abstractmethod
    def step(self) -> None:
        """One physics step."""

    def robot(self) -> RobotState:
        """Where the arm and its fingers are."""
        felt = self.arm.felt()
        return RobotState(felt.q, float(np.abs(felt.fingers).sum()), self.arm.now().T_world_tool)

    @abstractmethod
    def poses(self) -> dict[str, Array]:
        """`T_world_object` (4, 4) of what can be carried."""

    @abstractmethod
    def joints(self) -> dict[str, dict[str, float]]:
        """Joint values of the parts of what stands still, by thing and part."""

    def arrangement(self) -> Arrangement:
        """Where everything is now, the robot, too."""
        felt = self.arm.felt()
        return Arrangement(self.poses(), self.joints(), felt.q, felt.fingers)

    @abstractmethod
    def put(self, name: str, T_world_object: Array) -> None:
        """Put a thing elsewhere, at rest."""

    @abstractmethod
    def close(self) -> None:
        """Free the simulation."""


class PhysicsTable:
    """A world and its robot: a `Backend` and a `Perceiver` in one. Each command lets a control period pass."""

    def __init__(self, world: PhysicsWorld, robot: RobotDescription) -> None:
        self.world, self.robot_model, self.period = world, robot, robot.period
        self.steps, self.stepping_seconds = 0, 0.0
        self.after: list[Callable[[], None]] = []
        """Called after each control period."""
        for _ in range(SETTLING):
            self.stop()
        self.steps, self.stepping_seconds = 0, 0.0

    @property
    def time(self) -> float:
        """Seconds since everything had come to rest."""
        return self.steps * self.period

    @property
    def physics_steps(self) -> int:
        """Physics steps of a control period."""
        return round(self.period / self.world.step_seconds)

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
        """One control period: see `tamp.model.backend.Backend`."""
        start, arm = time.perf_counter(), self.world.arm
        arm.grip(opening)
        arm.aim(displacement, self.physics_steps)
        for step in range(self.physics_steps):
            arm.drive(step)
            self.world.step()
        self.stepping_seconds += time.perf_counter() - start
        self.steps += 1
        for called in self.after:
            called()

    def stop(self) -> None:
        """Hold still for a control period."""
        self.command(np.zeros(6), self.world.arm.opening)

    def put(self, name: str, T_world_object: Array) -> None:
        """Put a thing elsewhere, at rest."""
        self.world.put(name, T_world_object)


def arranged(scene: Scene, poses: Mapping[str, Array], joints: Mapping[str, Mapping[str, float]]) -> Scene:
    """The scene with its things and the joints of their parts where they are now; what is in a part moves by itself."""
    for name, values in joints.items():
        for part, value in values.items():
            moved = with_joint_at(scene, name, part, value).object(name)
            scene = replace(scene, objects=tuple(moved if o.name == name else o for o in scene.objects))
    for name, T_world_object in poses.items():
        scene = with_object_at(scene, name, T_world_object)
    return scene


DENSITY = 250.0
"""kg/m³ of what things are made of, hollow as they are: a guess, since vision does not show mass."""
MASSES = (0.03, 0.6)
"""Kilograms between which a thing weighs."""
PART_MASS = 0.3
"""Kilograms of a part on a joint."""
FRICTION = 1.0
"""Of things on each other."""
SPIN, ROLL = 2e-3, 1e-4
"""Metres by which what turns, or rolls, on something rubs."""
RUBS: Mapping[PartKind, float] = {"drawer": 2.0, "door": 0.3, "knob": 0.05, "body": 0.1}
"""What moves a part in its joint: newtons, or newton metres."""

PAD_FRICTION = 2.0
"""Of the fingers' pads."""
GRIP = 30.0
"""Newtons of a finger."""
FINGER_SPEED = 0.15
"""Metres a second of a finger."""


def shape_volume(shape: Shape) -> float:
    """Cubic metres."""
    a, b, c = (float(v) for v in shape.size)
    ball = 4.0 / 3.0 * np.pi * a**3
    rod = 2.0 * np.pi * a**2 * b
    return {"box": 8.0 * a * b * c, "sphere": ball, "cylinder": rod, "capsule": rod + ball}.get(shape.kind, 0.0)


def mass_of(shapes: tuple[Shape, ...]) -> float:
    """Kilograms that a thing of these shapes is taken to weigh."""
    return float(np.clip(DENSITY * sum(map(shape_volume, shapes)), *MASSES))


def box_inertia(mass: float, shapes: tuple[Shape, ...]) -> tuple[Array, Array]:
    """Inertia (3, 3) of a box of a mass around the shapes, and its middle (3,)."""
    corners = np.concatenate([s.corners() for s in shapes])
    low, high = corners.min(axis=0), corners.max(axis=0)
    x, y, z = (high - low) ** 2
    return mass / 12.0 * np.diag([y + z, x + z, x + y]), 0.5 * (low + high)
