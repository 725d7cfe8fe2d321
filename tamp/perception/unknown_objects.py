"""Model things that are not in the library: a name from colour and shape, collision boxes, and a skin to track.

Only what was seen is known of them: their hidden sides are assumed to be where the seen ones end.
"""

from __future__ import annotations

import colorsys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
from scipy.ndimage import binary_fill_holes, median_filter
from scipy.spatial import cKDTree

from motion.poses import Array, Numbers, moved, pose, rotation_about
from motion.shapes import Shape
from tamp.model.scene import Part, SceneObject
from tamp.perception.object_model import ObjectModel, PlacedModel, Skin, field_around
from tamp.perception.segmentation import FEWEST, THIN, Ground, Points

SEEN = "seen"
"""Source of a model that was made of what was seen."""
NAME = "unknown"
LARGEST = (0.26, 0.3)
"""Longest side seen from above, and height (m), of what may be carried."""
CELL = 0.008
"""Metres of the cells that heights are kept in."""
STEP, STEPS = 0.006, (0.006, 0.012, 0.024)
"""Metres by which the heights of cells may differ that are one box: more where there would be too many."""
LEVEL = 0.008
"""Metres below its highest point within which a top is level."""
MOST_BOXES = 60
HALF = 0.5
"""Share of the smaller one of two footprints in which they are one."""
BESIDE, COMPANY = 0.006, 6
"""Metres around a point of a surface in which there are so many others of it."""
ROUND, SQUARE, EVEN = 0.66, 0.87, 0.75
"""Share of the rectangle around it that a round thing fills at least, and a box; least ratio of a round one's sides."""
FLAT, TALL = 0.35, 1.6
"""Heights, in widths, of what is flat and of what is tall."""
GREY, DARK, LIGHT = 0.18, 0.22, 0.75
"""Saturation below which there is no colour; brightness of what is black at most and of what is white at least."""
HUES = (
    (0.04, "red"),
    (0.1, "orange"),
    (0.18, "yellow"),
    (0.44, "green"),
    (0.7, "blue"),
    (0.83, "purple"),
    (0.95, "pink"),
)
"""Hue, from 0 to 1, up to which a colour has a name; red from there on."""
UP = np.array([0.0, 0.0, 1.0])


def unknown_thing(points: Points, ground: Ground) -> PlacedModel | None:
    """A model of some points that stand on the ground, where they are; None where they are more than can be carried."""
    points = in_company(points)
    if len(points) < FEWEST:
        return None
    middle, size, yaw, fills = _footprint(points.p[:, :2])
    height = float(points.p[:, 2].max()) - ground.stands
    if max(size) > LARGEST[0] or height > LARGEST[1] or min(*size, height) <= 0.0:
        return None
    T = pose([*middle, ground.stands], rotation_about(UP, yaw))
    local = (points.p - T[:3, 3]) @ T[:3, :3]
    category = f"{colour_name(points.colours)}_{_shape_name(size, height, fills)}"
    part = Part(NAME, "body", np.eye(4), columns(local, height))
    thing = SceneObject(NAME, category, True, (part,))
    normals = np.column_stack([local[:, :2], np.zeros(len(local))])  # a guess: up at the top, else outwards
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-6)
    normals[local[:, 2] > height - STEP] = UP
    skin = Skin(local, normals, points.colours.astype(np.uint8), CELL**2, field_around(local))
    model = ObjectModel(thing, {NAME: skin}, np.eye(3)[None], 1, np.zeros(2), (category.replace("_", " "),), SEEN)
    return PlacedModel(model, T)


def shaped_like(placed: PlacedModel, points: Points) -> PlacedModel:
    """An unknown thing with a known one's shape, parts and regions, where that was found, in the colours of the points
    (n, 3) that were seen of it."""
    model, whole = placed.model, placed.points()
    _, size, _, fills = _footprint(whole[:, :2])
    shape = _shape_name(size, float(np.ptp(whole[:, 2])), fills)
    category = f"{colour_name(points.colours)}_{shape}"
    thing = replace(PlacedModel(model, model.thing.T_world_object).as_object(NAME), category=category)
    seen, skins = cKDTree(points.p), {}
    for part in model.thing.parts:
        if part.name in model.skins:
            skin = model.skins[part.name]
            nearest = seen.query(moved(skin.points, placed.part_pose(part)))[1]
            skins[_renamed(part.name, model)] = replace(skin, colours=points.colours[nearest].astype(np.uint8))
    joints = {_renamed(name, model): value for name, value in placed.joints.items()}
    return PlacedModel(
        replace(model, thing=thing, skins=skins, names=(category.replace("_", " "),), source=SEEN),
        placed.T_world_object,
        joints,
    )


def _renamed(part: str, model: ObjectModel) -> str:
    return NAME + part.removeprefix(model.thing.name)


def of_one_thing(lots: Sequence[Points]) -> list[Points]:
    """Lots of points, those together that stand in one place: two cameras see a thing from two sides, and nothing that
    they see may join these."""
    out: list[Points] = []
    for lot in lots:
        mine = [other for other in out if _in_one_place(lot, other)]
        out = [other for other in out if not any(other is m for m in mine)]
        out.append(Points(*(np.concatenate([getattr(x, n) for x in (lot, *mine)]) for n in ("p", "colours"))))
    return out


def _in_one_place(one: Points, other: Points) -> bool:
    """Whether the boxes around some points are over one another, to half of the smaller one, without a gap between."""
    low = np.maximum(one.p.min(axis=0), other.p.min(axis=0))
    size = np.minimum(one.p.max(axis=0), other.p.max(axis=0)) - low
    areas = [float(np.prod(np.ptp(x.p[:, :2], axis=0))) for x in (one, other)]
    return size[2] > -CELL and min(size[:2]) > 0.0 and float(size[0] * size[1]) > HALF * min(areas)


def in_company(points: Points) -> Points:
    """Points that have others around them, as those of a surface do: what hangs between surfaces is alone."""
    tree = cKDTree(points.p)
    return points.where(np.asarray(tree.query_ball_point(points.p, BESIDE, return_length=True) > COMPANY))


def _footprint(xy: Numbers) -> tuple[Array, tuple[float, float], float, float]:
    """Middle (2,), sides (m) and turn of the smallest rectangle around points (n, 2), and how much of it they fill."""
    hull = cv2.convexHull((xy * 1000.0).astype(np.float32))
    (x, y), (w, h), angle = cv2.minAreaRect(hull)
    fills = float(cv2.contourArea(hull)) / max(1.0, w * h)
    return np.array([x, y]) / 1000.0, (w / 1000.0, h / 1000.0), float(np.radians(angle)), fills


def columns(local: Numbers, height: float) -> tuple[Shape, ...]:
    """Boxes (in the thing's frame) that reach from the ground up to where it was seen to end: what is hollow from above
    stays hollow. One box where that would be too many, and where it is one: level, and filling its rectangle."""
    index = np.floor(local[:, :2] / CELL).astype(int)
    first = index.min(axis=0)
    tops = np.zeros(index.max(axis=0) - first + 1)
    np.maximum.at(tops, tuple((index - first).T), local[:, 2])
    filled = binary_fill_holes(tops > 0)
    tops[filled & (tops == 0)] = STEP
    smooth = median_filter(tops, 3)
    tops = np.where(smooth > 0, smooth, tops)  # a stray point is no column
    ways = ((step, _merged(np.ceil(tops / step).astype(int))) for step in STEPS)
    step, boxes = next(((step, boxes) for step, boxes in ways if len(boxes) <= MOST_BOXES), (0.0, []))
    is_level = (tops > height - LEVEL).mean() > SQUARE
    if not boxes or (is_level and _footprint(local[:, :2])[3] > SQUARE):
        low, high = local.min(axis=0), local.max(axis=0)
        low[2] = 0.0
        return (Shape("box", 0.5 * (high - low), pose(0.5 * (low + high))),)
    out = []
    for (i, j), (k, m), level in boxes:
        mine = np.all((index - first >= (i, j)) & (index - first <= (k, m)), axis=1)
        if mine.any():  # no wider than what was seen of it
            (x, y), (far_x, far_y) = local[mine, :2].min(axis=0), local[mine, :2].max(axis=0)
        else:
            (x, y), (far_x, far_y) = (np.array([i, j]) + first) * CELL, (np.array([k, m]) + first + 1) * CELL
        half = 0.5 * np.array([max(far_x - x, THIN), max(far_y - y, THIN), min(level * step, height)])
        out.append(Shape("box", half, pose([0.5 * (x + far_x), 0.5 * (y + far_y), half[2]])))
    return tuple(out)


def _merged(levels: Numbers) -> list[tuple[tuple[int, int], tuple[int, int], int]]:
    """Rectangles of cells of one level: first cell, last cell, level. Grown along the second axis, then the first."""
    left, out = levels.copy(), []
    for i, j in np.ndindex(*levels.shape):
        level = int(left[i, j])
        if level == 0:
            continue
        m = j
        while m + 1 < left.shape[1] and left[i, m + 1] == level:
            m += 1
        k = i
        while k + 1 < left.shape[0] and np.all(left[k + 1, j : m + 1] == level):
            k += 1
        left[i : k + 1, j : m + 1] = 0
        out.append(((i, j), (k, m), level))
    return out


def _shape_name(size: tuple[float, float], height: float, fills: float) -> str:
    width = float(np.mean(size))
    if fills > SQUARE:
        return "box"
    if fills > ROUND and height > TALL * width:
        return "bottle"
    if fills < ROUND or min(size) < EVEN * max(size):
        return "thing"
    return "disc" if height < FLAT * width else "cylinder"


def colour_name(colours: Numbers) -> str:
    """The word for most of some colours (n, 3), bytes; what is in the shade tells less."""
    some = colours[:: max(1, len(colours) // 200)] / 255.0
    votes: dict[str, float] = defaultdict(float)
    for c in some:
        votes[_word(*c)] += float(max(c))
    return max(sorted(votes), key=lambda word: votes[word])


def _word(red: float, green: float, blue: float) -> str:
    hue, saturation, value = colorsys.rgb_to_hsv(red, green, blue)
    if value < DARK:
        return "black"
    if saturation < GREY:
        return "white" if value > LIGHT else "grey"
    return next((name for limit, name in HUES if hue < limit), "red")
