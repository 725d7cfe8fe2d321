"""Robots from models that others have written: what becomes of them, and what is wrong with them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from motion.bullet import Bullet
from motion.urdf import links_of, written
from motion.world import World
from tamp.backends import bodies
from tamp.backends.libero import tasks
from tamp.backends.pybullet.run import run
from tamp.errors import InputError
from tamp.model.domain import load
from tamp.runs.episode import Settings

PAGE = Path(__file__).parents[3] / "docs" / "bodies.md"

LINK = '<link name="{0}"><inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/>\
</inertial><collision><origin xyz="0 0 0.1"/><geometry>{1}</geometry></collision></link>'
JOINT = '<joint name="{0}" type="{1}"><parent link="{2}"/><child link="{3}"/><origin xyz="{4}"/><axis xyz="{5}"/>\
<limit lower="{6}" upper="{7}" effort="50" velocity="2"/></joint>'
BOX = '<box size="0.04 0.04 0.2"/>'
ARM = "\n".join(
    [
        '<robot name="small">',
        *(LINK.format(name, BOX) for name in ("base", "one", "two", "hand", "left", "right")),
        JOINT.format("shoulder", "revolute", "base", "one", "0 0 0.2", "0 1 0", -2, 2),
        JOINT.format("elbow", "revolute", "one", "two", "0 0 0.3", "0 1 0", -2, 2),
        JOINT.format("wrist", "revolute", "two", "hand", "0 0 0.3", "0 1 0", -2, 2),
        JOINT.format("f1", "prismatic", "hand", "left", "0.02 0 0.2", "1 0 0", 0, 0.04),
        JOINT.format("f2", "prismatic", "hand", "right", "-0.02 0 0.2", "-1 0 0", 0, 0.04),
        "</robot>",
    ]
)
TOLD = """\
urdf = "arm.urdf"
arm_joints = ["shoulder", "elbow", "wrist"]
finger_joints = ["f1", "f2"]
pads = ["left", "right"]
posture = [0.3, 0.6, 0.5]
reach = 0.6
[tool]
link = "hand"
xyz = [0.0, 0.0, 0.3]
[gripper]
opening = 0.08
"""


def body(folder: Path, told: str = TOLD, arm: str = ARM) -> bodies.RobotBody:
    (folder / "arm.urdf").write_text(arm)
    (folder / "arm.toml").write_text(told)
    return bodies.find(str(folder / "arm.toml"))


@pytest.fixture
def kinova(tmp_path: Path) -> Path:
    """The file on the page."""
    found = re.search(r"```toml\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert found is not None
    (tmp_path / "kinova3.toml").write_text(found[1])
    return tmp_path / "kinova3.toml"


def test_a_small_urdf_is_a_robot(tmp_path: Path) -> None:
    robot = body(tmp_path).robot
    world = World(robot, [])
    assert world.forward(np.zeros(3))[:3, 3] == pytest.approx([0, 0, 0.2 + 0.3 + 0.3 + 0.3])
    assert world.forward(np.array([np.pi / 2, 0, 0]))[:3, 3] == pytest.approx([0.9, 0, 0.2])
    assert robot.pinned_bodies == {"base"}


def test_it_folds_into_itself_and_is_told(tmp_path: Path) -> None:
    world = World(body(tmp_path).robot, [])
    assert not world.contacts(np.array([0.3, 0.6, 0.5]))
    assert world.contacts(np.array([-2.0, -2.0, -2.0])), "the hand is in the upper arm, or the base"


def test_it_stands_where_it_is_put(tmp_path: Path) -> None:
    T_world_base = np.eye(4)
    T_world_base[:3, 3] = [1.0, -2.0, 0.5]
    robot = body(tmp_path).at(T_world_base)
    assert World(robot, []).forward(np.zeros(3))[:3, 3] == pytest.approx([1.0, -2.0, 0.5 + 1.1])


@pytest.mark.parametrize("name", ["xarm6", "xarm7", "kinova"])
def test_pybullet_has_the_links_where_they_are(name: str, kinova: Path) -> None:
    robot = bodies.find(str(kinova) if name == "kinova" else name).at(np.eye(4))
    world, bullet, rng = World(robot, []), Bullet(), np.random.default_rng(0)
    try:
        number = bullet.load(lambda folder: written("robot", links_of(robot, folder)), np.eye(4), fixed=True)
        infos = [bullet.getJointInfo(number, i) for i in range(bullet.getNumJoints(number))]
        joints = {info[1].decode(): i for i, info in enumerate(infos)}
        last = world.model.body(world.model.jnt_bodyid[world.model.joint(robot.arm_joints[-1]).id]).name
        link = next(i for i, info in enumerate(infos) if info[12].decode() == last)
        for _ in range(5):
            q = rng.uniform(*world.limits.T)
            for joint, value in zip(robot.arm_joints, q.tolist(), strict=True):
                bullet.resetJointState(number, joints[joint], value)
            world.forward(q)
            there = bullet.getLinkState(number, link, computeForwardKinematics=True)[4]
            assert world.data.xpos[world.model.body(last).id] == pytest.approx(there, abs=1e-5)
    finally:
        bullet.close()


def test_the_page_shows_where_the_tool_is(kinova: Path) -> None:
    code = re.search(r"```python\n(.*?)```\n\n((?:    [^\n]*\n)+)", PAGE.read_text(), re.DOTALL)
    assert code is not None
    command = [sys.executable, "-c", code[1]]
    done = subprocess.run(command, cwd=kinova.parent, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == code[2].split()


@pytest.mark.episode
def test_the_arm_of_the_page_does_what_the_page_says(kinova: Path, tmp_path: Path) -> None:
    settings = Settings(load("tabletop"), seed=0, init_state=0, body=str(kinova))
    result = run(tasks.find("libero_goal/8"), None, settings, tmp_path / "episode", lambda line: None)
    assert result.success and result.lasting, f"{result.stage}: {result.reason}"


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('"elbow"', '"elbew"', "arm.toml:1: arm.urdf has no joint 'elbew'; did you mean 'elbow'?"),
        ('link = "hand"', 'link = "hamd"', "arm.urdf has no link 'hamd' for the tool; did you mean 'hand'?"),
        ('"left"', '"lift"', "no pad 'lift'; did you mean 'left'?"),
        ("0.6, 0.5", "0.6, 2.5", "arm.toml:5: posture has 2.5 for joint 3; valid: -2.00 to 2.00"),
        ("opening = 0.08", "opening = 0.2", "arm.toml:11: opening is 0.2 m, and the fingers can move 0.08 m apart"),
        ('"arm.urdf"', '"none.urdf"', "arm.toml:1: no file none.urdf; valid: a file beside this one"),
        ('"arm.urdf"', '"nopackage:a.urdf"', "arm.toml:1: no package 'nopackage' is installed"),
        ('["f1", "f2"]', '["f1"]', "a hand has two finger_joints and two pads"),
        ("reach", "efforts = [1, 1, 1]\nreach", "efforts are of joints that take targets; valid with joint_period"),
        ("opening", "width", "arm.toml:11: unknown key 'width' of gripper"),
    ],
)
def test_what_is_wrong_with_the_file(tmp_path: Path, before: str, after: str, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        body(tmp_path, TOLD.replace(before, after))


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('lower="-2" upper="2" effort', "effort", "joint shoulder has no limits; valid: <limit lower=… upper=…/>"),
        (BOX, '<mesh filename="link.stl"/>', "arm.urdf: the mesh link.stl is missing"),
        (BOX, '<mesh filename="package://small/link.stl"/>', "the mesh package://small/link.stl is missing"),
        ("0.04 0.04 0.2", "40 40 200", "would be 208 m large; is its mesh in millimetres?"),
        ("<robot", "robot", "arm.urdf is no XML"),
    ],
)
def test_what_is_wrong_with_the_model(tmp_path: Path, before: str, after: str, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        body(tmp_path, arm=ARM.replace(before, after, 1))


def test_a_joint_that_nobody_knows(tmp_path: Path) -> None:
    told = TOLD.replace('["shoulder", "elbow", "wrist"]', '["shoulder", "elbow"]').replace("0.6, 0.5", "0.6")
    with pytest.raises(InputError, match="wrist move and are neither the arm's nor a finger's"):
        body(tmp_path, told)


def test_what_the_sdk_does_not_drive(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="none of UFACTORY's arms; valid with --backend xarm: xarm6, xarm7"):
        body(tmp_path).for_sdk()
