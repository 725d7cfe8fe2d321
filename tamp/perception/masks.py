"""Render the masks of placed models, and keep the pixels in which the measured depth agrees."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from motion.poses import Array, inverse
from tamp.model.images import Image
from tamp.perception.kernels import splat
from tamp.perception.object_model import Skin
from tamp.perception.placing import PlacedModel

COVERS = 0.8
"""Radius of the disc that a point of a skin is drawn as, in square roots of the area that it stands for: together they
leave no gaps."""
AGREES = 0.015
"""Metres by which the measured depth may differ from a drawn one: something else is in front, or it is not there."""
NEAREST = 0.02
"""Metres from the camera from which things are drawn."""


def drawn(things: Sequence[PlacedModel], image: Image) -> tuple[np.ndarray, Array]:
    """What a picture would show if only these things were there: the number (h, w) of each, from 1 on and 0 for none,
    and depths (h, w) in metres, infinite without one."""
    return drawn_skins([placed.skins() for placed in things], image)


def drawn_skins(things: Sequence[Sequence[tuple[Skin, Array]]], image: Image) -> tuple[np.ndarray, Array]:
    """The same of things that are given as skins with their poses (4, 4) in the world."""
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
    numbers, nearest = drawn(things, image)
    with np.errstate(invalid="ignore"):
        agrees = (np.abs(image.depth - nearest) < AGREES) | (image.depth <= 0)
    return np.where(agrees, numbers, 0).astype(np.uint8)
