"""Draw what was perceived on images: masks, boxes, axes, names."""

from __future__ import annotations

import colorsys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.ndimage import binary_erosion

from motion.poses import Array, from_quat, inverse, moved
from tamp.model.images import Image
from tamp.perception.looks import masks
from tamp.perception.object_model import ObjectModel, PlacedModel

TINT = 0.4
"""How much of a mask's colour there is in its pixels."""
AXIS_METRES = 0.05
EDGES = ((0, 1), (0, 2), (0, 4), (1, 3), (1, 5), (2, 3), (2, 6), (3, 7), (4, 5), (4, 6), (5, 7), (6, 7))
"""Corners of a box that an edge joins; corner i has the upper side along x, y, z where bit 2, 1, 0 of i is set."""
AXES = ((255, 60, 60), (60, 220, 60), (80, 120, 255))
UNKNOWN = (235, 235, 235)
NEAREST = 0.05
"""Metres in front of the camera from which lines are drawn."""


@dataclass(frozen=True, eq=False)
class _Thing:
    """What is drawn of a thing: its label, the corners (8, 3) of the box around it in the world, and what it is placed
    as, None for what no model explains."""

    label: str
    corners: Array
    placed: PlacedModel | None = None


def _things(record: Mapping[str, Any], known: Mapping[str, ObjectModel]) -> list[_Thing]:
    found = []
    for name, category in record["objects"].items():
        model = known.get(category)
        if model is not None:
            own = {p.name.removeprefix(model.thing.name): p.name for p in model.jointed}
            joints = {own[end]: v for end, v in record["joints"].get(name, {}).items() if end in own}
            where = np.array(record["poses"][name])
            placed = PlacedModel(model, from_quat(where[:3], where[3:]), joints)
            T_world_upright = placed.T_world_object @ inverse(model.thing.T_world_object)
            p = moved(placed.points(), inverse(T_world_upright))
            corners = moved(_corners(p.min(axis=0), p.max(axis=0)), T_world_upright)
            found.append(_Thing(f"{name} {record['confidence'].get(name, 1.0):.2f}", corners, placed))
        elif name in record["boxes"]:
            found.append(_Thing(name, _corners(*record["boxes"][name])))
    return found


def _corners(low: Any, high: Any) -> Array:
    """The corners (8, 3) of a box between two of them (3,), (3,)."""
    return np.array([[(low, high)[i >> 2 - k & 1][k] for k in range(3)] for i in range(8)])


def overlaid(image: Image, record: Mapping[str, Any], known: Mapping[str, ObjectModel]) -> np.ndarray:
    """The picture (h, w, 3) with what was seen drawn on it: `record` is a scene as plain data
    (`tamp.model.scene.record_of`), `known` has models by category; what everything stands on is left out. Masks
    are drawn where the depth agrees: where it does not, something is in front, or the thing is no longer there."""
    import cv2

    things = _things(record, known)
    placed = [t.placed for t in things if t.placed is not None]
    colours = []
    for i, t in enumerate(things):
        r, g, b = colorsys.hsv_to_rgb((0.1 + i * 0.618) % 1.0, 0.75, 1.0)
        colours.append((int(255 * r), int(255 * g), int(255 * b)) if t.placed is not None else UNKNOWN)
    tints = np.array([(0, 0, 0), *(c for c, t in zip(colours, things, strict=True) if t.placed is not None)], float)
    numbers = masks(placed, image)
    drawn = image.colour.astype(float)
    drawn = np.where((numbers > 0)[..., None], (1.0 - TINT) * drawn + TINT * tints[numbers], drawn)
    for number in range(1, len(placed) + 1):
        mask = numbers == number
        drawn[mask & ~binary_erosion(mask)] = tints[number]
    out = np.ascontiguousarray(np.rint(drawn), dtype=np.uint8)
    for t, colour in zip(things, colours, strict=True):
        _lines(cv2, out, image, t.corners, EDGES, [colour] * len(EDGES))
        if t.placed is not None:
            tips = np.vstack([np.zeros(3), AXIS_METRES * np.eye(3)])
            _lines(cv2, out, image, moved(tips, t.placed.T_world_object), ((0, 1), (0, 2), (0, 3)), AXES, 2)
    for text, (u, v), colour in _labels(image, things, colours):
        cv2.putText(out, text, (u, v), cv2.FONT_HERSHEY_SIMPLEX, 0.38, (0, 0, 0), 3, cv2.LINE_AA)
        cv2.putText(out, text, (u, v), cv2.FONT_HERSHEY_SIMPLEX, 0.38, colour, 1, cv2.LINE_AA)
    return out


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
    image: Image, things: Sequence[_Thing], colours: Sequence[tuple[int, int, int]]
) -> list[tuple[str, tuple[int, int], tuple[int, int, int]]]:
    """Texts with their lower left corners in pixels, one below another where they would cover each other."""
    h, w = image.size
    found: list[tuple[str, tuple[int, int], tuple[int, int, int]]] = []
    for t, colour in zip(things, colours, strict=True):
        uv, z = image.project(t.corners)
        low, high = uv.min(axis=0), uv.max(axis=0)
        if z.min() <= NEAREST or high.min() < 0 or (low > (w, h)).any():
            continue
        width = 6 * len(t.label)
        u, v = float(np.clip(low[0], 0, w - width)), max(12.0, float(np.clip(low[1], 0, h - 4)) - 3.0)
        while any(abs(v - y) < 11 and abs(u - x) < max(width, 6 * len(other)) for other, (x, y), _ in found):
            v += 11.0
        found.append((t.label, (int(u), int(v)), colour))
    return found
