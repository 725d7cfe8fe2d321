"""Make a thing's model of a MuJoCo model: skins, by rendering it from all around, its symmetry, how it can rest.

Hidden insides are left out. Images are rendered without lights, so that colours are the surface's own, whatever meshes,
textures and primitives the model is made of.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import mujoco
import numpy as np
from scipy.optimize import minimize
from scipy.spatial import ConvexHull

from motion.poses import Array, inverse, pose, rotation_about
from motion.shapes import Shape
from tamp.model.images import Image, as_png, pinhole
from tamp.model.scene import SceneObject
from tamp.perception.object_model import ObjectModel, Skin, facing, field_around

UP = np.array([0.0, 0.0, 1.0])
ALIKE, OF_WIDTH = 0.002, 0.02
"""Metres, and share of a thing's width, to which nearly all of a skin lies on itself when it is turned by its symmetry:
the larger counts."""
NEARLY_ALL = 90.0
"""Per cent: a can with the tongue of its lid is round."""
STICKS_OUT, ALL = 0.008, 99.0
"""Metres to which all of it does, in per cent, but for what may be of the skin itself: a mug with its handle is not."""
BASIN = 4.0
"""Times `ALIKE` that a skin may be off about the middle of its box for its axis to be looked for."""
ORDERS = (8, 6, 5, 4, 3, 2)
TRIED = 1500
"""About how many points of a skin are turned."""
FLAT = np.radians(5.0)
"""Angle between two faces of the hull up to which they are one side to lie on."""
APART = np.radians(12.0)
"""Angle up to which two attitudes are the same one."""
TOUCHING = 0.0015
"""Metres above the lowest point up to which a point carries."""
TIPS = np.radians(5.0)
"""Angle by which a thing that stays in an attitude can at least be tipped."""
MOST_ATTITUDES = 6
NEAREST, FARTHEST = 0.01, 20.0
"""Metres between which things are drawn."""
VIEW_DEGREES = 45.0
PICTURE, FROM, LIGHT = 200, (145.0, -28.0), (0.6, 0.6)
"""Of a picture for people: pixels, azimuth and elevation (degrees), ambient light and diffuse light from the camera."""
HIDDEN = 5
"""Group of geoms that are not drawn."""
FITTING, MARGIN = 1.0 / (2.0 * np.sin(np.radians(VIEW_DEGREES / 2))), 1.02
"""Distance, in diagonals of a box, from which a camera sees all of it, however it is turned; times a little more."""
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
SKIN_POINTS = 6000
FINEST = 0.0012
"""Metres between the points of a skin, at least."""


def symmetry_of(thing: SceneObject, skin: Skin, known: int | None = None) -> tuple[int, Array]:
    """How many turns by 2π / turns about the vertical leave a thing's shape as it is, 0 where any turn does, unless
    they are `known`; and where the axis is (2,), metres from the origin of the thing as it stands upright: in the
    middle of the box around it where there is no symmetry."""
    R = thing.T_world_object[:3, :3]
    upright = skin.points @ R.T
    low, high = upright.min(axis=0), upright.max(axis=0)
    middle = 0.5 * (low + high)[:2]
    alike = max(ALIKE, OF_WIDTH * float((high - low)[:2].max()))
    tried = upright[:: max(1, len(upright) // TRIED)]

    def off(axis: Array, angle: float) -> Array:
        turned = (tried[:, :2] - axis) @ rotation_about(UP, angle)[:2, :2].T + axis
        return skin.field.distance(np.column_stack([turned, tried[:, 2]]) @ R)

    def fitted(angles: Array) -> Array:
        def cost(axis: Array) -> float:
            return float(np.mean([np.minimum(off(axis, a), BASIN * alike).mean() for a in angles]))

        start = middle + np.array([[0.0, 0.0], [ALIKE, 0.0], [0.0, ALIKE]])
        options: Any = {"xatol": 1e-4, "maxfev": 60, "initial_simplex": start}
        return np.asarray(minimize(cost, middle, method="Nelder-Mead", options=options).x)

    if known is not None:
        return known, middle if known == 1 else fitted(_angles(known))
    for turns in (0, *ORDERS):
        angles = _angles(turns)
        if all(np.median(off(middle, a)) < BASIN * alike for a in angles):
            axis = fitted(angles)
            if all((np.percentile(off(axis, a), (NEARLY_ALL, ALL)) < (alike, STICKS_OUT)).all() for a in angles):
                return turns, axis
    return 1, middle


def _angles(turns: int) -> Array:
    """Turns (k,), radians, after which what has a symmetry looks the same."""
    return np.radians([20, 45, 77, 110, 180]) if turns == 0 else 2 * np.pi * np.arange(1, turns) / turns


def resting_attitudes(thing: SceneObject, skin: Skin, turns: int) -> Array:
    """Rotations (k, 3, 3) in which a thing stays on a level surface: the given one first, then on other sides of its
    hull, the hardest to tip first; none that is another one after a turn by its symmetry."""
    R = thing.T_world_object[:3, :3]
    hull = skin.points[ConvexHull(skin.points, qhull_options="QJ").vertices]
    weight = centre_of_mass(thing.parts[0].shapes)
    found = sorted(((tipping(hull, weight, n), n) for n in sides(skin.points)), key=lambda s: -s[0])
    up = R.T @ UP
    downs = [-up]
    for angle, n in found:
        if angle > TIPS and len(downs) < MOST_ATTITUDES and not any(_same(n, other, up, turns) for other in downs):
            downs.append(n)
    return np.array([R, *(onto(n) for n in downs[1:])])


def centre_of_mass(shapes: tuple[Shape, ...]) -> Array:
    """Where (3,) the weight of some shapes of one density is, in their part's frame."""
    volumes = np.array([8 * float(np.prod(s.half_extent)) for s in shapes])
    return np.asarray(volumes @ np.array([s.T_body_shape[:3, 3] for s in shapes]) / volumes.sum())


def tipping(points: Array, weight: Array, down: Array) -> float:
    """Radians by which a convex body can be tipped until it falls over, on a level surface with its direction `down`
    (3,) pointing down; not positive when it falls by itself. `weight` (3,) is its centre of mass."""
    R = onto(down)
    p, w = points @ R.T, R @ weight
    floor = p[:, 2].min()
    carrying = p[p[:, 2] < floor + TOUCHING, :2]
    if len(carrying) < 3 or np.linalg.matrix_rank(carrying - carrying[0], tol=1e-4) < 2:
        return 0.0
    reach = -(ConvexHull(carrying, qhull_options="QJ").equations @ [*w[:2], 1.0]).max()
    return float(np.arctan2(reach, w[2] - floor))


def sides(points: Array) -> list[Array]:
    """Outward directions (3,) of the flat sides of the hull of points; curved ones have many."""
    hull = ConvexHull(points, qhull_options="QJ")
    a, b, c = (hull.points[hull.simplices[:, i]] for i in range(3))
    areas = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    normals, out = hull.equations[np.argsort(-areas), :3], list[Array]()
    while len(normals):
        out.append(normals[0])
        normals = normals[normals @ out[-1] < np.cos(FLAT)]
    return out


def _same(a: Array, b: Array, up: Array, turns: int) -> bool:
    """Whether two directions of a body are the same, or are after one of its turns about `up`."""
    if abs(np.arccos(np.clip(a @ up, -1, 1)) - np.arccos(np.clip(b @ up, -1, 1))) > APART:
        return False
    if turns == 0:
        return True
    angles = 2 * np.pi * np.arange(turns) / turns
    return any(float(rotation_about(up, t) @ a @ b) > np.cos(APART) for t in angles)


def onto(n: Array) -> Array:
    """A rotation (3, 3) that turns direction `n` downwards."""
    axis, cosine = np.cross(n, -UP), float(n @ -UP)
    length = float(np.linalg.norm(axis))
    if length < 1e-9:
        return np.eye(3) if cosine > 0 else np.asarray(np.diag([1.0, -1.0, -1.0]))
    return rotation_about(axis / length, float(np.arctan2(length, cosine)))


def modelled(
    thing: SceneObject, skins: Mapping[str, Skin], names: tuple[str, ...], source: str, turns: int | None = None
) -> ObjectModel:
    """The model of a thing that stands upright, with its skins. `turns` is its symmetry where that is known; what stays
    where it stands has none, and one attitude."""
    skin = skins[thing.parts[0].name]
    if not thing.movable:
        upright = thing.T_world_object[None, :3, :3]
        return ObjectModel(thing, dict(skins), upright, *symmetry_of(thing, skin, 1), names, source)
    turns, axis = symmetry_of(thing, skin, turns)
    rests = resting_attitudes(thing, skin, turns)
    return ObjectModel(thing, dict(skins), rests, turns, axis, names, source)


@contextmanager
def studio(
    model: Any, data: Any, size: int, light: tuple[float, float], both_sides: bool = False
) -> Iterator[Callable[[float, float, Array, Array], Image]]:
    """A place to draw the geoms of a model that are in group 1, whose visual settings are changed: a function that
    takes a picture, square with `size` pixels, from an azimuth and an elevation (degrees as MuJoCo's cameras have them)
    of the world-aligned box between two corners (3,), (3,). `light` is ambient and diffuse, from the camera: (1, 0)
    shows surfaces in their own colours. `both_sides`: faces are seen from behind, too."""
    model.vis.global_.offwidth = model.vis.global_.offheight = size
    model.vis.global_.fovy = VIEW_DEGREES
    model.vis.quality.offsamples = model.vis.quality.shadowsize = 0
    model.vis.map.znear, model.vis.map.zfar = NEAREST / model.stat.extent, FARTHEST / model.stat.extent
    model.vis.headlight.ambient[:], model.vis.headlight.diffuse[:] = light
    model.vis.headlight.specular[:] = 0.0
    model.mat_specular[:] = model.mat_reflectance[:] = model.mat_emission[:] = 0.0
    model.light_active[:] = 0
    canvas = mujoco.GLContext(size, size)
    canvas.make_current()
    context = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100.value)
    scene, option, camera = mujoco.MjvScene(model, 2000), mujoco.MjvOption(), mujoco.MjvCamera()
    option.geomgroup[:] = 0
    option.geomgroup[1] = 1
    option.sitegroup[:] = 0
    area, K = mujoco.MjrRect(0, 0, size, size), pinhole(size, size, np.radians(VIEW_DEGREES))

    def look(azimuth: float, elevation: float, low: Array, high: Array) -> Image:
        camera.lookat[:] = 0.5 * (low + high)
        camera.distance = MARGIN * max(2 * NEAREST, FITTING * float(np.linalg.norm(high - low)))
        camera.azimuth, camera.elevation = azimuth, elevation
        mujoco.mjv_updateScene(model, data, option, None, camera, mujoco.mjtCatBit.mjCAT_ALL.value, scene)
        scene.flags[:] = 0
        scene.flags[mujoco.mjtRndFlag.mjRND_CULL_FACE] = int(not both_sides)
        colour, raw = np.empty((size, size, 3), np.uint8), np.empty((size, size), np.float32)
        mujoco.mjr_render(area, scene, context)
        mujoco.mjr_readPixels(colour, raw, area, context)
        z = NEAREST * FARTHEST / (raw[::-1].astype(float) * (FARTHEST - NEAREST) + NEAREST)
        left, right = scene.camera[0], scene.camera[1]
        forward, up = np.array(left.forward), np.array(left.up)
        R = np.column_stack([np.cross(forward, up), -up, forward])
        T = pose(0.5 * (np.array(left.pos) + np.array(right.pos)), R)
        return Image("studio", np.ascontiguousarray(colour[::-1]), np.where(raw[::-1] > 0, z, 0.0), K, T)

    try:
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN.value, context)
        context.readDepthMap = mujoco.mjtDepthMap.mjDEPTH_ZEROFAR
        yield look
    finally:
        context.free()
        canvas.free()


def picture(model: Any, data: Any, both_sides: bool = False) -> bytes:
    """A PNG of all of a model that is to be seen, from the front, above and aside, on white."""
    model = copy.deepcopy(model)
    geoms = visible(model)
    model.geom_group[:] = HIDDEN
    model.geom_group[geoms] = 1
    with studio(model, data, PICTURE, LIGHT, both_sides) as look:
        image = look(*FROM, *bounds_of(model, data, geoms))
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
    with studio(model, data, SIZE, (1.0, 0.0), both_sides) as look:
        for name, bodies in parts.items():
            geoms = seen[np.isin(model.geom_bodyid[seen], bodies)]
            if len(geoms):
                model.geom_group[:] = HIDDEN
                model.geom_group[geoms] = 1
                T = pose(data.xpos[bodies[0]].copy(), data.xmat[bodies[0]].reshape(3, 3).copy())
                box = bounds_of(model, data, geoms)
                samples = np.concatenate([_samples(look(*direction, *box)) for direction in AROUND])
                D = inverse(T)
                points, normals = samples[:, :3] @ D[:3, :3].T + D[:3, 3], samples[:, 3:6] @ D[:3, :3].T
                out[name] = skin_of(np.hstack([points, normals, samples[:, 6:]]))
    return out


def _samples(image: Image) -> Array:
    """What a picture shows well: points, normals and colours (n, 9)."""
    rows, columns = (np.flatnonzero((image.depth > 0).any(axis=a)) for a in (1, 0))
    if len(rows):  # only where there is something
        window, K = (slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)), image.K.copy()
        K[:2, 2] -= columns[0], rows[0]
        image = Image(image.camera, image.colour[window], image.depth[window], K, image.T_world_camera)
    points = image.points()
    normals, sharp = normals_of(points, image.T_world_camera[:3, 3])
    good = sharp.astype(bool) & (image.depth > 0)
    return np.hstack([points[good], normals[good], image.colour[good].astype(float)])


def skin_of(samples: Array) -> Skin:
    """A skin of samples (n, 9): points, normals and colours."""
    fine = thinned = _thinned(samples, FINEST)
    cell = FINEST
    while len(thinned) > SKIN_POINTS:
        cell *= max(1.1, 0.9 * float(np.sqrt(len(thinned) / SKIN_POINTS)))
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
