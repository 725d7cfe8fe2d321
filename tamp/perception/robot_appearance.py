"""The robot in images: its skin, made from its description, and the pixels that show it.

A skin is made in a few seconds and kept beside the library of objects, since a robot looks the same in every scene.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

import mujoco
import numpy as np

from motion.poses import Array, inverse, moved, pose
from motion.robot import RobotDescription
from motion.world import World
from tamp.errors import InputError
from tamp.model.images import Image
from tamp.perception.library import LibraryEntry, made_with, objects_folder, read, write
from tamp.perception.object_model import RobotSkin, Skin
from tamp.perception.skinning import skins

NEAR = 0.008
"""Metres from its skin up to which a point is one of the robot's: errors of depth, of encoders, of the skin itself."""
BODIES = "bodies"
"""Folder of the skins beside the library's own."""


def link_poses(world: World, q: Array, opening: float, names: Iterable[str]) -> dict[str, Array]:
    """Where bodies of the robot are, T_world_body (4, 4) by name, at configuration `q` (rad) with the fingers `opening`
    metres apart; those only that this robot has: not every one stands on a pedestal. Moves the arm of `world`."""
    world.set_opening(opening)
    world.forward(q)
    here = {world.model.body(i).name for i in range(world.model.nbody)}
    bodies = ((name, world.data.body(name)) for name in names if name in here)
    return {name: pose(b.xpos.copy(), b.xmat.reshape(3, 3).copy()) for name, b in bodies}


def reaches_forward(world: World, skins: Mapping[str, Skin]) -> float:
    """How far (m) what never moves of a robot with some skins is in front of its base."""
    robot, p_world_base = world.robot, world.base_position()
    bodies = link_poses(world, robot.posture, 0.0, robot.pinned_bodies & skins.keys())
    ends = [moved(skins[name].points, T)[:, 0].max() - p_world_base[0] for name, T in bodies.items()]
    return float(max(ends, default=0.0))


def robot_pixels(image: Image, bodies: Mapping[str, Array], skins: Mapping[str, Skin], near: float = NEAR) -> Array:
    """Where (h, w), true or false, a picture shows the robot. `bodies` has the poses (4, 4) of its bodies in the world,
    `skins` their skins; `near` is in metres."""
    mask = np.zeros(image.size, dtype=bool)
    points = image.points().reshape(-1, 3)
    boxes = {name: _box(skins[name], T, near) for name, T in bodies.items()}
    whole = np.min([low for low, _ in boxes.values()], axis=0), np.max([high for _, high in boxes.values()], axis=0)
    candidates = np.flatnonzero(_inside(points, *whole))
    for name, T in bodies.items():
        here = candidates[_inside(points[candidates], *boxes[name])]
        mask.flat[here[skins[name].field.distance(moved(points[here], inverse(T))) < near]] = True
        candidates = candidates[~mask.flat[candidates]]
    return mask


def _box(skin: Skin, T_world_body: Array, margin: float) -> tuple[Array, Array]:
    """Lower and upper corner (3,), (3,) of the world-aligned box around a skin."""
    p = moved(skin.points, T_world_body)
    return p.min(axis=0) - margin, p.max(axis=0) + margin


def _inside(points: Array, low: Array, high: Array) -> Array:
    """Which (n,) of some points (n, 3) are in a box; those that are nan are not."""
    out = np.ones(len(points), dtype=bool)
    for axis in range(3):
        out &= (points[:, axis] > low[axis]) & (points[:, axis] < high[axis])
    return out


def skin_of_robot(robot: RobotDescription, folder: Path | None = None) -> RobotSkin:
    """The skin of each body of a robot, by its name, in its own frame: kept in a folder, by default the library's, or
    made anew. Drawing needs OSMesa. InputError where the folder takes no file."""
    source = hashlib.sha256(robot.mjcf.encode()).hexdigest()
    path = (folder or objects_folder()) / BODIES / f"{source[:16]}.npz"
    recipe = made_with()
    if path.exists():
        with contextlib.suppress(InputError):  # damaged: made anew
            kept = read(path)
            if isinstance(kept.model, RobotSkin) and kept.model.source == source and kept.made_with == recipe:
                return kept.model
    model = mujoco.MjModel.from_xml_string(robot.mjcf)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    made = RobotSkin(skins(model, data, {model.body(b).name: [b] for b in range(1, model.nbody)}), source)
    write(path, LibraryEntry(made, recipe))
    return made
