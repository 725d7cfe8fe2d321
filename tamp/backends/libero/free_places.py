"""Where somebody could put a thing down in a simulation: places at which it stays, and touches nothing by much."""

from __future__ import annotations

from collections.abc import Iterator

import mujoco
import numpy as np

from motion.poses import Array, error
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.mujoco.model_objects import subtree

SETTLING = 150
"""Physics steps in which it has to stay where it was put."""
STAYS = (0.01, 0.2)
"""Metres and radians by which it may move in them."""
DEEP = 0.001
"""Metres that it may be in something else."""
LEVEL = 0.001
"""Metres above what it is put on."""


def around(p: Array, distances: tuple[float, float], rng: np.random.Generator, tries: int = 40) -> Iterator[Array]:
    """Places (3,) beside a place, in drawn directions and at drawn distances (m) between two."""
    for _ in range(tries):
        angle, r = rng.uniform(0.0, 2.0 * np.pi), rng.uniform(*distances)
        yield p + r * np.array([np.cos(angle), np.sin(angle), 0.0])


def stays(environment: LiberoEnvironment, name: str, T_world_object: Array) -> bool:
    """Whether a thing put there stays. The simulation is afterwards as it was before."""
    model, data = environment.sim.model._model, environment.sim.data._data
    kind = mujoco.mjtState.mjSTATE_INTEGRATION
    before = np.empty(mujoco.mj_stateSize(model, kind))
    mujoco.mj_getState(model, data, before, kind)
    try:
        environment.put(name, T_world_object)
        root = model.body(environment.root_bodies()[name]).id
        if _is_deep(model, data, root):
            return False
        T = environment.pose_of(name)
        for _ in range(SETTLING):
            mujoco.mj_step(model, data)
        moved = error(T, environment.pose_of(name))
        return bool(np.linalg.norm(moved[:3]) < STAYS[0] and np.linalg.norm(moved[3:]) < STAYS[1])
    finally:
        mujoco.mj_setState(model, data, before, kind)
        mujoco.mj_forward(model, data)


def _is_deep(model: mujoco.MjModel, data: mujoco.MjData, root: int) -> bool:
    own = set(subtree(model, root))
    for c in data.contact[: data.ncon]:
        bodies = {int(model.geom_bodyid[g]) for g in c.geom}
        if bodies & own and not bodies <= own and c.dist < -DEEP:
            return True
    return False
