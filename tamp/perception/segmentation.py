"""Segment what stands out of the ground: its height, the points above it and clusters of these; what carries things;
and obstacles, which no model explains."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.ndimage import label
from scipy.spatial import cKDTree

from motion.poses import Array, Numbers, moved, pose
from motion.shapes import Shape
from tamp.model.scene import UNKNOWN, Part, Region, SceneObject
from tamp.perception.looks import MATCHED, Look, gaps_at
from tamp.perception.modelling import normals_of
from tamp.perception.object_model import SAMPLES, PlacedModel, Skin

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
BOTTOM = 0.004
"""Metres above its lowest point up to which a thing's skin is its bottom."""
CARRIED = 0.02
"""Metres from its bottom within which there is something that carries it."""

SUPPORTED = 0.01
"""Metres from the ground within which the bottom of a thing is on it."""
TABLE_HEIGHT = 0.25
"""Metres above the floor from which the ground is a table."""
OBSTACLE = "obstacle_"
"""How the names of obstacles begin; a number follows."""
DEEP = 0.3
"""Metres that the ground reaches down."""


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


def set_on_ground(placed: PlacedModel, others: Iterable[PlacedModel], ground: Ground) -> PlacedModel:
    """A thing that stands on the ground, to the tenth of a millimetre, if its bottom is seen near there: not one whose
    middle is over one of `others` that can be carried, which may be what it stands on."""
    off, middle = ground.stands - placed.lowest, placed.T_world_object[:2, 3]
    bounds = (other.as_object(other.model.thing.name).bounds() for other in others)
    if abs(off) > SUPPORTED or any(np.all((middle > b[0][:2]) & (middle < b[1][:2])) for b in bounds):
        return placed
    T = placed.T_world_object.copy()
    T[2, 3] += off
    return replace(placed, T_world_object=T)


def reaches(points: Points, ground: Ground) -> bool:
    """Whether some points reach down to the ground."""
    return float(points.p[:, 2].min()) < ground.height + CARRIED


def unexplained(points: Points, things: Iterable[PlacedModel], within: float) -> Points:
    """The points that belong to none of some things: up to so many metres from their skins they do."""
    out = np.ones(len(points), dtype=bool)
    for thing in things:
        out[out] &= ~thing.explains(points.p[out], within)
    return points.where(out)


def floating(things: Sequence[PlacedModel], ground: float, others: Array) -> list[bool]:
    """Which things nothing carries: not the ground (its height in m), nor what was not recognised and is no piece of
    them (points (n, 3)), nor a thing that is carried itself. What does not move is."""
    bottoms = [p[p[:, 2] < p[:, 2].min() + BOTTOM] for p in (t.points() for t in things)]
    carried = [
        not t.model.thing.movable
        or float(b[:, 2].min()) < ground + CARRIED
        or (len(others) > 0 and float(np.min(cKDTree(others).query(b)[0])) < CARRIED)
        for t, b in zip(things, bottoms, strict=True)
    ]
    while True:
        again = [c or _on_another(i, bottoms[i], things, carried) for i, c in enumerate(carried)]
        if again == carried:
            return [not c for c in carried]
        carried = again


def _on_another(i: int, bottom: Array, things: Sequence[PlacedModel], carried: Sequence[bool]) -> bool:
    pairs = zip(things, carried, strict=True)
    return any(c and k != i and float(t.distance(bottom).min()) < CARRIED for k, (t, c) in enumerate(pairs))


@dataclass(frozen=True, eq=False)
class Obstacle:
    """Something in the way that nothing else is known of: the box (3,), (3,) around it, and the points (n, 3) that
    were seen of it."""

    low: Array
    high: Array
    points: Array

    @staticmethod
    def of(points: Points, ground: Ground) -> Obstacle:
        """What some points are of, down to the ground."""
        low, high = points.p.min(axis=0).astype(float), points.p.max(axis=0).astype(float)
        low[2] = ground.stands
        return Obstacle(low, high, points.p)

    def holds(self, points: Array, around: float) -> Numbers:
        """Which points (n, 3) are in the box, or so many metres `around` it."""
        return np.asarray(np.all((points > self.low - around) & (points < self.high + around), axis=1))

    def as_object(self, name: str) -> SceneObject:
        """A thing of a scene, to be kept clear of."""
        half = np.maximum(0.5 * (self.high - self.low), 0.002)
        part = Part(name, "body", pose(0.5 * (self.low + self.high)), (Shape("box", half, np.eye(4)),))
        return SceneObject(name, UNKNOWN, False, (part,))


def ground_object(ground: Ground) -> SceneObject:
    """What everything stands on."""
    name = "table" if ground.height > TABLE_HEIGHT else "floor"
    middle, half = 0.5 * (ground.low + ground.high), 0.5 * (ground.high - ground.low)
    body = f"{name}_body"
    T = pose([*middle, ground.stands - 0.5 * DEEP])
    part = Part(body, "body", T, (Shape("box", np.array([*half, 0.5 * DEEP]), np.eye(4)),))
    region = Region(name, "surface", pose([*middle, ground.stands]), np.array([*half, 0.0]), body)
    return SceneObject(body, name, False, (part,), (region,))
