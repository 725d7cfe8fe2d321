"""Pictures of a MuJoCo model from anywhere, with depth: the one way in which things of the library are drawn."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from motion.poses import Array, pose
from tamp.model.images import Image, as_png, pinhole

NEAR, FAR = 0.01, 20.0
"""Metres between which things are drawn."""
VIEW = 45.0
"""Vertical field of view, degrees."""
PICTURE, FROM, LIGHT = 200, (145.0, -28.0), (0.6, 0.6)
"""Of a picture for people: pixels, azimuth and elevation (degrees), ambient light and diffuse light from the camera."""
HIDDEN = 5
"""Group of geoms that are not drawn."""
FITTING = 1.0 / (2.0 * np.sin(np.radians(VIEW / 2)))
"""Distance, in diagonals of a box, from which a camera sees all of it, however it is turned."""


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
        camera.distance = margin * max(2 * NEAR, FITTING * float(np.linalg.norm(high - low)))
        camera.azimuth, camera.elevation = azimuth, elevation
        every = mujoco.mjtCatBit.mjCAT_ALL.value
        mujoco.mjv_updateScene(self.model, self.data, self.option, None, camera, every, self.scene)
        self.scene.flags[:] = 0
        self.scene.flags[mujoco.mjtRndFlag.mjRND_CULL_FACE] = int(not self.both_sides)
        colour, raw = np.empty((self.size, self.size, 3), np.uint8), np.empty((self.size, self.size), np.float32)
        area = mujoco.MjrRect(0, 0, self.size, self.size)
        mujoco.mjr_render(area, self.scene, self.context)
        mujoco.mjr_readPixels(colour, raw, area, self.context)
        z = NEAR * FAR / (raw[::-1].astype(float) * (FAR - NEAR) + NEAR)
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
    model.vis.map.znear, model.vis.map.zfar = NEAR / model.stat.extent, FAR / model.stat.extent
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
