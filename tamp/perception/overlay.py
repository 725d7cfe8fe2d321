"""Draw what was perceived on images: masks, boxes, axes, names; and crop things out of them."""

from __future__ import annotations

import colorsys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.ndimage import binary_erosion

from motion.poses import Array, from_quat, inverse, moved, pose
from tamp.model.images import Image
from tamp.perception.looks import masks
from tamp.perception.object_model import ObjectModel, PlacedModel

TINT = 0.4
"""How much of a mask's colour there is in its pixels."""
AXIS = 0.05
"""Metres of a drawn axis."""
EDGES = ((0, 1), (0, 2), (0, 4), (1, 3), (1, 5), (2, 3), (2, 6), (3, 7), (4, 5), (4, 6), (5, 7), (6, 7))
"""Corners of a box that an edge joins; corner i has the upper side along x, y, z where bit 2, 1, 0 of i is set."""
AXES = ((255, 60, 60), (60, 220, 60), (80, 120, 255))
UNKNOWN = (235, 235, 235)
NEAREST = 0.05
"""Metres in front of the camera from which lines are drawn."""
AROUND = 0.4
"""Room on each side of a thing, as a share of what is seen of it."""
LEAST = 16
"""Pixels across and down that are worth looking at."""


@dataclass(frozen=True, eq=False)
class Shown:
    """A thing to draw: its name, how sure it is, the box (2, 3) around it in its own frame at `T_world_box` (4, 4), and
    what it is placed as, None for what no model explains."""

    name: str
    confidence: float
    box: Array
    T_world_box: Array
    placed: PlacedModel | None = None


def shown(name: str, confidence: float, placed: PlacedModel) -> Shown:
    """A placed model to draw."""
    T_world_upright = placed.T_world_object @ inverse(placed.model.thing.T_world_object)
    world = placed.points()
    p = moved(world, inverse(T_world_upright))
    return Shown(name, confidence, np.array([p.min(axis=0), p.max(axis=0)]), T_world_upright, placed)


def unknown(name: str, low: Array, high: Array) -> Shown:
    """The box (3,), (3,) around something unknown to draw."""
    middle = 0.5 * (np.asarray(low) + high)
    return Shown(name, 0.0, np.array([low - middle, high - middle]), pose(middle))


def shown_of(record: Mapping[str, Any], known: Mapping[str, ObjectModel]) -> list[Shown]:
    """What to draw of a scene in plain data (`tamp.model.scene_record.told_of`), but for what everything stands on;
    `known` has models by category."""
    found = []
    for name, category in record["objects"].items():
        where, model = np.array(record["poses"][name]), known.get(category)
        if model is not None:
            own = {p.name.removeprefix(model.thing.name): p.name for p in model.jointed}
            joints = {own[end]: v for end, v in record["joints"].get(name, {}).items() if end in own}
            placed = PlacedModel(model, from_quat(where[:3], where[3:]), joints)
            found.append(shown(name, record["confidence"].get(name, 1.0), placed))
        elif name in record["boxes"]:
            found.append(unknown(name, *(np.array(corner) for corner in record["boxes"][name])))
    return found


def overlaid(image: Image, things: Sequence[Shown]) -> np.ndarray:
    """The picture (h, w, 3) with things drawn on it. Masks are drawn where the depth agrees: where it does not,
    something is in front, or the thing is no longer there."""
    import cv2

    placed = [t.placed for t in things if t.placed is not None]
    colours = {t.name: _colour(i) if t.placed is not None else UNKNOWN for i, t in enumerate(things)}
    tints = np.array([(0, 0, 0), *(colours[t.name] for t in things if t.placed is not None)], dtype=float)
    numbers = masks(placed, image)
    drawn = image.colour.astype(float)
    drawn = np.where((numbers > 0)[..., None], (1.0 - TINT) * drawn + TINT * tints[numbers], drawn)
    for number in range(1, len(placed) + 1):
        mask = numbers == number
        drawn[mask & ~binary_erosion(mask)] = tints[number]
    out = np.ascontiguousarray(np.rint(drawn), dtype=np.uint8)
    for t in things:
        _lines(cv2, out, image, _corners(t), EDGES, [colours[t.name]] * len(EDGES))
        if t.placed is not None:
            tips = np.vstack([np.zeros(3), AXIS * np.eye(3)])
            _lines(cv2, out, image, moved(tips, t.placed.T_world_object), ((0, 1), (0, 2), (0, 3)), AXES, 2)
    for text, (u, v), colour in _labels(image, things, colours):
        cv2.putText(out, text, (u, v), cv2.FONT_HERSHEY_SIMPLEX, 0.38, (0, 0, 0), 3, cv2.LINE_AA)
        cv2.putText(out, text, (u, v), cv2.FONT_HERSHEY_SIMPLEX, 0.38, colour, 1, cv2.LINE_AA)
    return out


def _colour(i: int) -> tuple[int, int, int]:
    r, g, b = colorsys.hsv_to_rgb((0.1 + i * 0.618) % 1.0, 0.75, 1.0)
    return int(255 * r), int(255 * g), int(255 * b)


def _corners(t: Shown) -> Array:
    corners = [[t.box[i >> 2 & 1, 0], t.box[i >> 1 & 1, 1], t.box[i & 1, 2]] for i in range(8)]
    return moved(np.array(corners), t.T_world_box)


def _lines(
    cv2: Any,
    out: np.ndarray,
    image: Image,
    p_world: Array,
    ends: Iterable[tuple[int, int]],
    colours: Any,
    width: int = 1,
) -> None:
    uv, z = image.project(p_world)
    for (a, b), colour in zip(ends, colours, strict=True):
        if min(z[a], z[b]) > NEAREST and np.abs(uv[[a, b]]).max() < 1e4:
            ends_ = [tuple(round(float(x)) for x in uv[i]) for i in (a, b)]
            cv2.line(out, *ends_, colour, width, cv2.LINE_AA)


def _labels(
    image: Image, things: Sequence[Shown], colours: Mapping[str, tuple[int, int, int]]
) -> list[tuple[str, tuple[int, int], tuple[int, int, int]]]:
    """Texts with their lower left corners in pixels, one below another where they would cover each other."""
    h, w = image.size
    found: list[tuple[str, tuple[int, int], tuple[int, int, int]]] = []
    for t in things:
        uv, z = image.project(_corners(t))
        seen = uv[z > NEAREST]
        if len(seen) < 8 or seen[:, 0].max() < 0 or seen[:, 1].max() < 0 or (seen.min(axis=0) > (w, h)).any():
            continue
        text = t.name if t.placed is None else f"{t.name} {t.confidence:.2f}"
        u, v = (float(np.clip(x, 0, m)) for x, m in zip(seen.min(axis=0), (w - 6 * len(text), h - 4), strict=True))
        v = max(12.0, v - 3.0)
        while any(abs(v - y) < 11 and abs(u - x) < 6 * max(len(text), len(other)) for other, (x, y), _ in found):
            v += 11.0
        found.append((text, (int(u), int(v)), colours[t.name]))
    return found


def cut_out(images: Sequence[Image], low: Array, high: Array) -> Array | None:
    """The part (h, w, 3) of the picture that shows most of the box between two corners (3,), (3,) in the world, metres;
    None where it is in none of them, or tiny."""
    parts = [part for image in images if (part := _part(image, low, high)) is not None]
    return max(parts, key=lambda part: part.shape[0] * part.shape[1], default=None)


def _part(image: Image, low: Array, high: Array) -> Array | None:
    corners = np.array(np.meshgrid(*zip(low, high, strict=True))).reshape(3, -1).T
    uv, z = image.project(corners)
    if z.min() <= 0.0:
        return None
    h, w = image.size
    room = AROUND * np.ptp(uv, axis=0)
    (u0, v0), (u1, v1) = np.rint(uv.min(axis=0) - room).astype(int), np.rint(uv.max(axis=0) + room).astype(int)
    part = image.colour[max(0, v0) : min(h, v1), max(0, u0) : min(w, u1)]
    middle = uv.mean(axis=0)
    inside = (middle >= 0).all() and (middle < (w, h)).all()
    return np.ascontiguousarray(part) if inside and min(part.shape[:2]) >= LEAST else None
