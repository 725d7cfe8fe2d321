"""What no picture has shown yet, and from where a camera in the hand would show it.

Views are geometry alone: whether the arm reaches one, and what is in front of what, the caller decides.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.ndimage import label

from motion.poses import Array, Numbers, error, inverse, pose, rotation_about
from tamp.model.scene import Region, Scene, SceneObject
from tamp.perception.camera_calibration import HandEye
from tamp.perception.looks import Look, gaps_at
from tamp.perception.segmentation import FRONT, Ground

CELL = 0.02
"""Metres between the places that are looked at."""
REACHED = 0.8
"""Metres from the robot's base up to which the hand gets to what stands on the ground."""
UP = 0.02
"""Metres above the ground at which they are: what is lower is hardly a thing."""
SMALLEST = 10
"""Adjacent places that can hide a thing at least: 40 cm²."""
SHOWN = 0.01
"""Metres in front of a place at which what is seen there may be the place itself."""
ABOVE_FLOOR = (0.01, 0.03)
"""Metres above the floor of an interior at which it is looked into."""
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


@dataclass(eq=False)
class Unseen:
    """Places (n, 3) just above the ground, `cells` (n, 2) on a grid of them, and which (n,) have been seen so far;
    `looks` are the last pictures."""

    places: Array
    cells: Numbers
    seen: Numbers
    looks: Sequence[Look] = ()

    @staticmethod
    def of(ground: Ground, p_world_base: Array) -> Unseen:
        """Of the ground within the arm's reach nothing is seen yet, wherever it may end."""
        n = round(REACHED / CELL)
        cells = np.stack(np.meshgrid(np.arange(n), np.arange(2 * n), indexing="ij"), axis=-1).reshape(-1, 2)
        level = p_world_base[:2] + (cells + 0.5 - [0, n]) * CELL
        places = np.column_stack([level, np.full(len(cells), ground.stands + UP)])
        near = np.linalg.norm(level - p_world_base[:2], axis=1) < REACHED
        near &= level[:, 0] > p_world_base[0] + FRONT
        return Unseen(places[near], cells[near], np.zeros(int(near.sum()), dtype=bool))

    def saw(self, looks: Sequence[Look]) -> None:
        """Note what pictures show."""
        self.looks = looks
        self.seen |= shown(self.places, looks)

    def forget(self) -> None:
        """Things were moved: only what the last pictures show counts as seen."""
        self.seen = shown(self.places, self.looks)

    def hidden(self, scene: Scene) -> Array:
        """The places (n, 3) that were not seen, enough adjacent ones for a thing, and in no thing that is known
        of."""
        left = ~self.seen
        left[left] = ~inside_things(self.places[left], scene)
        grid = np.zeros(self.cells.max(axis=0) + 1, dtype=bool)
        grid[tuple(self.cells[left].T)] = True
        labels, n = label(grid)
        sizes = np.bincount(labels.ravel(), minlength=n + 1)
        mine = labels[tuple(self.cells[left].T)]
        return np.asarray(self.places[left][sizes[mine] >= SMALLEST])


def shown(points: Array, looks: Sequence[Look]) -> Numbers:
    """Which of some points (n, 3) some picture shows, or sees through."""
    out = np.zeros(len(points), dtype=bool)
    for look in looks:
        out |= gaps_at(look, points) > -SHOWN
    return out


def inside_things(points: Array, scene: Scene) -> Numbers:
    """Which of some points (n, 3) are in the box around a thing that can be carried, or within another one's walls."""
    out = np.zeros(len(points), dtype=bool)
    for o in scene:
        if o.movable:
            low, high = o.bounds()
            out |= ((points > low - CELL) & (points < high + CELL)).all(axis=1)
            continue
        for part in o.parts:
            for shape in part.shapes:
                T = part.T_world_part @ shape.T_body_shape
                local = (points - T[:3, 3]) @ T[:3, :3]
                out |= (np.abs(local) < shape.half_extent + 0.5 * CELL).all(axis=1)
    return out


def floor_of(region: Region) -> Array:
    """Points (n, 3) just above the floor of an interior, all over it."""
    T, half = region.T_world_region, region.half_extent
    up = int(np.argmax(np.abs(T[2, :3])))  # a region's own axes may point anywhere
    inner = np.maximum(half - 0.5 * CELL, 0.0)
    axes = [np.linspace(-h, h, max(2, round(2 * h / CELL))) for h in inner]
    axes[up] = np.sign(T[2, up]) * np.minimum(np.array(ABOVE_FLOOR) - half[up], half[up])
    local = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    return np.asarray(local @ T[:3, :3].T + T[:3, 3])


@dataclass(frozen=True, eq=False)
class CameraView:
    """A tool pose (4, 4) in the world, which of the points its camera shows (n,), and what it is worth."""

    T_world_tool: Array
    shown: Numbers
    share: float
    worth: float


def views(points: Array, weights: Array, eye: HandEye, T_world_tool: Array, sees: Sees) -> Iterator[CameraView]:
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
            for T in _tools(T_world_camera, eye, T_world_tool):
                e = error(T_world_tool, T)
                cost = DETOUR * float(np.linalg.norm(e[:3])) + TURNED * float(np.linalg.norm(e[3:]))
                found.append(CameraView(T, pictured, share, share - cost))
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


def faces(o: SceneObject) -> Array:
    """Points (n, 3) on the faces of the box around a thing, but for the lower one."""
    low, high = o.bounds()
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    signs = []
    for axis, sign in ((2, 1.0), (0, 1.0), (0, -1.0), (1, 1.0), (1, -1.0)):
        for a, b in itertools.product(FACE, FACE):
            signs.append(np.insert([a, b], axis, sign))
    return np.asarray(middle + half * np.array(signs))
