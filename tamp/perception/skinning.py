"""Skins of a MuJoCo model, as cameras all around it see them: what is hidden inside never becomes part of one.

Pictures are drawn without lights, so that colours are the surface's own. Whatever meshes, textures and primitives a
model is made of, its skin is what they look like.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import mujoco
import numpy as np
from scipy.ndimage import distance_transform_edt
from scipy.spatial import cKDTree

from motion.poses import Array, inverse, pose
from tamp.perception.images import Image, pinhole
from tamp.perception.object_model import FAR, Field, Skin

SIZE = 256
"""Width and height, in pixels, of the pictures that skins are made from."""
DISTANCE = 1.5
"""Distances of the camera, in lengths of the model's diagonal."""
AROUND = tuple(itertools.product(range(0, 360, 40), (-65, -30, 10))) + tuple(
    itertools.product(range(0, 360, 90), (-89, 50))
)
"""Azimuths and elevations of the cameras, degrees as MuJoCo has them."""
SLANTED = 0.25
"""Cosine of the angle between a surface's normal and the ray to it below which it is seen too flat to be kept."""
SMOOTH = 0.35
"""Share of the distance that two neighbouring pixels are apart by which their depths may differ on one surface."""
POINTS = 6000
"""About how many points a skin has."""
FINEST = 0.0012
"""Metres between the points of a skin, at least."""
CELL, CELLS, UNIT, ROUND = 0.002, 90, 0.00025, 0.03
"""Of a field: smallest cell (m), most cells along an axis, metres of a step, and metres around the skin."""

EXACT = 4
"""Cells around the skin up to which the distances of a field are exact."""


def skins(model: Any, data: Any, parts: Mapping[str, Sequence[int]], opened: Sequence[Mapping[int, float]]) -> dict[str, Skin]:
    """The skin of each part that can be seen, by name. `parts` has the ids of the bodies of each, `opened` the joint
    addresses and values in which it is looked at: with the drawers closed, and with each of them open."""
    collected: dict[str, list[Array]] = {name: [] for name in parts}
    owner = {body: name for name, bodies in parts.items() for body in bodies}
    first = {name: bodies[0] for name, bodies in parts.items()}
    for seen, body_of in _looks(model, data, opened):
        points, normals, colours, bodies = seen
        for name in parts:
            mine = np.isin(bodies, [b for b, n in owner.items() if n == name])
            if mine.any():
                T = inverse(body_of(first[name]))
                p = points[mine] @ T[:3, :3].T + T[:3, 3]
                collected[name].append(np.hstack([p, normals[mine] @ T[:3, :3].T, colours[mine]]))
    return {name: _skin(np.concatenate(found)) for name, found in collected.items() if found}


def _skin(samples: Array) -> Skin:
    """A skin of samples (n, 9): points, normals and colours."""
    cell = FINEST
    thinned = _thinned(samples, cell)
    while len(thinned) > POINTS:
        cell *= 1.25
        thinned = _thinned(samples, cell)
    normals = thinned[:, 3:6] / np.linalg.norm(thinned[:, 3:6], axis=1, keepdims=True)
    colours = np.clip(thinned[:, 6:], 0, 255).astype(np.uint8)
    return Skin(thinned[:, :3], normals, colours, cell**2, _field(_thinned(samples, FINEST)[:, :3]))


def joined(skins: Sequence[tuple[Skin, Array]]) -> Skin:
    """One skin of several, each with its pose (4, 4) in the frame that the one is to be in."""
    points = np.concatenate([s.points @ T[:3, :3].T + T[:3, 3] for s, T in skins])
    normals = np.concatenate([s.normals @ T[:3, :3].T for s, T in skins])
    colours = np.concatenate([s.colours for s, _ in skins])
    return Skin(points, normals, colours, float(np.mean([s.area for s, _ in skins])), _joined_field(points, skins))


def _joined_field(points: Array, skins: Sequence[tuple[Skin, Array]]) -> Field:
    grid, low, cell = _grid(points)
    steps = np.full(grid.shape[:3], FAR, dtype=np.uint8)
    for skin, T in skins:
        f = skin.field
        first, last = _cells(T, f, low, cell, steps.shape)
        block = tuple(slice(a, b) for a, b in zip(first, last, strict=True))
        near = f.distance((grid[block] - T[:3, 3]) @ T[:3, :3]) / UNIT
        steps[block] = np.minimum(steps[block], np.minimum(np.rint(near), FAR).astype(np.uint8))
    return Field(low, cell, UNIT, steps)


def _cells(T: Array, f: Field, low: Array, cell: float, shape: tuple[int, ...]) -> tuple[Array, Array]:
    """First and last cells (3,), (3,) of a grid that a field at pose `T` reaches."""
    ends = np.array(f.steps.shape) * f.cell
    corners = f.origin + np.array(list(itertools.product((0, 1), repeat=3))) * ends
    world = corners @ T[:3, :3].T + T[:3, 3]
    first = np.floor((world.min(axis=0) - low) / cell).astype(int)
    last = np.ceil((world.max(axis=0) - low) / cell).astype(int) + 1
    return np.clip(first, 0, shape), np.clip(last, 0, shape)


def _thinned(samples: Array, cell: float) -> Array:
    """One mean sample for each cell and side that the surface faces there."""
    facing = np.argmax(np.abs(samples[:, 3:6]), axis=1)
    side = 2 * facing + (np.take_along_axis(samples[:, 3:6], facing[:, None], 1)[:, 0] > 0)
    keys = np.column_stack([np.floor(samples[:, :3] / cell), side]).astype(np.int64)
    keys -= keys.min(axis=0)
    code = np.ravel_multi_index(tuple(keys.T), tuple(keys.max(axis=0) + 1))
    _, where, counts = np.unique(code, return_inverse=True, return_counts=True)
    sums = [np.bincount(where.ravel(), column, len(counts)) for column in samples.T]
    return np.column_stack(sums) / counts[:, None]


def _grid(points: Array) -> tuple[Array, Array, float]:
    """The cells' centres (nx, ny, nz, 3) of a field around points, the first one (3,), and the size of a cell."""
    low, high = points.min(axis=0) - ROUND, points.max(axis=0) + ROUND
    cell = max(CELL, float((high - low).max()) / CELLS)
    axes = [np.arange(a, b + cell, cell) for a, b in zip(low, high, strict=True)]
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1), low, cell


def _field(points: Array) -> Field:
    grid, low, cell = _grid(points)
    empty = np.ones(grid.shape[:3], dtype=bool)
    empty[tuple(np.rint((points - low) / cell).astype(int).T)] = False
    distances = distance_transform_edt(empty) * cell
    near = distances < EXACT * cell
    distances[near], _ = cKDTree(points).query(grid[near])
    return Field(low, cell, UNIT, np.minimum(np.rint(distances / UNIT), FAR).astype(np.uint8))


def _looks(model: Any, data: Any, opened: Sequence[Mapping[int, float]]) -> Iterator[tuple[tuple[Array, ...], Any]]:
    """What each camera sees of the model in each of the joint configurations, and the bodies' poses then."""
    start = data.qpos.copy()
    _unlit(model)
    option = mujoco.MjvOption()
    shown = 1 if (model.geom_group == 1).any() else 0
    for group in range(len(option.geomgroup)):
        option.geomgroup[group] = int(group == shown)
    with mujoco.Renderer(model, SIZE, SIZE) as renderer:
        for values in opened:
            data.qpos[:] = start
            for address, value in values.items():
                data.qpos[address] = value
            mujoco.mj_forward(model, data)
            for azimuth, elevation in AROUND:
                yield _look(renderer, model, data, option, azimuth, elevation), lambda b: pose(
                    data.xpos[b].copy(), data.xmat[b].reshape(3, 3).copy()
                )
    data.qpos[:] = start
    mujoco.mj_forward(model, data)


def _unlit(model: Any) -> None:
    """Have surfaces show their own colours, whatever the light."""
    model.vis.global_.offwidth = model.vis.global_.offheight = SIZE
    model.vis.quality.offsamples = model.vis.quality.shadowsize = 0
    model.vis.map.znear, model.vis.map.zfar = 0.01, 50.0
    model.vis.headlight.ambient[:] = 1.0
    model.vis.headlight.diffuse[:] = model.vis.headlight.specular[:] = 0.0
    model.mat_specular[:] = model.mat_reflectance[:] = model.mat_emission[:] = 0.0
    model.light_active[:] = 0
    model.site_rgba[:, 3] = 0.0


def _look(renderer: Any, model: Any, data: Any, option: Any, azimuth: float, elevation: float) -> tuple[Array, ...]:
    """Points (n, 3), normals (n, 3), colours (n, 3) and bodies (n,) that one camera sees."""
    camera = mujoco.MjvCamera()
    shown = np.isin(model.geom_group, np.flatnonzero(option.geomgroup))
    low = (data.geom_xpos[shown] - model.geom_rbound[shown, None]).min(axis=0)
    high = (data.geom_xpos[shown] + model.geom_rbound[shown, None]).max(axis=0)
    camera.lookat[:] = 0.5 * (low + high)
    camera.distance = max(0.15, 0.5 * DISTANCE * float(np.linalg.norm(high - low)))
    camera.azimuth, camera.elevation = azimuth, elevation
    renderer.update_scene(data, camera, option)
    colour = renderer.render().copy()
    renderer.enable_depth_rendering()
    depth = renderer.render().copy()
    renderer.disable_depth_rendering()
    renderer.enable_segmentation_rendering()
    geoms = renderer.render()[:, :, 0].copy()
    renderer.disable_segmentation_rendering()
    image = Image("around", colour, depth, pinhole(SIZE, SIZE, np.radians(model.vis.global_.fovy)), _eye(renderer))
    points = image.points()
    normals, sharp = normals_of(points, image.T_world_camera[:3, 3])
    good = (geoms >= 0) & sharp
    return points[good], normals[good], colour[good].astype(float), model.geom_bodyid[geoms[good]]


def normals_of(points: Array, p_world_camera: Array) -> tuple[Array, Array]:
    """Normals (h, w, 3), towards the camera, of an organised cloud (h, w, 3), and where they can be trusted (h, w):
    nowhere near an edge, nor where the surface is seen too flat."""
    du, dv = np.full_like(points, np.nan), np.full_like(points, np.nan)
    du[:, 1:-1], dv[1:-1] = points[:, 2:] - points[:, :-2], points[2:] - points[:-2]
    n = np.cross(du, dv)
    size = np.linalg.norm(n, axis=-1, keepdims=True)
    n = n / np.where(size > 0, size, 1.0)
    rays = points - p_world_camera
    distance = np.linalg.norm(rays, axis=-1, keepdims=True)
    rays = rays / distance
    n = np.where((n * rays).sum(-1, keepdims=True) > 0, -n, n)
    cosine = -(n * rays).sum(-1)
    middle_u, middle_v = np.full_like(points, np.nan), np.full_like(points, np.nan)
    middle_u[:, 1:-1], middle_v[1:-1] = 0.5 * (points[:, 2:] + points[:, :-2]), 0.5 * (points[2:] + points[:-2])
    bend = np.maximum(np.linalg.norm(middle_u - points, axis=-1), np.linalg.norm(middle_v - points, axis=-1))
    reach = np.minimum(np.linalg.norm(du, axis=-1), np.linalg.norm(dv, axis=-1))
    with np.errstate(invalid="ignore"):
        return n, (cosine > SLANTED) & (bend < SMOOTH * reach)


def _eye(renderer: Any) -> Array:
    """Pose of the renderer's camera, in the axes of `Image`."""
    left, right = renderer.scene.camera[0], renderer.scene.camera[1]
    forward, up = np.array(left.forward), np.array(left.up)
    R = np.column_stack([np.cross(forward, up), -up, forward])
    return pose(0.5 * (np.array(left.pos) + np.array(right.pos)), R)
