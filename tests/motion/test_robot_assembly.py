"""A small arm of boxes, put together in other ways than its file has it; its parts, and how it is drawn."""

from __future__ import annotations

import tempfile
from pathlib import Path

import mujoco
import numpy as np
import pytest

from motion.arm_model import XARM_GRIPPER, robot_model
from motion.arms import ARMS
from motion.poses import pose
from motion.robot import RobotDescription
from motion.robot_assembly import AssemblySpec, assembled, watched_pairs
from motion.robot_files import read_parts
from motion.robot_parts import ModelError, RigidPart, mjcf, parts_in
from motion.robot_shape import RobotShape, survey
from motion.world import World
from tests.small_arm import ARM, BOX

SPEC = AssemblySpec(
    arm_joints=("shoulder", "elbow", "wrist"),
    finger_joints=("f1", "f2"),
    pads=("left", "right"),
    tool_link="hand",
    T_link_tool=pose([0.0, 0.0, 0.3]),
    posture=np.array([0.3, 0.6, 0.5]),
    reach=0.6,
)


def parts_of(text: str, mesh: bool = False) -> tuple[RigidPart, ...]:
    with tempfile.TemporaryDirectory() as folder:
        if mesh:
            corners = [(x, y, z) for x in (-0.02, 0.02) for y in (-0.02, 0.02) for z in (-0.1, 0.1)]
            lines = "".join(f"v {x} {y} {z}\n" for x, y, z in corners) + "f 1 2 4\nf 5 6 8\nf 1 3 5\n"
            (Path(folder) / "box.obj").write_text(lines)
            text = text.replace(BOX, '<mesh filename="box.obj"/>')
        (Path(folder) / "arm.urdf").write_text(text)
        return read_parts(Path(folder) / "arm.urdf", "urdf")


def assembly(text: str = ARM, spec: AssemblySpec = SPEC, mesh: bool = False) -> RobotDescription:
    """The small arm, its boxes as meshes or not."""
    return assembled(parts_of(text, mesh), spec)


def pads_apart(robot: RobotDescription, opening: float) -> float:
    """Metres between the pads where the hand is said to be open so far."""
    world = World(robot, [])
    world.set_opening(opening)
    world.forward(robot.posture)
    one, other = (world.model.geom(name).id for name in robot.pad_geoms)
    return float(mujoco.mj_geomDistance(world.model, world.data, one, other, 1.0, None))


@pytest.mark.parametrize(
    ("f1", "f2"),
    [
        ((0.0, 0.04), (0.0, 0.04)),
        ((0.01, 0.05), (0.01, 0.05)),
        ((-0.02, 0.03), (-0.02, 0.03)),
        ((0.008, 0.038), (0.012, 0.042)),
    ],
)
@pytest.mark.parametrize("mesh", [False, True])
def test_an_opening_is_what_is_between_the_pads(f1: tuple[float, float], f2: tuple[float, float], mesh: bool) -> None:
    text = ARM
    for name, (low, high) in (("f1", f1), ("f2", f2)):
        line = next(line for line in ARM.splitlines() if f'"{name}"' in line)
        text = text.replace(line, line.replace('lower="0" upper="0.04"', f'lower="{low}" upper="{high}"'))
    robot = assembly(text, mesh=mesh)
    assert robot.gripper.opening == pytest.approx(f1[1] + f2[1], abs=1e-6)
    for opening in (0.03, 0.06, robot.gripper.opening):
        assert pads_apart(robot, opening) == pytest.approx(opening, abs=1e-4)


def test_fingers_that_open_the_other_way() -> None:
    turned = ARM.replace('xyz="1 0 0"', 'xyz="-1 0 0"', 1).replace(
        'lower="0" upper="0.04"', 'lower="-0.04" upper="0"', 1
    )
    assert pads_apart(assembly(turned), 0.05) == pytest.approx(0.05)


def test_what_can_touch_is_watched_and_nothing_else() -> None:
    pairs = watched_pairs(parts_of(ARM), SPEC.arm_joints, SPEC.posture)
    named = {tuple(sorted(name.partition("/")[0] for name in pair)) for pair in pairs}
    assert ("base", "hand") in named
    assert ("left", "one") in named
    for neighbours in (("base", "one"), ("one", "two"), ("hand", "left"), ("left", "right")):
        assert neighbours not in named
    assert not World(assembly(), []).contacts(SPEC.posture)


def test_the_hand_is_measured_where_it_is() -> None:
    found = survey(assembly())
    assert found["pads"] == pytest.approx(np.array([[-0.08, -0.02, -0.1], [0.08, 0.02, 0.1]]), abs=1e-6)
    assert found["palm"] == pytest.approx(np.array([[-0.02, -0.02, -0.3], [0.02, 0.02, -0.1]]), abs=1e-6)
    assert found["kilograms"] == pytest.approx(5.0)


TWISTED = """<mujoco><compiler angle="radian"/><worldbody>
  <geom name="floor" type="plane" size="1 1 1"/>
  <body name="base" pos="0.1 0 0.2" quat="0.7071068 0 0 0.7071068">
    <geom type="box" size="0.05 0.05 0.05"/>
    <body name="upper" pos="0 0.1 0.1" quat="0.9238795 0.3826834 0 0">
      <joint name="shoulder" pos="0.03 -0.02 0.05" axis="0 0.6 0.8" range="-1 2" ref="0.4" armature="0.2"/>
      <inertial mass="1.5" pos="0.01 0.02 0.1" fullinertia="0.01 0.02 0.015 0.001 0.002 0.003"/>
      <geom name="arm" type="capsule" size="0.03 0.1" pos="0 0 0.1"/>
      <geom name="seen" type="sphere" size="0.5" contype="0" conaffinity="0"/>
      <body name="lower" pos="0 0 0.3">
        <joint name="lift" type="slide" pos="0.2 0 0" axis="1 0 0" range="0 0.1" ref="0.02"/>
        <geom name="block" type="box" size="0.02 0.03 0.04" pos="0 0.01 0.05"/>
        <site name="tip" pos="0 0 0.1"/>
      </body></body></body></worldbody></mujoco>"""


def test_joints_go_through_the_origins_of_their_parts_and_are_zero_there() -> None:
    before = mujoco.MjModel.from_xml_string(TWISTED)
    parts = parts_in(before)
    after = mujoco.MjModel.from_xml_string(mjcf(parts, {}, ()))
    was, now = mujoco.MjData(before), mujoco.MjData(after)
    assert not after.jnt_pos.any()
    assert not after.qpos0.any()
    for q in ([0.0, 0.0], [1.2, 0.05], [-0.7, 0.1]):
        was.qpos[:], now.qpos[:] = q, q
        for m, d in ((before, was), (after, now)):
            mujoco.mj_kinematics(m, d)
            mujoco.mj_comPos(m, d)
            mujoco.mj_crb(m, d)
        for name in ("arm", "block"):
            assert now.geom(name).xpos == pytest.approx(was.geom(name).xpos, abs=1e-6)
            assert now.geom(name).xmat == pytest.approx(was.geom(name).xmat, abs=1e-6)
        assert now.qM == pytest.approx(was.qM, abs=1e-6), "it weighs what it weighed"


@pytest.mark.parametrize(
    ("joints", "message"),
    [
        ('<joint name="b" type="ball"/>', "link 'lower' is on a ball joint or floats"),
        ('<joint name="b"/><joint name="c" axis="1 0 0"/>', "link 'lower' moves on several joints, 'b', 'c'"),
    ],
)
def test_joints_that_are_not_known(joints: str, message: str) -> None:
    start = TWISTED.index('<joint name="lift"')
    text = TWISTED[:start] + joints + TWISTED[TWISTED.index("<geom", start) :]
    with pytest.raises(ModelError, match=message):
        parts_in(mujoco.MjModel.from_xml_string(text))


XARM6 = robot_model(ARMS["xarm6"], hand=XARM_GRIPPER, posture=np.array([0.3, -0.4, -1.0, 0.2, 1.3, 0.5]))


def test_links_are_where_the_kinematics_have_them() -> None:
    shape, world = RobotShape.of(XARM6), World(XARM6, [])
    world.set_opening(0.05)
    world.forward(XARM6.posture)
    bodies = [world.data.body(name) for name in shape.links]
    frames = shape.part_frames(XARM6.posture, 0.05)
    for body, T in ((body, frames[body.name]) for body in bodies):
        assert T[:3, 3] == pytest.approx(body.xpos, abs=1e-9)
        assert T[:3, :3].ravel() == pytest.approx(body.xmat, abs=1e-9)
    assert world.shoulder() == pytest.approx(shape.shoulder())
