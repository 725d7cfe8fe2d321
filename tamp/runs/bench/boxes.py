"""Scenes of boxes on a table before a Panda, made to grow: `packed` and `blocked`.

Nothing but numbers goes in, so that a seed is a scene. Poses in the world frame, metres; the table's top is at
`TABLE_TOP` and the robot stands behind it, at negative x.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from motion.poses import Array, pose, rotation_about
from motion.robot import RobotDescription
from motion.shapes import Shape
from motion.world import World
from tamp.model.atoms import Atom
from tamp.model.goal import Goal
from tamp.model.scene import Part, Region, RobotState, Scene, SceneObject

Family = Literal["packed", "blocked"]
FAMILIES: tuple[Family, ...] = ("packed", "blocked")
LARGEST = 30
"""Most boxes of a scene, besides the wanted one."""
CLOSE = 10
"""Most boxes that are packed in one layer, or stand around the wanted one without room for a finger."""
TABLE_TOP = 0.9
TABLE = (0.45, 0.6, 0.02)
"""Half-extents of the table, centred under x = 0."""

ROOM = 1.6
"""Area of the region over the joint footprint of the boxes that must stand on it."""
SIDES = (0.05, 0.065)
"""Least and greatest side of a footprint: the hand opens to 0.08 and needs 6 mm at each finger."""
HEIGHTS = (0.055, 0.07)
ONE_ROW = 5
"""Most boxes in one row; more stand in two."""
ROW_GAP = 0.03
"""Between two rows, for a finger's 19 mm and its way open."""
SIDE_GAP = 0.005
"""Between neighbours in a row."""
TRAY_X = -0.14
TRAY_MARGIN = 0.01
STARTS = tuple(itertools.product((-0.29, -0.17, -0.05), (-0.39, -0.27, 0.27, 0.39)))
"""Where the boxes start (x, y): on both sides of the region, where the hand reaches straight down."""
FAR_STARTS = (
    *itertools.product((-0.43, -0.33, -0.23, -0.13), (-0.52, -0.42, -0.32, 0.32, 0.42, 0.52)),
    *itertools.product((-0.36, 0.03), (-0.2, -0.1, 0.0, 0.1, 0.2)),
)
"""Where many boxes start: around the region."""
JITTER = 0.005

WANTED = (0.05, 0.05, 0.06)
"""Size of the wanted box."""
BLOCKER = (0.05, 0.05, 0.1)
"""Size of a blocker: its upper part can be grasped over the wanted box."""
NARROW_GAP = (0.006, 0.01)
"""Gap around the wanted box, less than a finger's thickness of 16 to 20 mm."""
OUTER_GAP = 0.012
RING = 0.08
"""From box to box in the rings around those, a finger apart."""
WANTED_AT = (-0.1, 0.0)
PAD = (-0.12, 0.33, 0.06)
"""Centre (x, y) and half-side of the region where the wanted box belongs."""


@dataclass(frozen=True, eq=False)
class BoxScene:
    """One problem: the scene and what is to hold."""

    family: Family
    n: int
    seed: int
    scene: Scene
    goal: Goal


def make(family: Family, n: int, seed: int, robot: RobotDescription) -> BoxScene:
    """The scene of a family with `n` boxes (1 to LARGEST) that a seed stands for."""
    if not 1 <= n <= LARGEST:
        raise ValueError(f"{n} boxes; valid: 1 to {LARGEST}")
    rng = np.random.default_rng([FAMILIES.index(family), n, seed])
    objects, goal = (_packed if family == "packed" else _blocked)(n, rng)
    T_rest = World(robot, []).forward(robot.posture)
    state = RobotState(np.array(robot.posture), robot.gripper.opening, T_rest)
    return BoxScene(family, n, seed, Scene(tuple(objects), state), goal)


def _packed(n: int, rng: np.random.Generator) -> tuple[list[SceneObject], Goal]:
    """Boxes on the table, and a region between them that takes them all.

    Sizes are drawn until a packing is known: one row, or two with a finger's room between. Of many, half go on top of
    the others.
    """
    lower, starts = (n, STARTS) if n <= CLOSE else ((n + 1) // 2, FAR_STARTS)
    while True:
        sizes = np.column_stack([rng.uniform(*SIDES, (n, 2)), rng.uniform(*HEIGHTS, n)])
        if (tray := _tray(sizes[:lower])) is not None:
            break
    spots = [starts[i] for i in rng.permutation(len(starts))[:n]]
    boxes = [
        _box(f"box_{i + 1}", size, np.array(spot) + rng.uniform(-JITTER, JITTER, 2), rng.uniform(-np.pi, np.pi))
        for i, (size, spot) in enumerate(zip(sizes, spots, strict=True))
    ]
    region = _region("tray", np.array([TRAY_X, 0.0]), tray)
    under = ["tray"] * lower + [b.name for b in boxes[: n - lower]]
    on = (Atom("on", (b.name, place)) for b, place in zip(boxes, under, strict=True))
    return [*boxes, _table(region)], Goal.of(on)


def _tray(sizes: Array) -> Array | None:
    """Half-extents (2,) of the region for boxes of the given sizes (n, 3); None when no packing is known for it."""
    area = ROOM * float(np.prod(sizes[:, :2], axis=1).sum())
    # a box turns so that its longer side is across the row
    across, along = sizes[:, :2].max(axis=1), sizes[:, :2].min(axis=1)
    rows = 1 if len(sizes) <= ONE_ROW else 2
    depth = rows * float(across.max()) + (ROW_GAP if rows == 2 else TRAY_MARGIN)
    length = area / depth
    filled = [0.0] * rows
    for width in sorted(along, reverse=True):
        shortest = int(np.argmin(filled))
        filled[shortest] += float(width) + SIDE_GAP
    return 0.5 * np.array([depth, length]) if max(filled) <= length else None


def _blocked(n: int, rng: np.random.Generator) -> tuple[list[SceneObject], Goal]:
    """The wanted box with taller neighbours on all sides but one at most, nearer than a finger is thick.

    Two opposite sides must be free to grasp it from above. With one blocker two walls stand left and right and
    the side behind is free; with two they stand before and behind it, between the walls; with three one wall is
    left; from four on every side is taken by a blocker. The others stand at the corners, and before and behind; many
    in rings around.
    """
    size, tall = np.array(WANTED), np.array(BLOCKER)
    yaw = rng.uniform(-0.15, 0.15)
    middle = np.array(WANTED_AT) + rng.uniform(-0.02, 0.02, 2)
    R = rotation_about(np.array([0.0, 0.0, 1.0]), yaw)[:2, :2]

    def at(x: float, y: float) -> Array:
        return np.asarray(middle + R @ [x, y])

    step = 0.5 * (size[0] + tall[0])
    gaps = rng.uniform(*NARROW_GAP, 4)
    sides = [(-step - gaps[0], 0.0), (step + gaps[1], 0.0), (0.0, step + gaps[2]), (0.0, -step - gaps[3])]
    corner = tall[0] + OUTER_GAP
    corners = [(sx * corner, sy * corner) for sx, sy in itertools.product((-1, 1), repeat=2)]
    outer = [(-2 * corner, 0.0), (2 * corner, 0.0)]
    places = [*sides, *corners, *(outer if n <= CLOSE else _rings())]
    blockers = [_box(f"blocker_{i + 1}", tall, at(*p), yaw) for i, p in enumerate(places[:n])]
    walls = [_box(f"wall_{i}", tall, at(*p), yaw, movable=False) for i, p in enumerate(sides) if i >= max(n, 2)]
    wanted = _box("wanted", size, middle, yaw)
    pad = _region("pad", np.array(PAD[:2]), np.full(2, PAD[2]))
    return [wanted, *blockers, *walls, _table(pad)], Goal(Atom("on", ("wanted", "pad")))


def _rings() -> list[tuple[float, float]]:
    """Places around those next to the wanted box, the inner ring first; in the outer one those away from the pad."""
    steps = range(-3, 4)
    square = [(max(abs(i), abs(j)), j, i) for i, j in itertools.product(steps, steps) if max(abs(i), abs(j)) > 1]
    return [(i * RING, j * RING) for _, j, i in sorted(square)]


def _box(name: str, size: Iterable[float], p: Array, yaw: float, *, movable: bool = True) -> SceneObject:
    """A box of a size (3,) that stands on the table with its middle at `p` (2,)."""
    half = 0.5 * np.asarray(size, dtype=float)
    T = pose([p[0], p[1], TABLE_TOP + half[2]], rotation_about(np.array([0.0, 0.0, 1.0]), yaw))
    part = Part(name, "body", T, (Shape("box", half, np.eye(4)),))
    return SceneObject(name, "box" if movable else "wall", movable, (part,))


def _region(name: str, p: Array, half: Array) -> Region:
    """A level rectangle on the table: centre `p` (2,), half-extents (2,)."""
    return Region(name, "surface", pose([p[0], p[1], TABLE_TOP]), np.array([half[0], half[1], 0.001]), "table_body")


def _table(*regions: Region) -> SceneObject:
    half = np.array(TABLE)
    part = Part("table_body", "body", pose([0.0, 0.0, TABLE_TOP - half[2]]), (Shape("box", half, np.eye(4)),))
    return SceneObject("table_body", "table", False, (part,), (_region("table", np.zeros(2), half[:2]), *regions))
