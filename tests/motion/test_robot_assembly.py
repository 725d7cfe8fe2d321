"""A small arm of boxes, put together in other ways than its file has it."""

from __future__ import annotations

import tempfile
from pathlib import Path

import mujoco
import numpy as np
import pytest

from motion.poses import pose
from motion.robot import RobotDescription
from motion.robot_assembly import AssemblySpec, assembled, watched_pairs
from motion.robot_files import read_parts
from motion.robot_parts import RigidPart
from motion.robot_shape import survey
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
