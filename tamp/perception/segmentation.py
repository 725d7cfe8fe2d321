"""Segment what stands out of the ground: its height, the points above it, and clusters of these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.ndimage import label

from motion.poses import Array, Numbers, moved
from tamp.perception.looks import MATCHED, Look, gaps_at
from tamp.perception.object_model import SAMPLES, PlacedModel, Skin
from tamp.perception.skinning import normals_of

REACH = 1.15
"""Metres from the robot's base within which things are looked for."""
HIGHEST = 0.65
"""Metres above the ground likewise."""
LEVEL = 0.97
"""Vertical component of a level surface's normal."""
TABLE = 0.4
"""Share of the largest level surface that a table has at least, of what is seen of both: what stands on one had 0.1 at
most, a low table on the floor 0.8 and more (26 scenes)."""
ONE_LEVEL = 5
"""Steps of height within which it is one surface."""
BIN = 0.004
"""Metres in one step of the heights that are counted."""
FALSE_TOP = 0.03
"""Metres that things may stand above or below where the ground is seen to be."""
LOW = 0.005
"""Metres above the ground from which a point is of something that stands on it."""
FRONT = 0.2
"""Metres in front of the robot's base from which things are looked for: nearer is the base itself, of a Panda."""
THIN = 0.003
"""Metres between points that are kept."""
APART = 0.008
"""Metres that two things are apart at least, to be told apart by it alone."""
FEWEST = 25
"""Points of which something is made at least."""
EXPLAINED = 0.007
"""Metres from a skin up to which a point is explained by it."""


@dataclass(frozen=True, eq=False)
class Ground:
    """The level surface that things stand on: its height (m), and the corners (2,), (2,) of what is seen. `stands` is
    the height at which things stand on it, which need not be where it is seen to be."""

    height: float
    low: Numbers
    high: Numbers
    stands: float


@dataclass(frozen=True, eq=False)
class Points:
    """Points (n, 3) in the world with the colours (n, 3) in which they are seen."""

    p: Numbers
    colours: Numbers

    def __len__(self) -> int:
        return len(self.p)

    def where(self, mask: Numbers) -> Points:
        """Some of them."""
        return Points(self.p[mask], self.colours[mask])

    def some(self, n: int, rng: np.random.Generator) -> Points:
        """At most `n` of them, drawn at random."""
        return self if len(self) <= n else self.where(rng.choice(len(self), n, replace=False))


def looked_from(p_world_base: Numbers, forward: float) -> Numbers:
    """The point (3,) that is to be taken for the base (3,) of a robot of which so many metres are in front of it:
    things are looked for from where it ends."""
    return np.asarray(p_world_base - [max(0.0, FRONT - forward), 0.0, 0.0])


def ground_of(looks: Sequence[Look], p_world_base: Numbers) -> Ground | None:
    """The level surface within reach that most is seen of, by its area, or a higher one that is about as large: a table
    rather than the floor around it. None where there is none."""
    heights, areas, spots = [], [], []
    for look in looks:
        n, trusted = normals_of(look.points.astype(float), look.image.T_world_camera[:3, 3])
        ok = trusted & ~look.robot & (n[..., 2] > LEVEL) & _near(look.points, p_world_base)
        heights.append(look.points[ok][:, 2])
        spots.append(look.points[ok][:, :2])
        areas.append((look.image.depth[ok] / look.image.K[0, 0]) ** 2)
    z, xy, area = np.concatenate(heights), np.concatenate(spots), np.concatenate(areas)
    if len(z) < FEWEST:
        return None
    counted, edges = np.histogram(z, np.arange(z.min() - BIN, z.max() + 2 * BIN, BIN), weights=area)
    counted = np.convolve(counted, np.ones(3), "same")
    large = np.flatnonzero(counted > TABLE * counted.max())
    highest = large[large > large.max() - ONE_LEVEL]
    at = edges[highest[counted[highest].argmax()]] + 0.5 * BIN
    mine = np.abs(z - at) < 1.5 * BIN
    height = float(np.median(z[mine]))
    low, high = np.percentile(xy[mine], (0.5, 99.5), axis=0)
    return Ground(height, low, high, height)


def stood_on(ground: Ground, bottoms: Sequence[float]) -> Ground:
    """The ground as what stands on it tells: at the height (m) that most bottoms of things near it are at."""
    near = sorted(b for b in bottoms if abs(b - ground.height) < FALSE_TOP)
    if not near:
        return ground
    middle = float(np.median(near))
    agree = sum(abs(b - middle) < BIN for b in near)
    return replace(ground, stands=middle) if agree >= 2 and abs(middle - ground.height) > BIN else ground


def _near(points: Numbers, p_world_base: Numbers) -> Numbers:
    with np.errstate(invalid="ignore"):
        near = np.linalg.norm(points[..., :2] - p_world_base[:2], axis=-1) < REACH
        return np.asarray(near & (points[..., 0] > p_world_base[0] + FRONT))


def stands_out(look: Look, ground: Ground, p_world_base: Numbers) -> Numbers:
    """Which pixels (h, w) show something above the ground within reach that is not the robot."""
    z = look.points[..., 2] - ground.height
    with np.errstate(invalid="ignore"):
        return np.asarray(~look.robot & _near(look.points, p_world_base) & (z > LOW) & (z < HIGHEST))


def above(looks: Sequence[Look], ground: Ground, p_world_base: Numbers) -> Points:
    """What is seen above the ground within reach, the robot left out, thinned."""
    found = []
    for look in looks:
        mine = stands_out(look, ground, p_world_base)
        found.append((look.points[mine], look.image.colour[mine]))
    p, colours = (np.concatenate(parts) for parts in zip(*found, strict=True))
    _, kept = np.unique(np.floor(p / THIN).astype(np.int64), axis=0, return_index=True)
    return Points(p[kept], colours[kept].astype(np.float32))


def clusters(points: Points) -> list[Points]:
    """Points that belong together, the largest lot first."""
    if not len(points):
        return []
    index = np.floor((points.p - points.p.min(axis=0)) / APART).astype(int)
    grid = np.zeros(index.max(axis=0) + 1, dtype=bool)
    grid[tuple(index.T)] = True
    labels, n = label(grid, np.ones((3, 3, 3)))
    mine = labels[tuple(index.T)]
    found = [points.where(mine == k) for k in range(1, n + 1)]
    return sorted((c for c in found if len(c) >= FEWEST), key=len, reverse=True)


def together(lots: Sequence[Points]) -> Points:
    """Several lots as one."""
    return Points(np.concatenate([c.p for c in lots]), np.concatenate([c.colours for c in lots]))


def evidence(placed: PlacedModel, cluster: Points, looks: Sequence[Look]) -> float:
    """How many of the points that a cluster has on a model there should be, for as much as is seen of the model: of few
    what is seen there is something else, the ground or another thing that its skin happens to touch."""
    wanted = sum(_points_of(skin, T, looks) for skin, T in placed.skins())
    return int((placed.distance(cluster.p) < EXPLAINED).sum()) / max(1.0, wanted)


def _points_of(skin: Skin, T_world_skin: Array, looks: Sequence[Look]) -> float:
    """How many points there are, thinned, of what is seen of a skin: fewer where it is far or seen from aside."""
    every = max(1, len(skin.points) // SAMPLES)
    world, normals = moved(skin.points[::every], T_world_skin), skin.normals[::every] @ T_world_skin[:3, :3].T
    most: Array = np.zeros(len(world))
    for look in looks:
        towards = look.image.T_world_camera[:3, 3] - world
        far = np.linalg.norm(towards, axis=1)
        facing = np.maximum(np.einsum("ij,ij->i", normals, towards) / far, 0.0)
        dense = np.minimum(facing * (look.image.K[0, 0] / far) ** 2, 1.0 / THIN**2)
        most = np.maximum(most, np.where(np.abs(gaps_at(look, world)) <= MATCHED, dense, 0.0))
    return float(most.sum()) * skin.area * every
