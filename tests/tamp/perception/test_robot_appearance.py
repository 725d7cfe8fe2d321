"""The robot in pictures: its skin from its shapes alone, and the pixels that show it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from motion.poses import Array, from_rpy, pose
from motion.robot import RobotDescription
from tamp.model.images import Image, pinhole
from tamp.perception.rig import BODIES, robot_pixels, skin_of_robot
from tests.solids import polygon, prism, skin

ARM = """<mujoco><worldbody><body name="base"><geom type="box" size="0.05 0.05 0.1"/>
<body name="arm" pos="0 0 0.3"><joint name="j" axis="0 0 1" range="-3 3"/>
<geom type="cylinder" size="0.03 0.1"/><site name="tool"/></body></body></worldbody></mujoco>"""
SIZE = 120


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


def picture(T_world_camera: Array, wall: float, disc: tuple[float, float] | None) -> tuple[Image, Array]:
    """A wall before a camera, and a disc of a radius and a distance before the wall; where the disc is."""
    K = pinhole(SIZE, SIZE, np.radians(45.0))
    u, v = np.meshgrid(np.arange(SIZE), np.arange(SIZE))
    depth, on = np.full((SIZE, SIZE), wall), np.zeros((SIZE, SIZE), dtype=bool)
    if disc is not None:
        radius, z = disc
        on = np.hypot((u - K[0, 2]) * z / K[0, 0], (v - K[1, 2]) * z / K[1, 1]) < radius
        depth[on] = z
    return Image("test", np.zeros((SIZE, SIZE, 3), np.uint8), depth, K, T_world_camera), on


@pytest.mark.parametrize("T", [np.eye(4), from_rpy([0.3, -0.2, 1.0], [2.0, 0.4, -1.0])])
def test_the_pixels_of_a_link_are_the_robots_wherever_the_camera_is(T: Array) -> None:
    image, on = picture(T, 1.0, (0.1, 0.6))
    link = skin(*prism(polygon(60, 0.1), 0.05))
    mask = robot_pixels(image, {"link": T @ pose([0.0, 0.0, 0.6])}, {"link": link})
    assert (mask & on).sum() > 0.99 * on.sum() and not (mask & ~on).any()
