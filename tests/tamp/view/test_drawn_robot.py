"""The robots that a log names, placed and posed as it says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tamp.backends import bodies
from tamp.view.drawn_robot import robot_of

SHOULDER = [-0.66, 0.1, 1.245, 1.0, 0.0, 0.0, 0.0]
POSTURE = [0.0, -0.161, 0.0, -2.444, 0.0, 2.283, 0.785]


def stands(body: str, **shown: Any) -> dict[str, Any]:
    return {"event": "robot", "body": body, "shoulder": SHOULDER, "period": 0.05, **shown}


def command(q: list[float], **shown: Any) -> dict[str, Any]:
    return {"event": "command", "step": 1, "q": q, "fingers": 0.06, **shown}


def test_the_panda_holds_its_tool_where_its_description_has_it() -> None:
    robot = robot_of(stands("panda"))
    assert robot is not None and robot.period == 0.05
    felt = robot.configuration(command(POSTURE))
    assert felt is not None
    frames = robot.shape.part_frames(*felt)
    pads = [frames[name] for name in ("finger_joint1_tip", "finger_joint2_tip")]
    assert np.linalg.norm(pads[0][:3, 3] - pads[1][:3, 3]) == pytest.approx(0.06, abs=0.02)
    assert (pads[0][:3, 3] + pads[1][:3, 3])[1] / 2 == pytest.approx(0.1, abs=0.01)  # it reaches along x of its base
    assert frames["link0"][:3, 3] == pytest.approx([-0.66, 0.1, 0.912], abs=1e-6)


def test_a_body_whose_file_is_gone_is_not_drawn(tmp_path: Path) -> None:
    own = tmp_path / "mine.toml"
    own.write_text((bodies.SHIPPED / "xarm6.toml").read_text())
    assert robot_of(stands(str(own))) is not None
    own.unlink()
    assert robot_of(stands(str(own))) is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"event": "start"},
        stands("no such robot"),
        stands("panda") | {"shoulder": [0.0]},
        stands("panda") | {"shoulder": ["a"] * 7},
        {"event": "start", "arm": "an arm"},
    ],
)
def test_a_log_that_does_not_say_has_none(wrong: dict[str, Any]) -> None:
    assert robot_of(wrong) is None


@pytest.mark.parametrize("q", [None, [0.0] * 6, [0.0] * 6 + ["x"], [float("nan")] * 7, [1e300] * 7, [10**400] * 7])
def test_what_is_no_configuration_is_none(q: Any) -> None:
    robot = robot_of(stands("panda"))
    assert robot is not None and robot.configuration(command(q)) is None
