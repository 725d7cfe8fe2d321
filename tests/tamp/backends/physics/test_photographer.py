"""Pictures of a table: things and robot are seen where the physics has them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pytest

from motion.poses import Array, pose
from motion.world import World
from tamp.backends import bodies
from tamp.backends.libero import tasks
from tamp.backends.libero.cameras import observed
from tamp.backends.physics.photographer import Photographer, StageModel
from tamp.backends.physics.start import start_of
from tamp.backends.physics.table import Arrangement
from tamp.model.images import Image
from tamp.model.scene import Scene
from tamp.perception.camera_calibration import pictures
from tamp.perception.rig import link_poses, robot_pixels, seen_past_robot, skin_of_robot

pytestmark = pytest.mark.episode

BODY = "xarm7"
NEAR = 0.004
"""Metres up to which a point counts as one of a thing."""


@dataclass
class Set:
    """A scene with an arm, and who takes pictures of it."""

    scene: Scene
    stage: StageModel
    photographer: Photographer

    def start(self) -> Arrangement:
        robot = self.stage.robot
        poses = {o.name: o.T_world_object for o in self.scene if o.movable}
        joints = {o.name: {p.name: p.joint.value for p in o.parts if p.joint is not None} for o in self.scene}
        signs = np.sign([World(robot, []).model.joint(n).range.sum() for n in robot.finger_joints])
        return Arrangement(poses, joints, robot.posture, 0.5 * robot.gripper.opening * signs)

    def images(self, now: Arrangement) -> tuple[Image, ...]:
        T = World(self.stage.robot, []).forward(now.q)
        return pictures(observed(self.photographer.images(now)), self.stage.cameras, T)


@pytest.fixture(scope="module")
def here() -> Iterator[Set]:
    start = start_of(tasks.find("libero_goal/3"), 0, 0, BODY, drawn=True)
    assert start.stage is not None
    photographer = Photographer(start.stage)
    yield Set(start.scene, start.stage, photographer)
    photographer.close()


def on_thing(image: Image, scene: Scene, name: str) -> int:
    """Pixels that show something in the upper half of the box around a thing."""
    low, high = scene.object(name).bounds()
    low[2] = 0.5 * (low[2] + high[2])
    p = image.points()
    with np.errstate(invalid="ignore"):
        return int(((p > low - NEAR) & (p < high + NEAR)).all(axis=-1).sum())


def test_things_are_seen_where_they_are_and_no_longer_where_they_were(here: Set) -> None:
    now, name = here.start(), "wine_bottle_1"
    fixed, hand = here.images(now)
    assert on_thing(fixed, here.scene, name) > 100 and on_thing(hand, here.scene, name) > 100
    T: Array = now.poses[name].copy()
    T[1, 3] += 0.3
    after = here.images(replace(now, poses={**now.poses, name: T}))[0]
    assert on_thing(after, here.scene, name) < 10


def test_of_two_robots_only_the_one_that_stands_there_is_seen(here: Set) -> None:
    now, robot = here.start(), here.stage.robot
    skins = skin_of_robot(bodies.find(BODY).robot).skins
    for q in (robot.posture, robot.posture + np.eye(len(robot.posture))[0] * 0.5):
        fixed, hand = here.images(replace(now, q=q))
        at = link_poses(World(robot, []), q, robot.gripper.opening, skins)
        assert seen_past_robot(fixed, at, skins) < 0.01, "its arm is where its encoders have it"
        assert robot_pixels(fixed, at, skins).sum() > 5000 and robot_pixels(hand, at, skins).sum() > 1000
    panda = pose([-0.66, 0.0, 1.15])  # there would be a Panda
    p = fixed.points()[~robot_pixels(fixed, at, skins)]
    with np.errstate(invalid="ignore"):
        assert not (np.linalg.norm(p - panda[:3, 3], axis=1) < 0.12).any()
