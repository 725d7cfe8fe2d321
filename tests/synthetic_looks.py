"""A table with solids on it, as cameras would see it: drawn from the solids' own skins, without a simulator."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from motion.poses import Array, pose, rotation_about
from motion.robot import RobotDescription
from tamp.model.backend import Observation
from tamp.model.images import Image, pinhole
from tamp.model.scene import RobotState
from tamp.perception.library import Library, LibraryEntry
from tamp.perception.looks import Look, drawn_skins
from tamp.perception.modelling import modelled
from tamp.perception.object_model import ObjectModel, PlacedModel, RobotSkin, Skin
from tests.solids import UP, polygon, prism, rectangle, skin, thing

HEIGHT = 0.9
"""Metres of the table above the floor."""
SIZE = 240
SOLIDS = {
    "can": (polygon(48, 0.033), 0.1, (200, 40, 40)),
    "carton": (rectangle(0.07, 0.045), 0.12, (40, 160, 60)),
    "box": (rectangle(0.11, 0.06), 0.035, (60, 80, 220)),
    "disc": (polygon(48, 0.075), 0.02, (230, 230, 230)),
}
BASE = np.array([-0.65, 0.0, HEIGHT])
"""Where the robot stands."""
ROBOT = """<mujoco><worldbody><body name="base" pos="-0.65 0 0.9"><geom size="0.01"/><body name="arm" pos="0 0 0.3">
<joint name="j" axis="0 1 0" range="-3 3"/><geom size="0.01"/><site name="tool" pos="0.5 0 0"/></body></body>
</worldbody></mujoco>"""


@functools.cache
def model(name: str) -> ObjectModel:
    """One of the solids as a model of the library."""
    outline, height, colour = SOLIDS[name]
    points, normals = prism(outline, height)
    made, _ = thing(name, points, normals)
    return modelled(made, {name: skin(points, normals, colour)}, (name,), "")


@functools.cache
def library() -> Library:
    """All solids, and a robot: a pillar with an arm that turns about its top."""
    base = skin(*prism(rectangle(0.1, 0.1), 0.25, 0.003))
    across, normals = prism(rectangle(0.09, 0.09), 0.55, 0.003)
    R = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
    arm = skin(across @ R.T, normals @ R.T)
    return Library(
        {name: LibraryEntry(model(name), {}) for name in SOLIDS}, {"panda": RobotSkin({"base": base, "arm": arm}, "")}
    )


def robot() -> RobotDescription:
    """That robot."""
    return RobotDescription(
        mjcf=ROBOT, arm_joints=("j",), tool_site="tool", posture=np.zeros(1), pinned_bodies=frozenset({"base"})
    )


def bodies(q: float) -> dict[str, Array]:
    """Where its bodies are with the arm turned down by `q` rad."""
    shoulder = BASE + np.array([0.0, 0.0, 0.3])
    return {"base": pose(BASE), "arm": pose(shoulder, rotation_about(np.array([0.0, 1.0, 0.0]), q))}


def painted(made: ObjectModel, colour: tuple[int, int, int]) -> ObjectModel:
    """A model in another colour."""
    plain = np.array(colour, np.uint8)
    skins = {name: replace(s, colours=np.tile(plain, (len(s.points), 1))) for name, s in made.skins.items()}
    return replace(made, skins=skins)


def standing(made: ObjectModel, x: float, y: float, yaw: float, above: float = 0.0) -> PlacedModel:
    """A model that stands on the table, or `above` it."""
    return PlacedModel(made, pose([x, y, HEIGHT + above], rotation_about(UP, yaw)))


def looking(name: str, eye: Sequence[float], at: Sequence[float], size: int = SIZE) -> Image:
    """A camera without a picture yet, at `eye`, with `at` in the middle."""
    z = np.array(at) - eye
    z = z / np.linalg.norm(z)
    x = np.cross(z, UP)
    x = x / np.linalg.norm(x)
    T = pose(np.array(eye), np.column_stack([x, np.cross(z, x), z]))
    blank = np.zeros((size, size))
    return Image(name, np.zeros((size, size, 3), np.uint8), blank, pinhole(size, size, np.radians(45.0)), T)


def taken(camera: Image, things: Sequence[PlacedModel], arm: float = 0.0, ground: bool = True) -> Image:
    """The picture that a camera takes of the table, things on it, and the robot."""
    robots = library().robots["panda"]
    groups: list[list[tuple[Skin, Array]]] = [t.skins() for t in things]
    groups.append([(robots.skins[name], T) for name, T in bodies(arm).items()])
    numbers, nearest = drawn_skins(groups, camera)
    h, w = camera.size
    u, v = np.meshgrid(np.arange(w), np.arange(h))
    K, R = camera.K, camera.T_world_camera[:3, :3]
    rays = np.stack([(u - K[0, 2]) / K[0, 0], (v - K[1, 2]) / K[1, 1], np.ones((h, w))], axis=-1) @ R.T
    with np.errstate(divide="ignore"):
        table = (HEIGHT - camera.T_world_camera[2, 3]) / rays[..., 2]
    table = np.where((table > 0) & (table < 3.0) & ground, table, 4.0)
    depth = np.minimum(nearest, table)
    colours = np.array([(150, 120, 90), *(s[0][0].colours.mean(axis=0) for s in groups)])
    colour = colours[np.where(nearest < table, numbers, 0)]
    return Image(camera.camera, colour.astype(np.uint8), depth, camera.K, camera.T_world_camera)


def boxed(camera: Image, boxes: Sequence[tuple[float, ...]], ground: float = HEIGHT) -> Image:
    """What a camera measures of level ground with boxes on it, exact to the last bit: the low and the high corner in x
    and y of each, and its height."""
    h, w = camera.size
    u, v = np.meshgrid(np.arange(w), np.arange(h))
    K, T = camera.K, camera.T_world_camera
    rays = np.stack([(u - K[0, 2]) / K[0, 0], (v - K[1, 2]) / K[1, 1], np.ones((h, w))], axis=-1) @ T[:3, :3].T
    depth = (ground - T[2, 3]) / rays[..., 2]
    depth = np.where(depth > 0, depth, 5.0)
    for x0, y0, x1, y1, up in boxes:
        low, high = np.array([x0, y0, ground]), np.array([x1, y1, ground + up])
        with np.errstate(divide="ignore"):
            first, last = ((side - T[:3, 3]) / rays for side in (low, high))
        enters, leaves = np.minimum(first, last).max(axis=-1), np.maximum(first, last).min(axis=-1)
        depth = np.where((enters < leaves) & (enters > 0), np.minimum(depth, enters), depth)
    return replace(camera, depth=depth)


CAMERAS = (
    looking("front", [0.75, 0.1, 1.55], [-0.05, 0.0, 0.95]),
    looking("above", [-0.05, -0.25, 1.75], [0.0, 0.0, 0.9]),
)


def observed(things: Sequence[PlacedModel], arm: float = 0.0, time: float = 0.0) -> Observation:
    """What is observed of a table with things."""
    state = RobotState(np.array([arm]), 0.0, bodies(arm)["arm"] @ pose([0.5, 0.0, 0.0]))
    return Observation(time, state, tuple(taken(c, things, arm) for c in CAMERAS))


def look(image: Image) -> Look:
    """A picture in which there is no robot, taken apart."""
    return Look.of(image, np.zeros(image.size, dtype=bool))
