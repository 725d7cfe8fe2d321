"""Motions of the arms among boxes: exact lines, ways round, named reasons, and limits kept all the way."""

from __future__ import annotations

import numpy as np

from motion import paths
from motion.arm_model import Tool, arm_world
from motion.arms import Arm
from motion.kinematics import solve_near
from motion.paths import Blocked, Check, Workspace, kept_within
from motion.poses import Array, pose
from motion.shapes import Body, Shape
from motion.world import World
from tests.arm_cases import EACH

DOWN = np.diag([1.0, -1.0, -1.0])
CLEARANCE = 0.005
STICK = Tool(Shape("capsule", np.array([0.01, 0.03, 0.0]), pose([0.0, 0.0, 0.04])), pose([0.0, 0.0, 0.08]))


def box(name: str, half: list[float], centre: list[float]) -> Body:
    return Body(name, (Shape("box", np.array(half), np.eye(4)),), pose(centre))


TABLE = box("table", [1.5, 1.5, 0.05], [0.0, 0.0, -0.055])


def size(arm: Arm) -> float:
    return {"850": 1.4, "lite6": 0.7}.get(arm.name, 1.0)


def tool_at(arm: Arm, x: float, y: float, z: float) -> Array:
    """The tool straight down at a place that suits the arm's reach; x to the front, as seen from the base."""
    yaw = np.arctan2(y, x)
    facing = np.array([[np.cos(yaw), -np.sin(yaw), 0], [np.sin(yaw), np.cos(yaw), 0], [0, 0, 1]])
    return pose(size(arm) * np.array([x, y, z]), facing @ DOWN)


def walled(arm: Arm, tool: Tool | None = None) -> World:
    s = size(arm)
    wall = box("wall", [0.15 * s, 0.02 * s, 0.17 * s], [0.4 * s, 0.0, 0.17 * s])
    return arm_world(arm, [TABLE, wall, box("far crate", [0.05] * 3, [-0.5 * s, 0.0, 0.05])], tool)


def start(world: World, T: Array) -> Array:
    q = solve_near(world, T, np.zeros(len(world.robot.arm_joints)))
    assert q is not None
    return q


def check_of(world: World) -> Check:
    return paths.checker(world, CLEARANCE)


def touched(world: World, path: Array) -> set[str]:
    """What a path meets, looked at ten times as closely as it was planned."""
    return {c.other for q in paths.densify(path, world.robot.tracking.look / 10) for c in world.contacts(q)}


@EACH
def test_a_line_through_a_box_is_refused_by_its_name_and_a_joint_move_goes_round(arm: Arm) -> None:
    world = walled(arm)
    q = start(world, tool_at(arm, 0.4, -0.2, 0.2))
    T_goal = tool_at(arm, 0.4, 0.2, 0.2)
    check = check_of(world)
    assert world.contacts(q, CLEARANCE) == []
    assert paths.straight(world, q, T_goal, check) == Blocked("collision", "wall")
    path = paths.joint_move(world, q, start(world, T_goal), check, seed=0)
    assert not isinstance(path, Blocked), path
    assert np.array_equal(path[0], q)
    assert np.abs(world.forward(path[-1]) - T_goal).max() < 1e-6
    assert touched(world, path) == set()
    assert all(arm.within(c) for c in path)


@EACH
def test_the_tool_point_stays_within_the_workspace(arm: Arm) -> None:
    world = arm_world(arm, [TABLE], STICK)
    s = size(arm)
    room = Workspace(s * np.array([0.2, -0.25, 0.02]), s * np.array([0.55, 0.25, 0.4]))
    check = kept_within(world, room, check_of(world))
    q = start(world, tool_at(arm, 0.35, -0.2, 0.2))
    outside = tool_at(arm, 0.35, -0.3, 0.2)
    assert paths.joint_move(world, q, start(world, outside), check, 0) == Blocked("collision", "workspace")
    inside = paths.joint_move(world, q, start(world, tool_at(arm, 0.35, 0.2, 0.2)), check, 0)
    assert not isinstance(inside, Blocked), inside
    dense = paths.densify(inside, 0.005)
    assert min(room.room(world.forward(c)[:3, 3]) for c in dense) > -0.001
