"""Pictures of a table: things and robot are seen where the physics has them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pytest

from motion.poses import Array
from motion.world import World
from tamp.backends.libero import tasks
from tamp.backends.libero.cameras import observed
from tamp.backends.physics.photographer import Photographer, StageModel
from tamp.backends.physics.start import start_of
from tamp.backends.physics.table import Arrangement
from tamp.model.images import Image
from tamp.model.scene import Scene
from tamp.perception.camera_calibration import pictures

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
