"""Where one camera is by what another one sees: surfaces of both are the same.

The camera in the hand sees too little of the robot to be registered by it. An error of its place in the hand moves
what it sees against what the fixed camera sees, and is the same wherever the hand is. Point-to-plane ICP, in which the
ground and all that is not level count the same: the ground alone tells three of six directions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from motion.poses import Array, Numbers, inverse, moved
from tamp.perception.looks import Look
from tamp.perception.onto_planes import onto_planes, spread
from tamp.perception.skinning import normals_of

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
UNTOLD = (10.0, 100.0)
"""Metres, or radians, by which a camera may be elsewhere for each metre by which surfaces do not fit, in the direction
of which they tell least."""
LEVEL_OFF, OFF = 0.0008, 1.6
"""How much better it has to fit to be believed: metres of what is level, and by what factor of the rest."""
LEVEL_WORSE = 0.00003
"""Metres by which what is level may fit worse: where only the rest fits better it was made to, by something that the
two cameras see differently."""


@dataclass(frozen=True, eq=False)
class Surface:
    """Points (n, 3) with normals (n, 3) that other points may lie on."""

    p: Numbers
    normals: Numbers
    tree: cKDTree

    @staticmethod
    def of(looks: Sequence[Look]) -> Surface:
        """What looks show, without the robot."""
        seen = [_with_normals(look, OTHERS) for look in looks]
        p, normals = (np.concatenate(a) for a in zip(*seen, strict=True))
        return Surface(p, normals, cKDTree(p))

    def near(self, p: Numbers, reach: float) -> tuple[Numbers, Numbers, Numbers]:
        """Which points (n, 3) are near it: their places (k,), how far in front of it they are (k,), the normals there
        (k, 3)."""
        distance, nearest = (np.asarray(a) for a in self.tree.query(p, distance_upper_bound=reach))
        here = np.flatnonzero(np.isfinite(distance))
        n = self.normals[nearest[here]]
        return here, np.einsum("ij,ij->i", p[here] - self.p[nearest[here]], n), n


@dataclass(frozen=True, eq=False)
class View:
    """Points (n, 3) with normals (n, 3), in its own frame, that a camera sees from where it is said to be (4, 4), and
    the surface on which others see them."""

    T_world_camera: Array
    p: Numbers
    normals: Numbers
    surface: Surface

    @staticmethod
    def of(look: Look, surface: Surface) -> View:
        """What a picture shows, without the robot, against a surface."""
        T = look.image.T_world_camera
        p, normals = _with_normals(look, EVERY)
        return View(T, moved(p, inverse(T)), normals @ T[:3, :3], surface)

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
    view = View.of(look, Surface.of(others))
    off = jointly_aligned([view])
    if off is None:
        return np.eye(4)
    before, after = (_misfit(view.surface, moved(view.p, view.T_world_camera @ T)) for T in (np.eye(4), off))
    better = before[0] - after[0] > LEVEL_OFF or before[1] > OFF * after[1]
    if not better or after[0] > before[0] + LEVEL_WORSE:
        return np.eye(4)
    return off


def jointly_aligned(views: Sequence[View], start: Array | None = None) -> Array | None:
    """The pose (4, 4) of a camera in the frame of where it is said to be, from views in all of which it is the same;
    None where they tell too little."""
    off = np.eye(4) if start is None else start
    for reach in REACHES:
        p, gaps, n, level = (np.concatenate(a) for a in zip(*(v.near(off, reach) for v in views), strict=True))
        if (~level).sum() < FEWEST:
            return None
        off = onto_planes(p, gaps, n, _shares(level), HELD) @ off
    return off


def untold(views: Sequence[View], off: Array) -> Numbers | None:
    """The direction (3,) of the camera's frame along or about which it may be anywhere, by what is near the surface
    from where it is (4, 4); None where all are told."""
    p, _, n, level = (np.concatenate(a) for a in zip(*(v.near(off, REACHES[-1]) for v in views), strict=True))
    turn, shift = spread(p, n, _shares(level))
    for covariance, most in ((shift, UNTOLD[0]), (turn, UNTOLD[1])):
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
