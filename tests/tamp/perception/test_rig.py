"""Depth made steady: less scatter, nothing between surfaces, and clean depth left as it is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from motion.robot import RobotDescription
from tamp.backends.libero.cameras import measured
from tamp.model.images import Image
from tamp.perception.rig import BODIES, skin_of_robot, steady
from tests.synthetic_looks import CAMERAS, model, standing, taken


def noisy(image: Image) -> Image:
    return replace(image, depth=measured(image.depth, np.random.default_rng(0)))


def test_noise_is_averaged_and_what_hangs_between_surfaces_goes() -> None:
    image = taken(CAMERAS[0], [standing(model("can"), 0.0, 0.0, 0.0), standing(model("carton"), 0.0, 0.15, 0.4)])
    before, after = noisy(image).depth, steady(noisy(image)).depth
    off = [np.abs(d - image.depth)[(d > 0) & (image.depth < 2)] for d in (before, after)]
    assert np.median(off[1]) < 0.5 * np.median(off[0])
    hanging = [float((o > 0.02).mean()) for o in off]
    assert hanging[0] > 0.005 and hanging[1] < 0.1 * hanging[0]
    assert (after > 0).mean() > 0.9


ARM = """<mujoco><worldbody><body name="base"><geom type="box" size="0.05 0.05 0.1"/>
<body name="arm" pos="0 0 0.3"><joint name="j" axis="0 0 1" range="-3 3"/>
<geom type="cylinder" size="0.03 0.1"/><site name="tool"/></body></body></worldbody></mujoco>"""


def robot() -> RobotDescription:
    pinned = frozenset({"base"})
    return RobotDescription(mjcf=ARM, arm_joints=("j",), tool_site="tool", posture=np.zeros(1), pinned_bodies=pinned)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the skins are kept: they are made by the first who asks."""
    return tmp_path_factory.mktemp("skins")


def test_each_body_has_the_skin_of_its_shapes_in_its_own_frame(folder: Path) -> None:
    skins = skin_of_robot(robot(), folder).skins
    assert set(skins) == {"base", "arm"}
    on_box = np.array([[0.05, 0.0, 0.02], [0.0, -0.05, 0.0]])
    assert skins["base"].field.distance(on_box) == pytest.approx([0.0, 0.0], abs=0.002)
    radii = np.linalg.norm(skins["arm"].points[np.abs(skins["arm"].points[:, 2]) < 0.09, :2], axis=1)
    assert radii == pytest.approx(np.full(len(radii), 0.03), abs=0.002)


def test_it_is_made_once_and_again_when_its_file_is_damaged(folder: Path) -> None:
    made = skin_of_robot(robot(), folder)
    (file,) = (folder / BODIES).glob("*.npz")
    before = file.stat().st_mtime_ns
    again = skin_of_robot(robot(), folder)
    assert file.stat().st_mtime_ns == before
    assert again.source == made.source and len(again.skins["arm"].points) == len(made.skins["arm"].points)
    file.write_bytes(b"no file of arrays")
    assert set(skin_of_robot(robot(), folder).skins) == {"base", "arm"}
    assert file.stat().st_size > 1000
