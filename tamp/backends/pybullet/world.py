"""A robot and the things of a scene in PyBullet, with forces. Built from what was seen alone."""

from __future__ import annotations

from motion.bullet import Bullet
from motion.poses import Array
from motion.robot import RobotDescription
from tamp.backends.physics.table import PhysicsWorld
from tamp.backends.pybullet.arm import BulletArm
from tamp.backends.pybullet.things import BulletThing
from tamp.model.scene import Scene

STEP = 0.002
"""Seconds of a physics step."""
SOLVER_STEPS = 60


class BulletWorld(PhysicsWorld):
    """PyBullet's. The scene's robot is not looked at: the arm starts at its posture."""

    step_seconds = STEP
    arm: BulletArm

    def __init__(self, scene: Scene, robot: RobotDescription) -> None:
        self.start, self.bullet = scene, Bullet()
        self.bullet.setGravity(0, 0, -9.81)
        self.bullet.setPhysicsEngineParameter(fixedTimeStep=STEP, numSolverIterations=SOLVER_STEPS, numSubSteps=0)
        self.things = [BulletThing(self.bullet, o) for o in scene]
        self.arm = BulletArm(self.bullet, robot)

    def step(self) -> None:
        """One physics step."""
        self.bullet.stepSimulation()

    def poses(self) -> dict[str, Array]:
        """`T_world_object` (4, 4) of what can be carried."""
        return {t.name: t.pose() for t in self.things if t.movable}

    def joints(self) -> dict[str, dict[str, float]]:
        """Joint values of the parts of what stands still, by thing and part."""
        return {t.name: values for t in self.things if (values := t.joints())}

    def put(self, name: str, T_world_object: Array) -> None:
        """Put a thing elsewhere, at rest."""
        next(t for t in self.things if t.name == name).put(T_world_object)

    def close(self) -> None:
        """Free the simulation."""
        self.bullet.close()
