"""Robots and the things of a scene in PyBullet, with forces. Built from what was seen alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from motion.bullet import Bullet
from motion.poses import Array
from motion.robot import RobotDescription
from tamp.backends.pybullet.arm import BulletArm
from tamp.backends.pybullet.things import BulletThing
from tamp.model.scene import RobotState, Scene, with_joint_at, with_object_at

STEP = 0.002
"""Seconds of a physics step."""
SOLVER_STEPS = 60


class BulletWorld:
    """The scene's robot is not looked at: the arms start at their postures. `arm` is the first of `arms`."""

    def __init__(self, scene: Scene, *robots: RobotDescription) -> None:
        self.start, self.bullet = scene, Bullet()
        self.bullet.setGravity(0, 0, -9.81)
        self.bullet.setPhysicsEngineParameter(fixedTimeStep=STEP, numSolverIterations=SOLVER_STEPS, numSubSteps=0)
        self.things = [BulletThing(self.bullet, o) for o in scene]
        self.arms = tuple(BulletArm(self.bullet, robot) for robot in robots)
        self.arm = self.arms[0]

    def step(self) -> None:
        """One physics step."""
        self.bullet.stepSimulation()

    def robot(self, number: int = 0) -> RobotState:
        """Where an arm and its fingers are."""
        felt = self.arms[number].felt()
        return RobotState(felt.q, float(np.abs(felt.fingers).sum()), self.arms[number].now().T_world_tool)

    def apart(self, one: int, other: int, held: Mapping[int, str], most: float) -> float:
        """Metres between two arms, with what they hold (things by the number of the arm), at most `most`."""
        bodies = {n: [self.arms[n].body] for n in (one, other)}
        for number, name in held.items():
            bodies[number] += [t.body for t in self.things if t.name == name]
        near = (
            point[8]
            for a in bodies[one]
            for b in bodies[other]
            if a != b
            for point in self.bullet.getClosestPoints(a, b, most)
        )
        return float(min(near, default=most))

    def poses(self) -> dict[str, Array]:
        """`T_world_object` (4, 4) of what can be carried."""
        return {t.name: t.pose() for t in self.things if t.movable}

    def joints(self) -> dict[str, dict[str, float]]:
        """Joint values of the parts of what stands still, by thing and part."""
        return {t.name: values for t in self.things if (values := t.joints())}

    def put(self, name: str, T_world_object: Array) -> None:
        """Have somebody put a thing elsewhere, at rest."""
        next(t for t in self.things if t.name == name).put(T_world_object)

    def close(self) -> None:
        """Free the simulation."""
        self.bullet.close()


def arranged(scene: Scene, poses: Mapping[str, Array], joints: Mapping[str, Mapping[str, float]]) -> Scene:
    """The scene with its things and the joints of their parts where they are now; what is in a part moves by itself."""
    for name, values in joints.items():
        for part, value in values.items():
            moved = with_joint_at(scene, name, part, value).object(name)
            scene = replace(scene, objects=tuple(moved if o.name == name else o for o in scene.objects))
    for name, T_world_object in poses.items():
        scene = with_object_at(scene, name, T_world_object)
    return scene
