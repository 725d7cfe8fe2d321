"""The engines that compute a table's physics."""

from __future__ import annotations

from tamp.backends.physics.start import Start
from tamp.backends.physics.table import PhysicsWorld


def world_in(engine: str, start: Start) -> PhysicsWorld:
    """The world of a start in an engine, `pybullet` or `mujoco`: a scene that somebody wrote as MJCF is in MuJoCo what
    it is there, all else is built anew of what was seen."""
    if engine == "pybullet":
        from tamp.backends.pybullet.world import BulletWorld

        return BulletWorld(start.scene, start.robot)
    from tamp.backends.mujoco.rebuilding import spec_of
    from tamp.backends.mujoco.world import MujocoWorld

    return MujocoWorld(start.scene, start.robot, start.spec or spec_of(start.scene))
