"""Where a camera really is: where the robot that it sees is where the encoders have it.

A calibration that is off by half a degree moves things a metre away by a centimetre. Point-to-plane ICP of the pixels
near the robot's skin, by small steps in all six directions, takes out errors of a degree; from the best of many turns
of the camera, those of somebody who ran into it.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.spatial import cKDTree

from motion.poses import Array, inverse, pose, rotation_vector_to_matrix
from tamp.model.images import Image
from tamp.perception.masks import drawn_skins
from tamp.perception.object_model import Skin
from tamp.perception.onto_planes import onto_planes, size

REACHES = (0.05, 0.03, 0.02, 0.012, 0.012, 0.008, 0.008, 0.008)
"""Metres from the robot's skin up to which a point is taken for one of it, step after step."""
POINTS, FEWEST = 4000, 600
"""Points of a picture that are looked at, and how many of them have to be near the robot at least."""
SPREAD = 0.12
"""Standard deviation (m) of the robot's points along their longest axis: of less of a robot nothing follows."""
NOTICED = (0.0015, 0.0015)
"""Metres and radians from which on a camera is not where it is said to be."""
FARTHEST = (0.04, 0.04)
"""Metres and radians up to which a camera is moved: further away, it is not a matter of calibration."""
TURNED, TURN = np.radians(7.5), np.radians(1.5)
"""How far a camera that was moved may be turned up, down and aside, and the steps in which that is tried."""
ROLLED = np.radians(4.0)
"""How far it is rolled for that, too."""
MOVED = (0.06, 0.15)
"""Metres and radians that a camera which was moved may be off."""
STARTS = 8
"""The best turns, from which its pose is sought."""
COARSELY, THINLY = 4, 6
"""Of how many pixels, each way, one is looked at for that, and of how many points of the robot's skin."""
BEHIND = 0.03
"""Metres between the robot's skin and what is seen there up to which it is the robot that is seen."""


def correction(
    image: Image,
    bodies: Mapping[str, Array],
    skins: Mapping[str, Skin],
    farthest: tuple[float, float] = FARTHEST,
    noticed: tuple[float, float] = NOTICED,
) -> Array | None:
    """The pose (4, 4) of a camera in the frame of where it is said to be; the identity where nothing is `noticed`,
    or it would be farther (m, rad) away than that; None where the picture shows too little of the robot to tell.
    `bodies` has the poses (4, 4) of the robot's bodies in the world, `skins` their skins."""
    skin = np.concatenate([skins[name].points @ T[:3, :3].T + T[:3, 3] for name, T in bodies.items()])
    normals = np.concatenate([skins[name].normals @ T[:3, :3].T for name, T in bodies.items()])
    tree, p = cKDTree(skin), _some(image, skin)
    D = np.eye(4)  # in the world
    for reach in REACHES:
        moved = p @ D[:3, :3].T + D[:3, 3]
        found: Any = tree.query(moved, distance_upper_bound=reach)
        near, nearest = np.isfinite(found[0]), found[1]
        if near.sum() < FEWEST or _longest(moved[near]) < SPREAD:
            return None
        n = normals[nearest[near]]
        D = onto_planes(moved[near], np.einsum("ij,ij->i", moved[near] - skin[nearest[near]], n), n) @ D
    T = image.T_world_camera
    off = inverse(T) @ D @ T
    metres, radians = size(off)
    elsewhere = metres > noticed[0] or radians > noticed[1]
    return off if elsewhere and metres < farthest[0] and radians < farthest[1] else np.eye(4)


def sought(image: Image, bodies: Mapping[str, Array], skins: Mapping[str, Skin]) -> Array | None:
    """The same for a camera that was moved: of all poses up to `MOVED` the one from which the robot would be seen best
    where the picture has it."""
    small, thin = _small(image), {name: _thin(skin) for name, skin in skins.items()}

    def share(off: Array) -> float:
        return _share(corrected(small, off), bodies, thin)

    angles = np.arange(-TURNED, TURNED + 1e-9, TURN)
    about = itertools.product(angles, angles, (-ROLLED, 0.0, ROLLED))
    turns = [pose(np.zeros(3), rotation_vector_to_matrix(np.array(v))) for v in about]
    starts = sorted(turns, key=share, reverse=True)[:STARTS]
    ends = [T @ C for T in starts if (C := correction(corrected(image, T), bodies, skins, MOVED)) is not None]
    if not ends:
        return None
    best = max(ends, key=share)
    last = correction(corrected(image, best), bodies, skins)
    best = best if last is None else best @ last
    metres, radians = size(best)
    return best if metres < MOVED[0] and radians < MOVED[1] else np.eye(4)


def corrected(image: Image, off: Array) -> Image:
    """A picture of a camera that is at `off` (4, 4) from where it is said to be."""
    return replace(image, T_world_camera=image.T_world_camera @ off)


def _longest(p: Array) -> float:
    """The standard deviation of points (n, 3) along their longest axis."""
    return float(np.sqrt(np.linalg.eigvalsh(np.cov(p.T))[-1]))


def _some(image: Image, skin: Array) -> Array:
    """Points (n, 3) of a picture in the box around the robot."""
    p = image.points().reshape(-1, 3)
    low, high = skin.min(axis=0) - REACHES[0], skin.max(axis=0) + REACHES[0]
    with np.errstate(invalid="ignore"):
        p = p[np.all((p > low) & (p < high), axis=1)]
    return np.asarray(p[:: max(1, len(p) // POINTS)])


def _small(image: Image) -> Image:
    """Some of a picture's pixels."""
    half = COARSELY // 2
    K = image.K.copy()
    K[:2, 2] -= half
    K[:2] /= COARSELY
    colour, depth = (a[half::COARSELY, half::COARSELY] for a in (image.colour, image.depth))
    return replace(image, colour=colour, depth=depth, K=K)


def _thin(skin: Skin) -> Skin:
    """Some of a skin's points."""
    points, normals, colours = (a[::THINLY] for a in (skin.points, skin.normals, skin.colours))
    return replace(skin, points=points, normals=normals, colours=colours, area=skin.area * THINLY)


def _share(image: Image, bodies: Mapping[str, Array], skins: Mapping[str, Skin]) -> float:
    """Share of the robot's pixels where it is seen, less that where one sees past it."""
    _, nearest = drawn_skins([[(skins[name], T) for name, T in bodies.items()]], image)
    drawn = np.isfinite(nearest) & (image.depth > 0)
    gap = image.depth[drawn] - nearest[drawn]
    return float((np.abs(gap) < BEHIND).sum() - (gap > BEHIND).sum()) / max(1, len(gap))
