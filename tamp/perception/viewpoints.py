"""From where a camera in the hand would see something: poses around it, and how much of it each would show.

Geometry alone: whether the arm gets there is for others to find out, and what is in front of what is told by whoever
knows the scene.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from motion.poses import Array, Numbers, error, inverse, pose, rotation_about
from tamp.model.scene import SceneObject

DISTANCES = (0.2, 0.3, 0.4)
"""Metres from the camera to the middle of what it is to see."""
ELEVATIONS = tuple(np.radians([85.0, 65.0, 45.0, 25.0]))
"""Radians above the horizontal from which it looks."""
AZIMUTHS = 12
"""Directions around it."""
ROLLS = tuple(np.radians(range(0, 360, 30)))
"""Turns about the line of sight, which change what the arm has to do and hardly what is seen."""
TRIED_ROLLS = 2
"""Of these, how many are kept: those in which the hand is turned least."""
INSIDE_PICTURE = 0.9
"""Share of the half picture within which something counts as in it."""
NEAREST = 0.08
"""Metres from the camera nearer than which nothing is in focus."""
DETOUR = 0.15
"""Share of what is to be seen that a metre of way is worth."""
TURNED = 0.04
"""The same for a radian that the hand is turned."""
MOST_POINTS = 100
"""Points of what is to be seen that are looked at."""
FACE = (-0.8, 0.0, 0.8)
"""Where on a face of the box around a thing it is looked at, as a share of the way from its middle to its edge."""

Sees = Callable[[Array, Array], Numbers]
"""Which of some points (n, 3) nothing is in front of, seen from a point (3,)."""


@dataclass(frozen=True, eq=False)
class HandEye:
    """A camera in the hand: its pose (4, 4) in the tool's frame, z into the picture; the tangents (2,) of half its
    angles of view, across and down."""

    T_tool_camera: Array
    tangents: Array

    def pictured(self, T_world_camera: Array, points: Array) -> Numbers:
        """Which of some points (n, 3) are in the picture, whatever is in front of them."""
        p = (points - T_world_camera[:3, 3]) @ T_world_camera[:3, :3]
        inside = np.abs(p[:, :2]) < INSIDE_PICTURE * self.tangents * np.maximum(p[:, 2:], 1e-9)
        return np.asarray((p[:, 2] > NEAREST) & inside.all(axis=1))


@dataclass(frozen=True, eq=False)
class View:
    """A tool pose (4, 4) in the world, which of the points its camera shows (n,), and what it is worth."""

    T_world_tool: Array
    shown: Numbers
    share: float
    worth: float


def views(points: Array, weights: Array, eye: HandEye, T_world_tool: Array, sees: Sees) -> Iterator[View]:
    """Views of points (n, 3), the best first: it shows much of their `weights` (n,) and is near to where the tool
    (4, 4) is now. None that shows nothing."""
    some = np.linspace(0, len(points) - 1, min(len(points), MOST_POINTS)).astype(int)
    p, w = points[some], weights[some] / weights[some].sum()
    found = []
    for T_world_camera in cameras_around(np.average(p, axis=0, weights=w)):
        pictured = eye.pictured(T_world_camera, p)
        if pictured.any():
            pictured[pictured] = sees(T_world_camera[:3, 3], p[pictured])
        if share := float(w[pictured].sum()):
            found += [_view(T, pictured, share, T_world_tool) for T in _tools(T_world_camera, eye, T_world_tool)]
    yield from sorted(found, key=lambda v: -v.worth)


def cameras_around(p_world: Array) -> Iterator[Array]:
    """Camera poses (4, 4) that look at a point (3,) from all sides above it."""
    azimuths = np.arange(AZIMUTHS) * 2 * np.pi / AZIMUTHS
    for distance, elevation, azimuth in itertools.product(DISTANCES, ELEVATIONS, azimuths):
        level = np.array([np.cos(azimuth), np.sin(azimuth), 0.0])
        away = np.cos(elevation) * level + np.array([0.0, 0.0, np.sin(elevation)])
        across = np.cross(level, [0.0, 0.0, 1.0])
        yield pose(p_world + distance * away, np.column_stack([across, np.cross(-away, across), -away]))


def _tools(T_world_camera: Array, eye: HandEye, T_world_tool: Array) -> list[Array]:
    """Tool poses (4, 4) with the camera there, those first in which the hand is turned least."""
    axis = T_world_camera[:3, 2]
    turned = [pose(T_world_camera[:3, 3], rotation_about(axis, a) @ T_world_camera[:3, :3]) for a in ROLLS]
    tools = [T @ inverse(eye.T_tool_camera) for T in turned]
    return sorted(tools, key=lambda T: float(np.linalg.norm(error(T_world_tool, T)[3:])))[:TRIED_ROLLS]


def _view(T: Array, shown: Numbers, share: float, T_world_tool: Array) -> View:
    e = error(T_world_tool, T)
    cost = DETOUR * float(np.linalg.norm(e[:3])) + TURNED * float(np.linalg.norm(e[3:]))
    return View(T, shown, share, share - cost)


def faces(o: SceneObject) -> Array:
    """Points (n, 3) on the faces of the box around a thing, but for the lower one."""
    low, high = o.bounds()
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    signs = []
    for axis, sign in ((2, 1.0), (0, 1.0), (0, -1.0), (1, 1.0), (1, -1.0)):
        for a, b in itertools.product(FACE, FACE):
            signs.append(np.insert([a, b], axis, sign))
    return np.asarray(middle + half * np.array(signs))
