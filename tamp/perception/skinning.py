"""Make surface models of a MuJoCo model by rendering it from all around: hidden insides are left out.

Images are rendered without lights, so that colours are the surface's own, whatever meshes, textures and primitives the
model is made of.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from motion.poses import Array, inverse, pose
from tamp.model.images import Image, as_png, pinhole
from tamp.perception.object_model import Skin, facing, field_around

NEAREST, FARTHEST = 0.01, 20.0
"""Metres between which things are drawn."""
VIEW = 45.0
"""Vertical field of view, degrees."""
PICTURE, FROM, LIGHT = 200, (145.0, -28.0), (0.6, 0.6)
"""Of a picture for people: pixels, azimuth and elevation (degrees), ambient light and diffuse light from the camera."""
HIDDEN = 5
"""Group of geoms that are not drawn."""
FITTING = 1.0 / (2.0 * np.sin(np.radians(VIEW / 2)))
"""Distance, in diagonals of a box, from which a camera sees all of it, however it is turned."""
SIZE = 256
"""Width and height, in pixels, of the pictures that skins are made from."""
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


@dataclass(frozen=True, eq=False)
class ModelStudio:
    """Draws square pictures of `size` pixels of the geoms of a model that are in group 1."""

    model: Any
    data: Any
    size: int
    scene: Any
    context: Any
    option: Any
    both_sides: bool = False

    def look(self, azimuth: float, elevation: float, low: Array, high: Array, margin: float = 1.02) -> Image:
        """A picture of a world-aligned box; azimuth and elevation in degrees as MuJoCo's cameras have them."""
        camera = mujoco.MjvCamera()
        camera.lookat[:] = 0.5 * (low + high)
        camera.distance = margin * max(2 * NEAREST, FITTING * float(np.linalg.norm(high - low)))
        camera.azimuth, camera.elevation = azimuth, elevation
        every = mujoco.mjtCatBit.mjCAT_ALL.value
        mujoco.mjv_updateScene(self.model, self.data, self.option, None, camera, every, self.scene)
        self.scene.flags[:] = 0
        self.scene.flags[mujoco.mjtRndFlag.mjRND_CULL_FACE] = int(not self.both_sides)
        colour, raw = np.empty((self.size, self.size, 3), np.uint8), np.empty((self.size, self.size), np.float32)
        area = mujoco.MjrRect(0, 0, self.size, self.size)
        mujoco.mjr_render(area, self.scene, self.context)
        mujoco.mjr_readPixels(colour, raw, area, self.context)
        z = NEAREST * FARTHEST / (raw[::-1].astype(float) * (FARTHEST - NEAREST) + NEAREST)
        depth = np.where(raw[::-1] > 0, z, 0.0)
        K = pinhole(self.size, self.size, np.radians(VIEW))
        return Image("studio", np.ascontiguousarray(colour[::-1]), depth, K, self._eye())

    def _eye(self) -> Array:
        """Pose of the camera, in the axes of `Image`."""
        left, right = self.scene.camera[0], self.scene.camera[1]
        forward, up = np.array(left.forward), np.array(left.up)
        R = np.column_stack([np.cross(forward, up), -up, forward])
        return pose(0.5 * (np.array(left.pos) + np.array(right.pos)), R)


@contextmanager
def studio(
    model: Any, data: Any, size: int, light: tuple[float, float], both_sides: bool = False
) -> Iterator[ModelStudio]:
    """A place to draw a model in; its visual settings are changed. `light` is ambient and diffuse, from the camera:
    (1, 0) shows surfaces in their own colours. `both_sides`: faces are seen from behind, too."""
    _prepared(model, size, light)
    canvas = mujoco.GLContext(size, size)
    canvas.make_current()
    context = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100.value)
    try:
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN.value, context)
        context.readDepthMap = mujoco.mjtDepthMap.mjDEPTH_ZEROFAR
        option = mujoco.MjvOption()
        option.geomgroup[:] = 0
        option.geomgroup[1] = 1
        option.sitegroup[:] = 0
        yield ModelStudio(model, data, size, mujoco.MjvScene(model, 2000), context, option, both_sides)
    finally:
        context.free()
        canvas.free()


def _prepared(model: Any, size: int, light: tuple[float, float]) -> None:
    model.vis.global_.offwidth = model.vis.global_.offheight = size
    model.vis.global_.fovy = VIEW
    model.vis.quality.offsamples = model.vis.quality.shadowsize = 0
    model.vis.map.znear, model.vis.map.zfar = NEAREST / model.stat.extent, FARTHEST / model.stat.extent
    model.vis.headlight.ambient[:], model.vis.headlight.diffuse[:] = light
    model.vis.headlight.specular[:] = 0.0
    model.mat_specular[:] = model.mat_reflectance[:] = model.mat_emission[:] = 0.0
    model.light_active[:] = 0


def picture(model: Any, data: Any, both_sides: bool = False) -> bytes:
    """A PNG of all of a model that is to be seen, from the front, above and aside, on white."""
    model = copy.deepcopy(model)
    geoms = visible(model)
    model.geom_group[:] = HIDDEN
    model.geom_group[geoms] = 1
    with studio(model, data, PICTURE, LIGHT, both_sides) as place:
        image = place.look(*FROM, *bounds_of(model, data, geoms))
    return as_png(np.where(image.depth[..., None] > 0, image.colour, 255).astype(np.uint8))


def visible(model: Any) -> Any:
    """The ids of the geoms that are seen: where there is nothing else, of what is touched."""
    shown = 1 if (model.geom_group == 1).any() else 0
    return np.flatnonzero(model.geom_group == shown)


def bounds_of(model: Any, data: Any, geoms: Any) -> tuple[Array, Array]:
    """The lower and upper corner (3,), (3,) of the world-aligned box around some geoms, by their ids."""
    signs = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)], dtype=float)
    local = model.geom_aabb[geoms, None, :3] + signs * model.geom_aabb[geoms, None, 3:]
    world = np.einsum("nij,nkj->nki", data.geom_xmat[geoms].reshape(-1, 3, 3), local) + data.geom_xpos[geoms, None]
    return world.min(axis=(0, 1)), world.max(axis=(0, 1))


def skins(model: Any, data: Any, parts: Mapping[str, Sequence[int]], both_sides: bool = False) -> dict[str, Skin]:
    """The skin of each part that can be seen, by name, in the frame of its first body. `parts` has the bodies of each.

    Each is looked at without the others: what a closed drawer has inside is seen once it is open. `both_sides`: faces
    are seen from behind, too.
    """
    model = copy.deepcopy(model)
    seen = visible(model)
    out = {}
    with studio(model, data, SIZE, (1.0, 0.0), both_sides) as place:
        for name, bodies in parts.items():
            geoms = seen[np.isin(model.geom_bodyid[seen], bodies)]
            if len(geoms):
                model.geom_group[:] = HIDDEN
                model.geom_group[geoms] = 1
                T = pose(data.xpos[bodies[0]].copy(), data.xmat[bodies[0]].reshape(3, 3).copy())
                samples = np.concatenate(list(_looks(place, *bounds_of(model, data, geoms))))
                out[name] = skin_of(_in_frame(samples, inverse(T)))
    return out


def _in_frame(samples: Array, T: Array) -> Array:
    """Samples (n, 9), points, normals and colours, in another frame."""
    return np.hstack([samples[:, :3] @ T[:3, :3].T + T[:3, 3], samples[:, 3:6] @ T[:3, :3].T, samples[:, 6:]])


def _looks(place: ModelStudio, low: Array, high: Array) -> Iterator[Array]:
    """Samples (n, 9) that each camera around a box sees."""
    for azimuth, elevation in AROUND:
        image = _cropped(place.look(azimuth, elevation, low, high))
        points = image.points()
        normals, sharp = normals_of(points, image.T_world_camera[:3, 3])
        good = sharp.astype(bool) & (image.depth > 0)
        yield np.hstack([points[good], normals[good], image.colour[good].astype(float)])


def _cropped(image: Image) -> Image:
    """The part of a picture in which there is something."""
    rows, columns = (np.flatnonzero((image.depth > 0).any(axis=a)) for a in (1, 0))
    if len(rows) == 0:
        return image
    window, K = (slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)), image.K.copy()
    K[:2, 2] -= columns[0], rows[0]
    return Image(image.camera, image.colour[window], image.depth[window], K, image.T_world_camera)


def skin_of(samples: Array) -> Skin:
    """A skin of samples (n, 9): points, normals and colours."""
    fine = thinned = _thinned(samples, FINEST)
    cell = FINEST
    while len(thinned) > POINTS:
        cell *= max(1.1, 0.9 * float(np.sqrt(len(thinned) / POINTS)))
        thinned = _thinned(fine, cell)
    normals = thinned[:, 3:6] / np.linalg.norm(thinned[:, 3:6], axis=1, keepdims=True)
    colours: Any = np.clip(thinned[:, 6:], 0, 255).astype(np.uint8)
    return Skin(thinned[:, :3], normals, colours, cell**2, field_around(fine[:, :3]))


def _thinned(samples: Array, cell: float) -> Array:
    """One mean sample for each cell and side that the surface faces there."""
    normals = samples[:, 3:6]
    side = facing(normals)
    cells = np.floor((samples[:, :3] - samples[:, :3].min(axis=0)) / cell).astype(np.int64)
    n = cells.max(axis=0) + 1
    code = ((cells[:, 0] * n[1] + cells[:, 1]) * n[2] + cells[:, 2]) * 6 + side
    _, where, counts = np.unique(code, return_inverse=True, return_counts=True)
    sums = [np.bincount(where, column, len(counts)) for column in samples.T]
    return np.column_stack(sums) / counts[:, None]


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
