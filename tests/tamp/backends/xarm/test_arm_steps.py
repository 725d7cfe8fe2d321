"""Steps with their defaults, in metres, radians and seconds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tamp.backends.xarm import arm_steps as s
from tamp.backends.xarm.arm_steps import steps_of
from tamp.backends.xarm.contract import breaches


@pytest.mark.parametrize(
    ("said", "step"),
    [
        ({"action": "MOVE_TO_NAMED", "name": "home"}, s.MoveToNamed("home")),
        ({"action": "APPROACH_NAMED", "name": "home"}, s.ApproachNamed("home", 0.08)),
        ({"action": "APPROACH_NAMED", "name": "home", "hover_mm": 0}, s.ApproachNamed("home", 0.0)),
        ({"action": "MOVE_TO_OBJECT", "label": "cup"},
         s.MoveToObject(("cup",), "nearest", None, 0, 0.0, 5.0, (0.0, 0.0, 0.0))),
        ({"action": "MOVE_TO_OBJECT", "labels": ["cup", "mug"], "selector": "highest_conf", "index": 2, "min_conf": 0.5,
          "timeout_sec": 2, "offset_mm": [1, -2, 30]},
         s.MoveToObject(("cup", "mug"), "highest_conf", None, 2, 0.5, 2.0, (0.001, -0.002, 0.03))),
        ({"action": "APPROACH_OBJECT", "label": "cup", "labels": ["cup"], "ref": {"named": "bin"}, "index": 1.0},
         s.ApproachObject(("cup",), "nearest", "bin", 1, 0.0, 5.0, 0.08)),
        ({"action": "RETREAT_Z", "dz_mm": 80}, s.RetreatZ(0.08)),
        ({"action": "SLEEP", "seconds": 0}, s.Sleep(0.0)),
        ({"action": "MOVE_TO_POSE", "pose": {"xyz_mm": [300, 0, 200], "rpy_deg": [180, 0, 90]}},
         s.MoveToPose((0.3, 0.0, 0.2), (math.pi, 0.0, math.pi / 2))),
    ],
)  # fmt: skip
def test_a_step_says_all_that_is_left_out(said: dict[str, Any], step: s.Step) -> None:
    plan = {"goal": "g", "steps": [said]}
    assert breaches(plan) == []
    assert steps_of(plan) == (step,)


def test_a_numeric_pose_is_roll_pitch_and_yaw_as_the_arm_has_them() -> None:
    (step,) = steps_of(
        {"steps": [{"action": "MOVE_TO_POSE", "pose": {"xyz_mm": [300, 10, 200], "rpy_deg": [180, 0, 90]}}]}
    )
    assert isinstance(step, s.MoveToPose)
    expected = [[0, 1, 0, 0.3], [1, 0, 0, 0.01], [0, 0, -1, 0.2], [0, 0, 0, 1]]
    assert np.allclose(step.T_base_tool, expected, atol=1e-12)
