"""Rounding the corners of a joint path where that brings the robot no nearer to anything."""

from __future__ import annotations

import itertools

import numpy as np

from motion.poses import Array, travelled
from motion.world import World

SPACING = 0.01
"""Metres of tool travel between the points that are averaged."""
WINDOWS = (0.4, 0.24, 0.12, 0.06)
"""Metres of tool travel averaged into one point, the widest that is free."""
STRAIGHT = (0.01, 0.02)
"""Metres at the start and at the end in which no point is averaged, nor are these averaged into others."""
CLEARANCE = 0.006
"""Metres that are enough, however far away the original path kept."""
SLACK = 0.001
"""Metres that a rounded path may come nearer, below `CLEARANCE`, than what it replaces."""

Nearness = dict[tuple[str, str], float]
"""Distance in metres of each pair nearer than `CLEARANCE`."""


def rounded(world: World, path: Array) -> Array:
    """The path (k, n) with its corners rounded, or itself; the world must be loaded with its state.

    Each point becomes the mean of those around it, fewer towards the ends: these stay, and so does the
    direction in which they are left and reached. A pair of bodies may not come nearer than somewhere on the
    part of the path that was averaged, unless it stays further apart than `CLEARANCE`.
    """
    dense = _resampled(world, path)
    if len(dense) < 5:
        return path
    near = [_nearness(world, q) for q in dense]
    first, last = (round(metres / SPACING) for metres in STRAIGHT)
    for window in WINDOWS:
        reach = round(0.5 * window / SPACING)
        halves = [max(0, min(reach, i - first, len(dense) - 1 - last - i)) for i in range(len(dense))]
        smooth = np.array([dense[i - h : i + h + 1].mean(axis=0) for i, h in enumerate(halves)])
        if all(_no_nearer(world, smooth[i], near[i - h : i + h + 1]) for i, h in enumerate(halves) if h):
            return smooth
    return path


def _resampled(world: World, path: Array) -> Array:
    """Points on the polyline, `SPACING` apart in tool travel."""
    kept: Array = path[np.concatenate([[True], np.abs(np.diff(path, axis=0)).max(axis=1) > 1e-6])]
    if len(kept) < 2:
        return kept
    lengths = [travelled(map(world.forward, pair)) for pair in itertools.pairwise(kept)]
    along = np.concatenate([[0.0], np.cumsum(lengths)])
    at = np.linspace(0.0, along[-1], max(2, int(np.ceil(along[-1] / SPACING)) + 1))
    return np.column_stack([np.interp(at, along, column) for column in kept.T])


def _nearness(world: World, q: Array) -> Nearness:
    out: Nearness = {}
    for c in world.contacts(q, CLEARANCE):
        out[c.robot, c.other] = min(out.get((c.robot, c.other), np.inf), c.distance)
    return out


def _no_nearer(world: World, q: Array, averaged: list[Nearness]) -> bool:
    for pair, distance in _nearness(world, q).items():
        before = min(n.get(pair, CLEARANCE) for n in averaged)
        if distance < before - SLACK:
            return False
    return True
