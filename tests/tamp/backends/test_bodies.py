"""Robots by their files: what they are, where they stand, and what is wrong with a file."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from motion.bullet import WORLD, Bullet, written
from motion.robot_parts import parts_of
from motion.world import World
from tamp.backends import bodies
from tamp.errors import InputError
from tests.small_arm import ARM, BOX, TOLD

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


PAGE = Path(__file__).parents[3] / "docs" / "bodies.md"


def body(folder: Path, shown: str = TOLD, arm: str = ARM) -> bodies.RobotBody:
    (folder / "arm.urdf").write_text(arm)
    (folder / "arm.toml").write_text(shown)
    return bodies.find(str(folder / "arm.toml"))


@pytest.fixture
def iiwa(tmp_path: Path) -> Path:
    """The file on the page."""
    found = re.search(r"```toml\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert found is not None
    (tmp_path / "iiwa14.toml").write_text(found[1])
    return tmp_path / "iiwa14.toml"


@pytest.mark.parametrize("name", ["xarm6", "xarm7", "iiwa"])
def test_pybullet_has_the_links_where_they_are(name: str, iiwa: Path) -> None:
    robot = bodies.find(str(iiwa) if name == "iiwa" else name).at(np.eye(4))
    world, bullet, rng = World(robot, []), Bullet(), np.random.default_rng(0)
    try:
        number = bullet.load(lambda folder: written("robot", [WORLD, *parts_of(robot)], folder), np.eye(4), fixed=True)
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


@pytest.mark.parametrize(
    "file", sorted((PAGE.parent / "examples" / "robots").glob("*.toml")), ids=lambda file: file.stem
)
def test_the_other_robots_of_the_page_stand_with_the_hand_down(file: Path) -> None:
    robot = bodies.find(str(file)).robot
    world = World(robot, [])
    assert not world.contacts(robot.posture)
    assert world.forward(robot.posture)[:3, 2] == pytest.approx([0, 0, -1], abs=0.1)
    assert robot.gripper.opening == pytest.approx(0.08, abs=2e-3)


def test_a_mesh_of_a_package_is_found(tmp_path: Path) -> None:
    corners = [(x, y, z) for x in (-0.02, 0.02) for y in (-0.02, 0.02) for z in (-0.1, 0.1)]
    faces = "f 1 2 4\nf 5 6 8\nf 1 3 5\n"
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "box.obj").write_text("".join(f"v {x} {y} {z}\n" for x, y, z in corners) + faces)
    (tmp_path / "model").mkdir()
    (tmp_path / "package.xml").write_text("<package><name>small_description</name></package>")
    q = np.array([-2.0, -2.0, -2.0])
    meshes = (f'<mesh filename="package://{name}/meshes/box.obj"/>' for name in (tmp_path.name, "small_description"))
    arms = (ARM, *(ARM.replace(BOX, mesh) for mesh in meshes))
    there = [
        {(c.robot, c.other) for c in World(body(tmp_path / "model", arm=arm).robot, []).contacts(q)} for arm in arms
    ]
    assert there[0] == there[1] == there[2] != set()


FILE_FAULTS = [
    ('"elbow"', '"elbew"', "arm.toml:2: no joint 'elbew'; did you mean 'elbow'?"),
    ('"shoulder", "elbow"', '"elbow", "shoulder"', "arm.toml:2: arm_joints are not in order from the base"),
    (', "wrist"]', "]", "arm.toml:5: posture is [0.3, 0.6, 0.5]; valid: 2 radians"),
    ('link = "hand"', 'link = "hamd"', "arm.toml:8: no link 'hamd'; did you mean 'hand'?"),
    ('link = "hand"', 'link = "base"', "arm.toml:8: link 'base' is not carried by 'wrist'; valid: one behind it"),
    ('"left"', '"lift"', "arm.toml:4: pads has 'lift', which is no link; valid: left, right"),
    ('"left"', '"one"', "arm.toml:4: pads has 'one', which is on no finger; valid: one on each finger"),
    ("0.6, 0.5", "0.6, 2.5", "arm.toml:5: posture has 2.5 for 'wrist'; valid: -2 to 2"),
    ("reach = 0.6", "reach = 4", "arm.toml:6: reach is 4; valid: up to 0.900, the length of the arm"),
    ("[0.0, 0.0, 0.3]", "[0.0, 0.3, 0.3]", "arm.toml:9: the pads are at y -0.3200 to -0.2800 and z"),
    ("[0.0, 0.0, 0.3]", "[0.02, 0.0, 0.3]", "arm.toml:9: the middle between the open pads is -0.0200 m along x"),
    ("0.3]\n[gr", "0.3]\nrpy = [0, 0, 1.5708]\n[gr", "arm.toml:10: x of the tool is 90° off the fingers' way"),
    ("opening = 0.08", "opening = 0.2", "arm.toml:11: gripper.opening is 0.2; valid: 0.0800 m, how far the pads"),
    ('"arm.urdf"', '"none.urdf"', "arm.toml:1: no file none.urdf; valid: a file beside this one"),
    ('"arm.urdf"', '"nopackage:a.urdf"', "arm.toml:1: no package 'nopackage' is installed"),
    ("urdf =", "mjcf =", "arm.urdf:1: the root is <robot>; valid: <mujoco> (the file is urdf: say urdf = …)"),
    ('["f1", "f2"]', '["f1"]', "arm.toml:3: finger_joints has 1 names; valid: two, one a finger"),
    ("reach", "efforts = [1, 1, 1]\nreach", "efforts are of joints that take targets; valid with joint_period"),
    (
        "reach",
        "base = [660, 0, 0]\nreach",
        "base is [660, 0, 0]; valid: [x, y, z] in metres, at most 5 (millimetres? then [0.66, 0, 0])",
    ),
    ("opening", "width", "arm.toml:11: unknown key 'width' of gripper; valid: opening, "),
    ("[gr", "[ranges]\nelbow = [1, 0]\n[gr", "arm.toml:11: ranges.elbow is 1 to 0; valid: the lower one first"),
    ("[gr", "[fixed]\nelbew = 1\n[gr", "arm.toml:11: no joint 'elbew'; did you mean 'elbow'?"),
    ("[gr", "[response]\nrate = 2\n[gr", "arm.toml:10: rate 2 lets the tool go at 0.05 m/s, and tool_velocity"),
    ("[gr", '[hand]\nlink = "hand"\n[gr', "a hand has a urdf or mjcf"),
    ("[gr", '[hand]\nurdf = "arm.urdf"\nlink = "hand"\n[gr', "'base' is in the arm's file and in the hand's"),
]
MODEL_FAULTS = [
    (ARM[ARM.index("<link") :], "</robot>", "arm.urdf:1: no link; valid: a <link>"),
    (' lower="-2" upper="2"', "", "arm.toml:1: arm.urdf:8: joint 'shoulder' has no limits; valid: <limit lower="),
    (' upper="2"', ' upper="-3"', "arm.urdf:8: joint 'shoulder' has limits from -2 to -3; valid: <limit lower="),
    (BOX, '<mesh filename="package://small/link.stl"/>', "arm.urdf:2: no mesh 'package://small/link.stl'; valid: a"),
    (
        BOX,
        '<mesh filename="arm.urdf"/>',
        "arm.urdf:2: a mesh .urdf is not read; valid: .stl, .obj, .msh, .ply: convert",
    ),
    ("0.04 0.04 0.2", "40 40 200", "arm.urdf:2: link 'base' is 200 m large; valid: up to 3 m. Are these millimetres?"),
    (
        "0 0 0.3",
        "0 0 300",
        "arm.toml:2: from its first joint to 'hand' the arm is 300.3 m; valid: 0.1 to 5 m.",
    ),
    ("<robot", "robot", "arm.toml:1: arm.urdf:1: no XML: syntax error, column 1"),
    ('"f1" type="prismatic"', '"f1" type="revolute"', "arm.toml:3: finger joint 'f1' turns; valid: two joints that"),
    (
        '"wrist" type="revolute"',
        '"wrist" type="floating"',
        "arm.urdf:5: MuJoCo 3.3.2 does not read it: free joint can only be used on",
    ),
    ('xyz="-1 0 0"', 'xyz="0 1 0"', "arm.toml:3: the two fingers do not slide along one line; valid: a parallel"),
    ('lower="0" upper="0.04"', 'lower="0" upper="0.05"', "the fingers slide 0.05 and 0.04 m; valid: as far as each"),
]


def complaint(folder: Path, shown: str = TOLD, arm: str = ARM) -> str:
    with pytest.raises(InputError) as e:
        body(folder, shown, arm)
    return str(e.value).replace(f"{folder}/", "")


def test_what_is_wrong_is_reported_as_the_page_has_it(tmp_path: Path) -> None:
    said = []
    for before, after, message in FILE_FAULTS:
        assert before in TOLD
        said.append(complaint(tmp_path, TOLD.replace(before, after)))
        assert message in said[-1]
    for before, after, message in MODEL_FAULTS:
        assert before in ARM
        said.append(complaint(tmp_path, arm=ARM.replace(before, after, 1)))
        assert message in said[-1]
    said.append(complaint(tmp_path, TOLD.replace(', "wrist"]', "]").replace("0.6, 0.5", "0.6")))
    page = re.findall(r"^\| `(arm\.toml:.*?)` \|", PAGE.read_text(), re.MULTILINE)
    assert len(page) == 10
    assert [m for m in page if not any(s.startswith(m.removesuffix("…")) for s in said)] == []
