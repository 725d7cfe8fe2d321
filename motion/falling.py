"""Where a body comes to rest that is let go of among others which stay where they are: a second of physics."""

from __future__ import annotations

import mujoco
import numpy as np

from motion.poses import Array, from_quat, pose
from motion.world import World, add_body

SECONDS, STEP = 1.5, 0.004
"""Seconds that a body may take to come to rest, and of a step of the simulation."""
LOOK = 25
"""Steps between two looks at whether it rests."""
RESTS = 0.002
"""Metres, or component of a direction, by which it moves at most between two looks when it rests."""

NUDGE = (0.03, 0.02, 0.0)
"""Metres a second with which it begins: fingers that open push a little, and nothing balances on a point."""


def fallen(world: World, name: str, T_world_body: Array) -> Array | None:
    """Pose (4, 4) at which body `name` comes to rest, let go of at `T_world_body`, where every other body is fixed and
    the robot is not there; None where it does not come to rest."""
    spec = mujoco.MjSpec()
    spec.option.timestep = STEP
    spec.option.enableflags |= mujoco.mjtEnableBit.mjENBL_MULTICCD  # a face rests on more than one point
    for body in world.bodies.values():
        if body.name != name:
            at = world.data.body(body.name)
            add_body(spec, body, pose(at.xpos, at.xmat.reshape(3, 3)), free=False, margin=0.0)
    add_body(spec, world.bodies[name], T_world_body, free=True, margin=0.0)
    model = spec.compile()
    model.geom_conaffinity[:], model.body_conaffinity[:] = model.geom_contype, model.body_contype
    data = mujoco.MjData(model)
    data.qvel[:3] = NUDGE
    before = T_world_body
    for _ in range(int(SECONDS / STEP / LOOK)):
        mujoco.mj_step(model, data, LOOK)
        world.spend(LOOK // 5)
        T = from_quat(data.qpos[:3], data.qpos[3:])
        if np.abs(T - before).max() < RESTS:
            return T
        before = T
    return None
