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
from scipy.ndimage import binary_erosion
from scipy.spatial import cKDTree

from motion.poses import Array, Numbers, moved, pose, rotation_about
from motion.shapes import Shape
from tamp.model.scene import Part, SceneObject
from tamp.perception.box_cover import ENOUGH, covering, heights, inside_of
from tamp.perception.looks import MATCHED, Look, gaps_at, sighted
from tamp.perception.modelling import modelled
from tamp.perception.object_model import ObjectModel, PlacedModel, Skin, field_around
from tamp.perception.segmentation import FEWEST, Ground, Points

SEEN = "seen"
"""Source of a model that was made of what was seen."""
NAME = "unknown"
LARGEST = (0.26, 0.3)
"""Longest side seen from above, and height (m), of what may be carried."""
CELL, CELLS = 0.005, (0.006, 0.009)
"""Metres to which a surface is known, and of the cells that a solid is made of: the first of which all can be covered
by so many boxes."""
STEP = 0.006
"""Metres below its highest point from which on a surface is taken for the top."""
LEVEL = 0.008
"""Metres below its highest point within which a top is level."""
PAST = 0.01
"""Metres behind a place of a solid from which on one sees past it."""
MOST_BOXES = 60
SHIFTS = (0.0, *(s * d for d in (0.004, 0.008, 0.012, 0.018, 0.025) for s in (1.0, -1.0)))
"""Metres from the middle of what is seen in which a plane of symmetry is looked for."""
TRIED, CONTRADICTED = 1000, 0.04
"""Points of a reflection that are looked at, and the share of those seen past which it is none."""
HALF = 0.5
"""Share of the smaller one of two footprints in which they are one."""
SAME_COLOUR, LARGER = 60.0, 0.02
"""Distance between mean colours (bytes) up to which they may be a thing's own in another light, and metres by which
what is seen of it may be larger than before."""
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


def unknown_thing(points: Points, ground: Ground, looks: Sequence[Look] = ()) -> PlacedModel | None:
    """A model of some points that stand on the ground, where they are; None where they are more than can be carried.
    Where `looks` see past a place the thing is not."""
    points = in_company(points)
    if len(points) < FEWEST:
        return None
    whole = completed(points.p, ground, looks)
    middle, size, yaw, fills = _footprint(whole[:, :2])
    height = float(whole[:, 2].max()) - ground.stands
    if max(size) > LARGEST[0] or height > LARGEST[1] or min(*size, height) <= 0.0:
        return None
    T = pose([*middle, ground.stands], rotation_about(UP, yaw))
    local = (whole - T[:3, 3]) @ T[:3, :3]
    category = f"{colour_name(points.colours)}_{_shape_name(size, height, fills)}"
    shapes, hidden = solid(local, height, T, looks)
    up = np.array([0.0, 0.0, 0.5 * height])  # its origin is in its middle, as that of a mesh is
    shapes = tuple(replace(s, T_body_shape=pose(-up) @ s.T_body_shape) for s in shapes)
    part = Part(NAME, "body", np.eye(4), shapes)
    thing = SceneObject(NAME, category, True, (part,), inside_of(NAME, local - up, -up[2]))
    surface = np.concatenate([local, hidden])
    normals = np.column_stack([surface[:, :2], np.zeros(len(surface))])  # a guess: up at the top, else outwards
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-6)
    normals[surface[:, 2] > height - STEP] = UP
    nearest = cKDTree((points.p - T[:3, 3]) @ T[:3, :3]).query(surface)[1]
    surface = surface - up
    skin = Skin(surface, normals, points.colours[nearest].astype(np.uint8), CELL**2, field_around(surface))
    return PlacedModel(modelled(thing, {NAME: skin}, (category.replace("_", " "),), SEEN, 1), T @ pose(up))


def completed(p: Array, ground: Ground, looks: Sequence[Look]) -> Array:
    """Points (n, 3) on a thing, and their reflections (m, 3) in the vertical planes in which it may be symmetric: most
    of a reflection is hidden, or is where something is seen, and next to none of it where one sees past."""
    middle, _, yaw, _ = _footprint(p[:, :2])
    whole = p
    for normal in rotation_about(UP, yaw)[:3, :2].T:
        off, best = None, 0.0
        for shift in SHIFTS:
            mirrored = whole - 2.0 * ((whole - [*middle, 0.0]) @ normal - shift)[:, None] * normal
            found = sighted(mirrored[:: max(1, len(whole) // TRIED)], looks, MATCHED)
            if found.past <= CONTRADICTED * found.matched and found.matched - found.past > best:
                off, best = mirrored, found.matched - found.past
        if off is not None:
            new = np.asarray(cKDTree(whole).query(off)[0] > CELL) & (off[:, 2] > ground.stands)
            whole = np.concatenate([whole, off[new]])
    return whole


def solid(local: Array, height: float, T_world_thing: Array, looks: Sequence[Look]) -> tuple[tuple[Shape, ...], Array]:
    """Boxes (in the thing's frame) that reach from the surface (n, 3) down to the ground, but for where pictures see
    past them, and points (m, 3) of what of their own surface is hidden: what is hollow from above stays hollow. One box
    where it is one: level, and filling its rectangle."""
    for cell in CELLS:
        tops, low = heights(local, cell)
        filled: Numbers = (np.arange(np.ceil(height / cell)) + 0.5) * cell < tops[..., None]
        cells = np.argwhere(filled)
        middles, surface = low + (cells + 0.5) * cell, cKDTree(local)
        if looks:
            past = np.any([gaps_at(look, moved(middles, T_world_thing)) > PAST for look in looks], axis=0)
            filled[tuple(cells[past & (np.asarray(surface.query(middles)[0]) > cell)].T)] = False
        boxes, covered = covering(filled, np.concatenate([local, local * [1, 1, 0]]), low, cell, MOST_BOXES)
        if covered >= ENOUGH:
            break
    inside = binary_erosion(np.pad(filled, ((1, 1), (1, 1), (0, 1))), border_value=1)[1:-1, 1:-1, :-1]
    outer = low + (np.argwhere(filled & ~inside) + 0.5) * cell
    if (tops > height - LEVEL).mean() > SQUARE and _footprint(local[:, :2])[3] > SQUARE:
        corners = np.array([[*local[:, :2].min(axis=0), 0.0], local.max(axis=0)])
        boxes = [Shape("box", 0.5 * np.ptp(corners, axis=0), pose(corners.mean(axis=0)))]
    return tuple(boxes), outer[np.asarray(surface.query(outer)[0]) > cell]


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


def could_be(placed: PlacedModel, points: Points) -> bool:
    """Whether points may be of an unknown thing that was moved: in its colours, and no larger than it."""
    colours = [skin.colours.mean(axis=0) for skin in placed.model.skins.values()]
    larger = np.sort(np.ptp(points.p, axis=0)) - np.sort(np.ptp(placed.points(), axis=0))
    alike = np.linalg.norm(np.mean(colours, axis=0) - points.colours.mean(axis=0)) < SAME_COLOUR
    return placed.model.source == SEEN and bool(alike) and float(larger.max()) < LARGER


def same_size(one: PlacedModel, other: PlacedModel) -> bool:
    """Whether two models are about as large."""
    sizes = [np.sort(np.ptp(x.points(), axis=0)) for x in (one, other)]
    return bool(np.abs(sizes[0] - sizes[1]).max() < LARGER)


def brought_to(placed: PlacedModel, points: Points) -> PlacedModel:
    """A thing, in the attitude that it has, where its upper end is where that of some points is."""
    (low, high), to_low, to_high = placed.bounds, points.p.min(axis=0), points.p.max(axis=0)
    shift = np.append(0.5 * (to_low + to_high - low - high)[:2], to_high[2] - high[2])
    return replace(placed, T_world_object=pose(shift) @ placed.T_world_object)


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
