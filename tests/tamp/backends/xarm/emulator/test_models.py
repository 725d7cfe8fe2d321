"""Each model, driven by the unmodified SDK."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from motion.arms import ARMS
from tamp.backends.xarm.emulator.protocol import to_pose
from tamp.backends.xarm.emulator.report_frames import KINDS

pytestmark = pytest.mark.process

BENT = {"xarm5": [0.2, -0.4, -0.8, 1.2, 0.3], "xarm7": [0.2, -0.3, 0.1, 0.6, 0.1, 0.9, 0.2]}
BENT |= {"xarm6": [0.2, -0.4, -0.9, 0.1, 1.3, 0.2], "lite6": [0.2, 0.1, 1.2, 0.1, 1.0, 0.2]}
BENT |= {"850": [0.2, -0.1, -1.2, 0.1, -1.0, 0.2]}


@pytest.mark.parametrize("model", sorted(ARMS))
def test_each_model_is_what_it_says_and_moves(model: str, running: Any, connected: Any, ready: Any) -> None:
    with running(model) as emulator:
        arm = connected(emulator)
        assert (arm.device_type, arm.axis) == KINDS[model]
        ready(arm)
        assert arm.set_servo_angle(angle=BENT[model], speed=3, mvacc=20, wait=True) == 0
        q = np.array(emulator.state()["joints"])
        assert q == pytest.approx(BENT[model], abs=1e-6)
        code, pose = arm.get_position()
        assert code == 0
        T = ARMS[model].forward(q)
        assert pose[:3] == pytest.approx(T[:3, 3] * 1000, abs=1e-3)
        assert np.allclose(to_pose(pose)[:3, :3], T[:3, :3], atol=1e-5)
        assert arm.set_position(z=-40, relative=True, speed=400, mvacc=5000, wait=True) == 0
        assert emulator.state()["pose"][:3] == pytest.approx([*pose[:2], pose[2] - 40], abs=0.01)
        assert emulator.state()["error"] == 0


def test_a_lite6_has_no_such_gripper(running: Any, connected: Any, ready: Any) -> None:
    with running("lite6") as emulator:
        arm = connected(emulator)
        ready(arm)
        arm.set_gripper_enable(True)
        assert emulator.state()["error"] == 19
