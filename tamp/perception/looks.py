"""Depth images as points: how far each pixel sees, and whether a thing is seen where it is expected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.ndimage import minimum_filter

from motion.poses import Array, Numbers, inverse, moved
from tamp.model.images import Image
from tamp.perception.kernels import splat
from tamp.perception.object_model import PlacedModel, Skin

BLUR = 3
"""Pixels, square, over which the nearest depth counts as what is seen: edges are not sharper than that."""
SAME = 0.6
"""Share of what should be seen of a thing that has to be seen for it to be there."""
VISIBLE = 12
"""Places of a thing's skin that must be in view for anything to be said about it."""
MATCHED = 0.006
"""Metres between a place of the skin and what is seen there up to which it is seen."""
COVERS = 0.8
"""Radius of the disc that a point of a skin is drawn as, in square roots of the area that it stands for: together they
leave no gaps."""
AGREES = 0.015
"""Metres by which the measured depth may differ from a drawn one: something else is in front, or it is not there."""
NEAREST = 0.02
"""Metres from the camera from which things are drawn."""


@dataclass(frozen=True, eq=False)
class Look:
    """One picture, taken apart: `points` (h, w, 3) in the world, nan where nothing was measured; `robot` (h, w) where
    the robot itself is seen; `nearest` (h, w) the depth up to which one sees for certain, metres, 0 where nothing was
    measured."""

    image: Image
    points: Numbers
    robot: Numbers
    nearest: Numbers
    T_camera_world: Numbers
    K: Numbers

    @staticmethod
    def of(image: Image, robot: Numbers) -> Look:
        """A picture, and where it shows the robot."""
        depth = np.where(image.depth > 0, image.depth, 0.0).astype(np.float32)
        nearest = minimum_filter(depth, BLUR)
        T = np.ascontiguousarray(inverse(image.T_world_camera), dtype=np.float32)
        return Look(image, image.points().astype(np.float32), robot, nearest, T, image.K.astype(np.float32))


@dataclass(frozen=True)
class Sighting:
    """How many places of a thing's skin are seen where they should be, and past how many one sees."""

    matched: int
    past: int

    @property
    def share(self) -> float:
        """Share of what is in view that is seen."""
        return self.matched / max(1, self.matched + self.past)

    @property
    def past_it(self) -> bool:
        """Whether enough is in view, and one sees past the place where it should be."""
        return self.matched + self.past >= VISIBLE and self.share < 1.0 - SAME


def sighting(placed: PlacedModel, looks: Sequence[Look]) -> Sighting:
    """What is seen of a thing where it is thought to be: what is hidden counts neither way."""
    return sighted(np.concatenate([moved(skin.sampled(), T) for skin, T in placed.skins()]), looks, MATCHED)


def gone(points: Array, looks: Sequence[Look]) -> bool:
    """Whether one sees past most of some points (n, 3) of something unknown: it has moved."""
    return sighted(points, looks, 2 * MATCHED).past_it


def sighted(world: Array, looks: Sequence[Look], matched: float) -> Sighting:
    """What is seen of points (n, 3) of a surface, to so many metres."""
    gaps = np.array([gaps_at(look, world) for look in looks])
    seen = (np.abs(gaps) <= matched).any(axis=0)
    past = (gaps > 2 * MATCHED).any(axis=0) & ~seen
    return Sighting(int(seen.sum()), int(past.sum()))


def gaps_at(look: Look, world: Array) -> Array:
    """How much further away (n,) than points (n, 3) what is seen there is, metres; far nearer out of the picture."""
    pixels, z, inside = look.image.pixels(world)
    there = look.nearest[pixels]
    return np.where(inside & (there > 0), there - z, -1.0)


def share_seen(placed: PlacedModel, looks: Sequence[Look]) -> float:
    """How much of what each picture has in view of a thing is seen in it, to `MATCHED`: stricter than `sighting`, for
    what is seen for the first time."""
    gaps = np.concatenate([gaps_at(look, moved(skin.sampled(), T)) for skin, T in placed.skins() for look in looks])
    matched, past = int((np.abs(gaps) <= MATCHED).sum()), int((gaps > MATCHED).sum())
    return matched / max(1, matched + past)


def drawn_skins(things: Sequence[Sequence[tuple[Skin, Array]]], image: Image) -> tuple[np.ndarray, Array]:
    """What a picture would show if only these things were there, given as skins with their poses (4, 4) in the world:
    the number (h, w) of each, from 1 on and 0 for none, and depths (h, w) in metres, infinite without one."""
    nearest, numbers = np.full(image.size, np.inf), np.zeros(image.size, dtype=np.uint8)
    T_camera_world = inverse(image.T_world_camera)
    for number, skins in enumerate(things, 1):
        for skin, T_world_part in skins:
            T = T_camera_world @ T_world_part
            p, n = skin.points @ T[:3, :3].T + T[:3, 3], skin.normals @ T[:3, :3].T
            seen = (np.einsum("ij,ij->i", n, p) < 0) & (p[:, 2] > NEAREST)
            splat(p[seen], n[seen], COVERS * np.sqrt(skin.area), image.K, number, nearest, numbers)
    return numbers, nearest


def masks(things: Sequence[PlacedModel], image: Image) -> np.ndarray:
    """Which thing (h, w) each pixel shows, from 1 on: the drawn one where what was measured agrees, 0 for none."""
    numbers, nearest = drawn_skins([placed.skins() for placed in things], image)
    with np.errstate(invalid="ignore"):
        agrees = (np.abs(image.depth - nearest) < AGREES) | (image.depth <= 0)
    return np.where(agrees, numbers, 0).astype(np.uint8)
