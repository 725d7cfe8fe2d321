"""A scene in MuJoCo or PyBullet is the scene that was written, or seen, with forces and a robot."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from motion.poses import error
from tamp.backends.libero import tasks
from tamp.backends.physics.start import TableStart, start_of, world_in
from tamp.backends.physics.table import PhysicsTable
from tamp.errors import InputError
from tests.small_scene import ALL, written

pytestmark = pytest.mark.episode

RESTS = 0.004
"""Metres that anything may settle by."""

Started = tuple[TableStart, PhysicsTable]


WITH_BLOCKS = ["panda", "xarm7", "rebuilt xarm6", "pybullet xarm6"]


@pytest.fixture(
    scope="module",
    params=[*WITH_BLOCKS, "libero_goal/3 panda", "libero_goal/3 xarm7"],
    ids=lambda name: name.replace(" ", "-"),
)
def started(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Started]:
    """A small MJCF scene in MuJoCo as it is written, rebuilt from what was seen, or in PyBullet; and one of LIBERO's,
    with its own robot or another, in PyBullet."""
    how, _, body = request.param.rpartition(" ")
    of_libero = "/" in how
    task = tasks.find(how if of_libero else str(written(tmp_path_factory.mktemp("scene"))))
    start = start_of(task, 0, 0 if of_libero else None, None if of_libero and body == "panda" else body)
    start = TableStart(start.scene, start.robot) if how == "rebuilt" else start
    world = world_in("pybullet" if how == "pybullet" or of_libero else "mujoco", start)
    yield start, PhysicsTable(world, start.robot)
    world.close()


def test_everything_stays_where_it_was_seen(started: Started) -> None:
    start, table = started
    now = table.perceive()
    for o in start.scene:
        assert np.linalg.norm(now.object(o.name).position - o.position) < RESTS, o.name
        for part in o.parts:
            if part.joint is not None:
                there = now.object(o.name).part(part.name).joint
                assert there is not None and there.value == pytest.approx(part.joint.value, abs=2e-3)


def test_the_tool_goes_where_it_is_told(started: Started) -> None:
    _, table = started
    T_goal = table.observe().T_world_tool.copy()
    T_goal[:3, 3] += [0.0, 0.05, 0.04]
    for _ in range(40):
        table.command(error(table.observe().T_world_tool, T_goal), 0.03)
    assert np.abs(error(table.observe().T_world_tool, T_goal)).max() < 2e-3
    assert table.observe().opening == pytest.approx(0.03, abs=2e-3)


@pytest.mark.parametrize("started", WITH_BLOCKS, indirect=True)
def test_closed_fingers_press_and_open_ones_let_go(started: Started) -> None:
    start, table = started
    T_goal = table.observe().T_world_tool
    block = start.scene.object("block_1").T_world_object.copy()
    block[:3, 3] = T_goal[:3, 3]
    block[:3, :3] = np.eye(3)
    for _ in range(10):
        table.command(error(table.observe().T_world_tool, T_goal), 0.044)
    table.put("block_1", block)
    for _ in range(15):
        table.command(error(table.observe().T_world_tool, T_goal), 0.0)
    held = table.perceive().object("block_1")
    assert held.position[2] == pytest.approx(T_goal[2, 3], abs=0.03), "it is held"
    assert table.observe().opening == pytest.approx(0.04, abs=0.004), "fingers do not go into what they hold"
    for _ in range(20):
        table.command(np.zeros(6), start.robot.gripper.opening)
    assert table.perceive().object("block_1").position[2] < 0.45


def test_the_robot_stands_where_the_file_says(tmp_path: Path) -> None:
    folder = written(tmp_path, shown="yaw = 1.5708\nbody = 'xarm6'\n")
    own = start_of(tasks.find(str(folder)), 0, None, None)
    other = start_of(tasks.find(str(folder)), 0, None, "xarm7")
    p_tool, p_other = (s.scene.robot.T_world_tool[:3, 3] for s in (own, other))
    assert p_tool[0] == pytest.approx(-0.6, abs=1e-3) and p_tool[1] > 0.2, "it looks along y"
    assert p_other[0] == pytest.approx(-0.6, abs=1e-3)


BESIDE, IN_CABINET = "[-0.6, 0.0, 0.4]", "[0.2, -0.3, 0.4]"


@pytest.mark.parametrize("body", ["panda", "xarm6"])
def test_a_base_inside_a_fixture_is_the_files_fault(body: str, tmp_path: Path) -> None:
    scene = written(tmp_path, shown=f'body = "{body}"\n') / "scene.toml"
    start_of(tasks.find(str(tmp_path)), 0, None, None)
    scene.write_text(scene.read_text().replace(BESIDE, IN_CABINET))
    with pytest.raises(InputError, match=rf"scene.toml:2: .*{body} cannot stand there: .* cm inside cabinet; valid: "):
        start_of(tasks.find(str(tmp_path)), 0, None, None)


def test_an_arm_at_its_posture_inside_a_wall_is_told(tmp_path: Path) -> None:
    wall = '<body name="wall" pos="-.2 0 .8"><geom type="box" size=".1 1 .4"/></body>'
    written(tmp_path, ALL + wall)
    with pytest.raises(InputError, match=r"^xarm7 cannot stand there: .* cm inside table_body; valid: "):
        start_of(tasks.find(str(tmp_path)), 0, None, "xarm7")
