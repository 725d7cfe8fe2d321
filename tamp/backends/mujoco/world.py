"""The robot and the things of a scene in MuJoCo, with forces."""

from __future__ import annotations

import mujoco

from motion.poses import Array, to_quat
from motion.robot import RobotDescription
from tamp.backends.mujoco.arm import MujocoArm, add_robot
from tamp.backends.mujoco.objects import body_pose
from tamp.backends.physics.table import PhysicsWorld
from tamp.model.scene import Scene

LONGEST_STEP = 0.002
"""Seconds of a physics step at most: what drives the arm is too stiff for longer ones."""


class MujocoWorld(PhysicsWorld):
    """MuJoCo's. `spec` is a model of the scene without a robot, whose bodies are called as the things and the
    parts on joints are; it is at the start where the scene has it, the arm at its posture."""

    def __init__(self, scene: Scene, robot: RobotDescription, spec: mujoco.MjSpec) -> None:
        self.start = scene
        whole = spec.copy()
        add_robot(whole, robot)
        whole.option.timestep = min(whole.option.timestep, LONGEST_STEP)
        self._m = whole.compile()
        self._d = mujoco.MjData(self._m)
        self.step_seconds = float(self._m.opt.timestep)
        self.arm = MujocoArm(self._m, self._d, robot)
        self._joints = {o.name: {p.name: self._address(p.name) for p in o.parts if p.joint} for o in scene}
        for o in scene:
            for p in o.parts:
                if p.joint is not None:
                    self._d.qpos[self._joints[o.name][p.name]] = p.joint.value
            if o.movable:
                self.put(o.name, o.T_world_object)
        mujoco.mj_step1(self._m, self._d)

    def _address(self, body: str) -> int:
        return int(self._m.jnt_qposadr[self._m.body_jntadr[self._m.body(body).id]])

    def step(self) -> None:
        """One physics step; then what everything feels, and weighs, is known again."""
        mujoco.mj_step2(self._m, self._d)
        mujoco.mj_step1(self._m, self._d)

    def poses(self) -> dict[str, Array]:
        """`T_world_object` (4, 4) of what can be carried."""
        bodies = {o.name: self._m.body(o.name).id for o in self.start if o.movable}
        return {name: body_pose(self._d, b) for name, b in bodies.items()}

    def joints(self) -> dict[str, dict[str, float]]:
        """Joint values of the parts of what stands still, by thing and part."""
        q = self._d.qpos
        return {name: {part: float(q[i]) for part, i in parts.items()} for name, parts in self._joints.items() if parts}

    def put(self, name: str, T_world_object: Array) -> None:
        """Put a thing elsewhere, at rest."""
        i, v = self._address(name), int(self._m.body_dofadr[self._m.body(name).id])
        self._d.qpos[i : i + 3], self._d.qpos[i + 3 : i + 7] = T_world_object[:3, 3], to_quat(T_world_object[:3, :3])
        self._d.qvel[v : v + 6] = 0.0
        mujoco.mj_step1(self._m, self._d)

    def close(self) -> None:
        """There is nothing to free."""
