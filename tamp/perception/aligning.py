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
from tamp.perception.onto_planes import onto_planes
from tamp.perception.skinning import normals_of

REACHES = (0.03, 0.02, 0.015, 0.01, 0.006, 0.006, 0.006, 0.006, 0.006, 0.006)
"""Metres between points of both up to which they are taken for the same, step after step."""
JUDGED = 0.012
"""The same where it is judged how well they fit."""
LEVEL = 0.9
"""How upright the normal of what is level is at least."""
FEWEST = 200
"""Points that are not level of which there are at least: the ground alone does not tell."""
EVERY, OTHERS = 4, 2
"""Of how many pixels, each way, one is taken: of the picture, and of those that it is held against."""
HELD = (1e-4, 1e-3)
"""How much a radian, and a metre, in a direction that nothing tells is resisted."""
LEVEL_OFF, OFF = 0.0008, 1.6
"""How much better it has to fit to be believed: metres of what is level, and by what factor of the rest."""
LEVEL_WORSE = 0.00003
"""Metres by which what is level may fit worse: where only the rest fits better it was made to, by something that the
two cameras see differently."""


@dataclass(frozen=True, eq=False)
class _Surface:
    """Points (n, 3) with normals (n, 3) that other points may lie on."""

    p: Numbers
    normals: Numbers
    tree: cKDTree

    @staticmethod
    def of(looks: Sequence[Look]) -> _Surface:
        seen = [_sampled(look, OTHERS) for look in looks]
        p, normals = (np.concatenate(a) for a in zip(*seen, strict=True))
        return _Surface(p, normals, cKDTree(p))

    def near(self, p: Numbers, reach: float) -> tuple[Numbers, Numbers, Numbers]:
        """Which points (n, 3) are near it: their places (k,), how far in front of it they are (k,), the normals there
        (k, 3)."""
        distance, nearest = (np.asarray(a) for a in self.tree.query(p, distance_upper_bound=reach))
        here = np.flatnonzero(np.isfinite(distance))
        n = self.normals[nearest[here]]
        return here, np.einsum("ij,ij->i", p[here] - self.p[nearest[here]], n), n


def aligned(look: Look, others: Sequence[Look]) -> Array:
    """The pose (4, 4) of a picture's camera in the frame of where it is said to be, so that it shows the same surfaces
    as others do; the identity where they have too little in common, or fit already."""
    surface, p = _Surface.of(others), _sampled(look, EVERY)[0]
    D = np.eye(4)
    for reach in REACHES:
        now = moved(p, D)
        here, off, n = surface.near(now, reach)
        level = np.abs(n[:, 2]) > LEVEL
        if (~level).sum() < FEWEST:
            return np.eye(4)
        share = np.sqrt(np.where(level, 1.0 / max(1, level.sum()), 1.0 / (~level).sum()))
        D = onto_planes(now[here], off, n, share, HELD) @ D
    before, after = (_misfit(surface, moved(p, T)) for T in (np.eye(4), D))
    better = before[0] - after[0] > LEVEL_OFF or before[1] > OFF * after[1]
    if not better or after[0] > before[0] + LEVEL_WORSE:
        return np.eye(4)
    T = look.image.T_world_camera
    return inverse(T) @ D @ T


def _sampled(look: Look, every: int) -> tuple[Numbers, Numbers]:
    """Some points (n, 3) of a picture that are not the robot's, with normals (n, 3)."""
    normals, trusted = normals_of(look.points.astype(float), look.image.T_world_camera[:3, 3])
    ok = (trusted & ~look.robot)[::every, ::every]
    return look.points[::every, ::every][ok].astype(float), normals[::every, ::every][ok]


def _misfit(surface: _Surface, p: Numbers) -> tuple[float, float]:
    """Mean distances (m) of points (n, 3) from a surface: of where it is level, and of the rest."""
    _, off, n = surface.near(p, JUDGED)
    level = np.abs(n[:, 2]) > LEVEL
    return float(np.abs(off[level]).mean()), float(np.abs(off[~level]).mean())
