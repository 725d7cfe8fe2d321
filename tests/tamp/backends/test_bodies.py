"""Robots by their files: what they are, where they stand, and what is wrong with a file."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from motion.world import World
from tamp.backends import bodies
from tamp.errors import InputError

GOOD = """\
arm = "xarm6"
hand = "xarm-gripper"
posture = [0.0, -0.4, -0.97, 0.0, 1.37, 0.0]
reach = 0.7
joint_period = 0.01
efforts = [50.0, 50.0, 32.0, 32.0, 32.0, 20.0]
"""


@pytest.mark.parametrize("name", bodies.names())
def test_it_rests_with_the_hand_down_and_closing_across(name: str) -> None:
    robot = bodies.find(name).at(np.eye(4))
    T = World(robot, []).forward(robot.posture)
    assert T[:3, 2] == pytest.approx([0, 0, -1], abs=0.02)
    assert abs(T[1, 0]) == pytest.approx(1.0, abs=0.01), "the fingers close along y"


@pytest.mark.parametrize("name", bodies.names())
@pytest.mark.parametrize("opening", [0.0, 0.03, 0.084])
def test_the_pads_are_as_far_apart_as_the_hand_is_open(name: str, opening: float) -> None:
    body = bodies.find(name)
    robot = body.at(np.eye(4))
    world = World(robot, [])
    world.set_opening(opening)
    T_world_tool = world.forward(robot.posture)
    pads, across = [world.model.geom(pad).id for pad in robot.pad_geoms], T_world_tool[:3, 0]
    one, other = (world.data.geom_xpos[pad] @ across for pad in pads)
    turned = world.data.geom_xmat[pads[0]].reshape(3, 3)
    thickness = 2 * np.abs(turned.T @ across) @ world.model.geom_size[pads[0]]
    exact = 1e-9 if body.arm else 1.5e-3  # in others' models pads overlap a little where they are said to touch
    assert abs(one - other) - thickness == pytest.approx(opening, abs=exact)


def test_in_place_of_a_panda_it_stands_nearer_by_what_it_reaches_less() -> None:
    robot = bodies.find("xarm7").in_place_of(np.array([-0.66, 0.1, 0.9]))
    assert World(robot, []).base_position()[:2] == pytest.approx([-0.505, 0.1])


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(GOOD)
    assert bodies.find(str(tmp_path / "mine.toml")).reach == 0.7


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('"xarm6"', '"xarm8"', "mine.toml:1: no arm 'xarm8'; valid: "),
        ("-0.97", "3.0", "mine.toml:3: posture has 3.0 for joint 3; valid: -3.93 to 0.19"),
        ("[0.0, -0.4,", "[", "mine.toml:3: posture is"),
        ("reach = 0.7", "reach = 700", "mine.toml:4: reach is 700; valid: metres"),
        ("reach = 0.7", "range = 0.7", "mine.toml:4: unknown key 'range'"),
        ("reach = 0.7\n", "", "reach is missing; valid: metres"),
    ],
)
def test_what_is_wrong_with_a_file(tmp_path: Path, before: str, after: str, message: str) -> None:
    (tmp_path / "mine.toml").write_text(GOOD.replace(before, after))
    with pytest.raises(InputError, match=re.escape(message)):
        bodies.find(str(tmp_path / "mine.toml"))


def test_a_robot_that_there_is_not() -> None:
    with pytest.raises(InputError, match="no robot 'xarm9'; "):
        bodies.find("xarm9")
