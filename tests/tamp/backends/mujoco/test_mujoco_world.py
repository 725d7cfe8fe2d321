"""A scene that was seen, as a model: what moves moves as far as it did, and things weigh what is guessed."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

from tamp.backends.mujoco.mjcf_start import mjcf_start
from tamp.backends.mujoco.mujoco_world import spec_of
from tamp.backends.physics.table import MASSES, PART_MASS
from tests.small_scene import BLOCKS, CABINET, CRATE, TABLE, small_scene

HINGE = '<joint type="hinge" axis="0 0 1" pos="-.1 -.1 0" range="0 1.5"/>'
WORLD = TABLE + BLOCKS + CABINET.format(joint=HINGE) + CRATE


def test_what_is_built_anew_is_what_was_seen(tmp_path: Path) -> None:
    scene = mjcf_start(small_scene(tmp_path, WORLD), 0)[0]
    model = spec_of(scene).compile()
    door = model.body("cabinet_top_drawer").id
    joint = int(model.body_jntadr[door])
    assert model.jnt_range[joint] == pytest.approx([0.0, 1.5]), "radians"
    assert model.body_mass[door] == pytest.approx(PART_MASS)
    assert MASSES[0] <= model.body_mass[model.body("block_1").id] <= MASSES[1]
    data = mujoco.MjData(model)
    data.qpos[model.jnt_qposadr[joint]] = 1.0
    mujoco.mj_kinematics(model, data)
    seen = scene.object("cabinet").part("cabinet_top_drawer")
    assert seen.joint is not None
    T = seen.joint.displacement(1.0) @ seen.T_world_part
    assert data.xpos[door] == pytest.approx(T[:3, 3], abs=1e-6), "it turns about the same axis"
    assert np.abs(data.xmat[door].reshape(3, 3) - T[:3, :3]).max() < 1e-6
