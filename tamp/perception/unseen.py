"""Where no picture has shown anything yet: what stands there would be unknown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.ndimage import label

from motion.poses import Array, Numbers
from tamp.model.scene import Region, Scene
from tamp.perception.clusters import FRONT, Ground
from tamp.perception.looks import Look
from tamp.perception.sightings import gaps_at

CELL = 0.02
"""Metres between the places that are looked at."""
REACHED = 0.8
"""Metres from the robot's base up to which the hand gets to what stands on the ground."""
UP = 0.02
"""Metres above the ground at which they are: what is lower is hardly a thing."""
SMALLEST = 10
"""Places beside each other that can hide a thing at least: 40 cm²."""
SHOWN = 0.01
"""Metres in front of a place at which what is seen there may be the place itself."""
ABOVE_FLOOR = (0.01, 0.03)
"""Metres above the floor of an interior at which it is looked into."""


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
        """Somebody has moved things: only what the last pictures show is seen."""
        self.seen = shown(self.places, self.looks)

    def hidden(self, scene: Scene) -> Array:
        """The places (n, 3) that nobody has seen, enough beside each other for a thing, and in no thing that is known
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
