"""A small scene without a simulator, and an arm that reaches all of it."""

from __future__ import annotations

import numpy as np

from motion.poses import Array, pose
from motion.robot import RobotDescription
from motion.shapes import Shape
from tamp.model.scene import Joint, Part, Region, RobotState, Scene, SceneObject

CUP = "cup_1"
TOOL = pose(np.array([0.0, 0.0, 0.6]), np.diag([1.0, -1.0, -1.0]))
"""Pose (4, 4) of the tool in the world, pointing down."""
_AXES = {"x": "1 0 0", "y": "0 1 0", "z": "0 0 1"}


def empty_scene() -> Scene:
    """A table with nothing on it."""
    return _scene(())


def scene_with_things() -> Scene:
    """A table with a cup, a dish, a chest and a stove: an object or a region of each kind."""
    return _scene(_things())


def _box(half: list[float], p: list[float] | None = None) -> Shape:
    return Shape("box", np.array(half), pose(np.array(p or [0.0, 0.0, 0.0])))


def _things() -> tuple[SceneObject, ...]:
    cup = _item(CUP, [0.3, 0.1, 0.05], [0.03, 0.03, 0.05])
    return (cup, _item("dish_1", [0.3, -0.1, 0.01], [0.08, 0.08, 0.01]), _chest(), _stove())


def _item(name: str, p: list[float], half: list[float]) -> SceneObject:
    return SceneObject(name, name[:-2], True, (Part(name, "body", pose(p), (_box(half),)),))


def _chest() -> SceneObject:
    """A chest with a drawer, a shelf on its top, an open bin in its side, and a cupboard with a hinged door."""
    T = pose([0.1, -0.4, 0.1])
    drawer = Part("chest_1_drawer", "drawer", T, (_box([0.1, 0.01, 0.05], [0.0, 0.1, 0.0]),), _joint("slide", T, 0.2))
    door = Part("chest_1_door", "door", T, (_box([0.01, 0.1, 0.05], [0.12, 0.0, 0.0]),), _joint("hinge", T, 1.5))
    body = Part("chest_1", "body", T, (_box([0.1, 0.09, 0.1]),))
    half = np.array([0.08, 0.08, 0.04])
    regions = (
        Region("chest_1_top_side", "surface", pose([0.1, -0.4, 0.2]), np.array([0.1, 0.09, 0.001]), "chest_1"),
        Region("chest_1_drawer_region", "interior", T, half, drawer.name, drawer.name),
        Region("chest_1_door_region", "interior", pose([0.3, -0.4, 0.1]), half, "chest_1", door.name),
        Region("chest_1_side_region", "interior", pose([-0.1, -0.4, 0.1]), half, "chest_1"),
    )
    return SceneObject("chest_1", "chest", False, (body, drawer, door), regions)


def _stove() -> SceneObject:
    T = pose([0.1, 0.4, 0.02])
    knob = Part("stove_1_knob", "knob", pose([-0.1, 0.4, 0.02]), (_box([0.02, 0.02, 0.02]),), _joint("hinge", T, 1.5))
    region = Region("stove_1_cook_region", "surface", pose([0.1, 0.4, 0.04]), np.array([0.08, 0.08, 0.001]), "stove_1")
    body = Part("stove_1", "body", T, (_box([0.1, 0.1, 0.02]),))
    return SceneObject("stove_1", "stove", False, (body, knob), (region,))


def _joint(kind: str, T: Array, most: float) -> Joint:
    axis = np.array([0.0, 1.0, 0.0]) if kind == "slide" else np.array([0.0, 0.0, 1.0])
    return Joint("slide" if kind == "slide" else "hinge", axis, T[:3, 3], (0.0, most), 0.0, 0.7 * most, 0.01)


def _scene(things: tuple[SceneObject, ...]) -> Scene:
    half = np.array([0.8, 0.8, 0.02])
    top = Region("table", "surface", pose([0.0, 0.0, 0.0]), np.array([0.8, 0.8, 0.0]), "table_body")
    body = Part("table_body", "body", np.eye(4), (_box(list(half), [0.0, 0.0, -0.02]),))
    robot = RobotState(np.zeros(6), 0.08, TOOL)
    return Scene((*things, SceneObject("table_body", "table", False, (body,), (top,))), robot)


def gantry() -> RobotDescription:
    """An arm that reaches every pose: three slides, and three hinges at the tool, which points down."""
    slides = "".join(f'<joint name="{a}" type="slide" axis="{v}" range="-2 2"/>' for a, v in _AXES.items())
    hinges = "".join(f'<joint name="r{a}" type="hinge" axis="{v}" range="-3 3"/>' for a, v in _AXES.items())
    fingers = "".join(
        f'<body name="f{n}" pos="{0.04 * side} 0 -0.01">'
        f'<joint name="f{n}" type="slide" axis="{side} 0 0" range="-0.04 0"/>'
        f'<geom name="p{n}" type="box" size="0.005 0.01 0.01"/></body>'
        for n, side in ((1, 1), (2, -1))
    )
    x, y, z = TOOL[:3, 3]
    return RobotDescription(
        mjcf=f"""<mujoco><compiler angle="radian"/><worldbody>
            <body name="arm" pos="{x} {y} {z}">{slides}{hinges}
              <geom name="palm" type="box" size="0.03 0.02 0.02" pos="0 0 0.08"/>{fingers}
              <site name="tool" quat="0 1 0 0"/></body></worldbody></mujoco>""",
        arm_joints=("x", "y", "z", "rx", "ry", "rz"),
        finger_joints=("f1", "f2"),
        tool_site="tool",
        posture=np.zeros(6),
        pad_geoms=("p1", "p2"),
        pinned_bodies=frozenset(),
    )
