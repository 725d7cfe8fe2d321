"""Find where a camera really is: by the robot that it sees, and by surfaces that other cameras see too.

An error of half a degree moves things a metre away by a centimetre. Point-to-plane ICP of the pixels near the robot's
skin, by small steps in all six directions, corrects a degree; started from the best of many orientations it corrects a
camera that was pushed.

The camera on the hand sees too little of the robot for that. An error of its pose in the hand moves what it sees
against what the fixed camera sees, wherever the hand is: ICP against the surfaces of the others, in which level and
other surfaces weigh the same, since the ground alone determines three of six directions.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.spatial import cKDTree

from motion.poses import Array, Numbers, inverse, moved, pose, rotation_vector, rotation_vector_to_matrix
from tamp.model.images import Image
from tamp.perception.looks import Look, drawn_skins
from tamp.perception.modelling import normals_of
from tamp.perception.object_model import Skin

SOFT = 0.004
"""Metres off a plane from which on a point counts less."""
LEAST = 1e-8
"""What is known of any direction before."""
SKIN_REACHES = (0.05, 0.03, 0.02, 0.012, 0.012, 0.008, 0.008, 0.008)
"""Metres from the robot's skin up to which a point is taken for one of it, step after step."""
POINTS, FEWEST_ON_ROBOT = 4000, 600
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
REACHES = (0.03, 0.02, 0.015, 0.01, 0.006, 0.006, 0.006, 0.006, 0.006, 0.006)
"""Metres between points of both up to which they are taken for the same, step after step."""
JUDGED = 0.012
"""The same where it is judged how well they fit."""
LEVEL = 0.9
"""How upright the normal of what is level is at least."""
ALIKE = 0.8
"""Cosine between normals of one place as two cameras have them, at least: they see different sides of things."""
FEWEST = 200
"""Points that are not level of which there are at least: the ground alone does not tell."""
EVERY, OTHERS = 4, 2
"""Of how many pixels, each way, one is taken: of the picture, and of those that it is held against."""
HELD = (1e-4, 1e-3)
"""How much a radian, and a metre, in a direction that nothing tells is resisted."""
UNDETERMINED = (10.0, 100.0)
"""Metres, or radians, by which a camera may be elsewhere for each metre by which surfaces do not fit, in the direction
of which they tell least."""
LEVEL_OFF, OFF = 0.0008, 1.6
"""How much better it has to fit to be believed: metres of what is level, and by what factor of the rest."""
LEVEL_WORSE = 0.00003
"""Metres by which what is level may fit worse: where only the rest fits better it was made to, by something that the
two cameras see differently."""


def onto_planes(
    p: Numbers, off: Numbers, n: Numbers, share: Numbers | float = 1.0, held: tuple[float, float] = (0.0, 0.0)
) -> Array:
    """The small motion (4, 4) that brings points (k, 3) onto the planes with normals (k, 3) in front of which they are
    `off` (k,) metres. `share` is what each counts; `held` is how much a radian, and a metre, is resisted: what nothing
    tells then stays."""
    middle = p.mean(axis=0)
    weights = share / (1.0 + (off / SOFT) ** 2)
    A = np.column_stack([np.cross(p - middle, n), n]) * weights[:, None]
    resisted = np.diag([held[0]] * 3 + [held[1]] * 3)
    x = np.linalg.lstsq(np.vstack([A, resisted]), np.concatenate([-off * weights, np.zeros(6)]), rcond=None)[0]
    R = rotation_vector_to_matrix(x[:3])
    return pose(middle + x[3:] - R @ middle, R)


def size(T: Array) -> tuple[float, float]:
    """Metres and radians by which a pose (4, 4) is off."""
    return float(np.linalg.norm(T[:3, 3])), float(np.linalg.norm(rotation_vector(T[:3, :3])))


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
    tree, p = cKDTree(skin), image.points().reshape(-1, 3)
    low, high = skin.min(axis=0) - SKIN_REACHES[0], skin.max(axis=0) + SKIN_REACHES[0]
    with np.errstate(invalid="ignore"):
        p = p[np.all((p > low) & (p < high), axis=1)]
    p = p[:: max(1, len(p) // POINTS)]
    D = np.eye(4)  # in the world
    for reach in SKIN_REACHES:
        moved = p @ D[:3, :3].T + D[:3, 3]
        found: Any = tree.query(moved, distance_upper_bound=reach)
        near, nearest = np.isfinite(found[0]), found[1]
        if near.sum() < FEWEST_ON_ROBOT or np.linalg.eigvalsh(np.cov(moved[near].T))[-1] < SPREAD**2:
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
    half, K = COARSELY // 2, image.K.copy()
    K[:2, 2] -= half
    K[:2] /= COARSELY
    colour, depth = (a[half::COARSELY, half::COARSELY] for a in (image.colour, image.depth))
    small, thin = replace(image, colour=colour, depth=depth, K=K), list[tuple[Skin, Array]]()
    for name, T in bodies.items():
        skin = skins[name]
        points, normals, colours = (a[::THINLY] for a in (skin.points, skin.normals, skin.colours))
        few = replace(skin, points=points, normals=normals, colours=colours, area=skin.area * THINLY)
        thin.append((few, T))

    def share(off: Array) -> float:
        """Share of the robot's pixels where it is seen, less that where one sees past it."""
        seen = corrected(small, off)
        _, nearest = drawn_skins([thin], seen)
        drawn = np.isfinite(nearest) & (seen.depth > 0)
        gap = seen.depth[drawn] - nearest[drawn]
        return float((np.abs(gap) < BEHIND).sum() - (gap > BEHIND).sum()) / max(1, len(gap))

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


class Surface:
    """What looks show, without the robot: points `p` (n, 3) with `normals` (n, 3) that other points may lie on."""

    def __init__(self, looks: Sequence[Look]) -> None:
        seen = [_with_normals(look, OTHERS) for look in looks]
        self.p, self.normals = (np.concatenate(a) for a in zip(*seen, strict=True))
        self.tree = cKDTree(self.p)

    def near(self, p: Numbers, reach: float) -> tuple[Numbers, Numbers, Numbers]:
        """Which points (n, 3) are near it: their places (k,), how far in front of it they are (k,), the normals there
        (k, 3)."""
        distance, nearest = (np.asarray(a) for a in self.tree.query(p, distance_upper_bound=reach))
        here = np.flatnonzero(np.isfinite(distance))
        n = self.normals[nearest[here]]
        return here, np.einsum("ij,ij->i", p[here] - self.p[nearest[here]], n), n


class SurfaceView:
    """What a picture shows, without the robot, against a surface on which others see it: points `p` (n, 3) with
    `normals` (n, 3) in the frame of the camera, which is said to be at `T_world_camera` (4, 4)."""

    def __init__(self, look: Look, surface: Surface) -> None:
        self.T_world_camera, self.surface = look.image.T_world_camera, surface
        p, normals = _with_normals(look, EVERY)
        self.p, self.normals = moved(p, inverse(self.T_world_camera)), normals @ self.T_world_camera[:3, :3]

    def near(self, off: Array, reach: float) -> tuple[Numbers, Numbers, Numbers, Numbers]:
        """Of a camera that is `off` (4, 4): the points (k, 3) that are near the surface, how far in front of it they
        are (k,), the normals there (k, 3), all in the frame of where it is said to be, and which are level (k,)."""
        now = moved(self.p, off)
        here, gaps, n = self.surface.near(moved(now, self.T_world_camera), reach)
        mine = n @ self.T_world_camera[:3, :3]
        alike = np.einsum("ij,ij->i", mine, self.normals[here] @ off[:3, :3].T) > ALIKE
        return now[here[alike]], gaps[alike], mine[alike], np.abs(n[alike, 2]) > LEVEL


def aligned(look: Look, others: Sequence[Look]) -> Array:
    """The pose (4, 4) of a picture's camera in the frame of where it is said to be, so that it shows the same surfaces
    as others do; the identity where they have too little in common, or fit already."""
    view = SurfaceView(look, Surface(others))
    off = jointly_aligned([view])
    if off is None:
        return np.eye(4)
    before, after = (_misfit(view.surface, moved(view.p, view.T_world_camera @ T)) for T in (np.eye(4), off))
    better = before[0] - after[0] > LEVEL_OFF or before[1] > OFF * after[1]
    if not better or after[0] > before[0] + LEVEL_WORSE:
        return np.eye(4)
    return off


def jointly_aligned(views: Sequence[SurfaceView], start: Array | None = None) -> Array | None:
    """The pose (4, 4) of a camera in the frame of where it is said to be, from views in all of which it is the same;
    None where they tell too little."""
    off = np.eye(4) if start is None else start
    for reach in REACHES:
        p, gaps, n, level = (np.concatenate(a) for a in zip(*(v.near(off, reach) for v in views), strict=True))
        if (~level).sum() < FEWEST:
            return None
        off = onto_planes(p, gaps, n, _shares(level), HELD) @ off
    return off


def undetermined_direction(views: Sequence[SurfaceView], off: Array) -> Numbers | None:
    """The direction (3,) of the camera's frame along or about which it may be anywhere, by what is near the surface
    from where it is (4, 4); None where all are determined."""
    p, _, n, level = (np.concatenate(a) for a in zip(*(v.near(off, REACHES[-1]) for v in views), strict=True))
    A = np.column_stack([np.cross(p - p.mean(axis=0), n), n]) * _shares(level)[:, None]
    uncertain = np.linalg.inv(A.T @ A + LEAST * np.eye(6))  # for errors of one metre off the planes: turn, then shift
    for covariance, most in ((uncertain[3:, 3:], UNDETERMINED[0]), (uncertain[:3, :3], UNDETERMINED[1])):
        variances, directions = np.linalg.eigh(covariance)
        if variances[-1] > most**2:
            return np.asarray(directions[:, -1])
    return None


def _shares(level: Numbers) -> Numbers:
    """What points count, of which some are level (n,): those as much as the others, all together."""
    return np.asarray(np.sqrt(np.where(level, 1.0 / max(1, level.sum()), 1.0 / max(1, (~level).sum()))))


def _with_normals(look: Look, every: int) -> tuple[Numbers, Numbers]:
    """Some points (n, 3) of a picture that are not the robot's, with normals (n, 3), in the world."""
    normals, trusted = normals_of(look.points.astype(float), look.image.T_world_camera[:3, 3])
    ok = (trusted & ~look.robot)[::every, ::every]
    return look.points[::every, ::every][ok].astype(float), normals[::every, ::every][ok]


def _misfit(surface: Surface, p: Numbers) -> tuple[float, float]:
    """Mean distances (m) of points (n, 3) from a surface: of where it is level, and of the rest."""
    _, off, n = surface.near(p, JUDGED)
    level = np.abs(n[:, 2]) > LEVEL
    return float(np.abs(off[level]).mean()), float(np.abs(off[~level]).mean())
