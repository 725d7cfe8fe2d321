"""Antipodal grasps of composite convex shapes by a parallel gripper.

Every shape that is narrow enough along one of its axes proposes grasps across that axis, from a fan of
approach directions and at a few depths; rays through all shapes then tell what really lies between the
pads. Rims, handles, boxes and bottle necks all come out of this: none is a case of its own.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from motion.poses import Array, inverse, pose, rotation_about
from motion.robot import Gripper
from motion.shapes import Shape, bounds

FINGER_CLEARANCE = 0.006
"""Metres between each open finger and what it will close on."""
GRAZE = 0.004
"""Metres that the hand may reach into a box in the quick look."""
TWISTS = np.radians([0, 20, -20])
"""Turns about the approach axis: the fingers align with a face that they meet at a small angle."""
BAR = (0.02, 1.5)
"""A shape is a bar when its narrow half-extents are below the first (metres) and its length beyond the second
times those: then the fingers may close on it from any side."""
LEVEL = 0.9
"""Least cosine of a narrow axis with the horizontal for grasps from straight above."""
FRICTION_COSINE = 0.9
"""Least cosine between the closing axis and the faces that the pads touch: within the cone of friction."""
ASKEW_TWISTS = np.radians([35, -35, 45, -45, 55, -55])
"""Larger such turns, for what cannot turn between the fingers and leaves the hand no room for a square grip."""
ASKEW_COSINE = 0.3
"""Least such cosine for these. Pads with a coefficient of friction of 2, as the simulated ones have, hold at 0.45 (63
degrees) by friction alone; below that, and on smoother pads, an edge of what is held must catch behind them."""
FAN = np.radians([0, 25, -25, 50, -50, 75, -75, 90, -90])
DEPTHS: tuple[float, ...] = (0.005, 0.012, 0.022, 0.034)
"""Metres of the grasp point behind the near face of the shape."""
LOW_DEPTHS, LOW = (-0.002, 0.001), 0.016
"""More of them for what is so low (m) that the fingers touch the ground at the others: the ends of the pads hold it."""
GOOD_DEPTH = 0.016
"""Metres from which on going deeper makes a grasp no better."""
RIM_SLOPE, RIM_WALL = (0.2, LEVEL), 0.012
"""Level component of the normal of a wall whose upper edge may be pinched, and metres that it is thick at most."""
RIM_DEPTHS = (0.003, 0.002, 0.0)
"""Metres of the tool point beyond the upper edge, the best first."""
RIM_LEAN = np.radians(8)
"""Angle between the approach and straight down: the finger inside stays above the floor of what it reaches into."""
RIM_INSIDE, RIM_OPENING = 0.016, 0.02
"""Metres of the tool point inside the edge, and the width of the grasp, which is that of the wall where it is cut."""
RIM_SLIDES = 0.0015
"""Metres by which the edge slides out of the pads while the wall turns (0 to 2 mm in 27 grasps of a plate)."""


@dataclass(frozen=True, eq=False)
class Grasp:
    """Tool pose in the body's frame, width between the pads in metres, and a cost (less is better).

    `turned` is set where the closing fingers turn the body: the tool pose in its frame then, and the width.
    """

    T_body_tool: Array
    width: float
    cost: float
    turned: tuple[Array, float] | None = None


@dataclass(frozen=True)
class Preference:
    """What makes a grasp good. Costs are in units of one radian of tilt from straight down."""

    tilt: float = 1.0
    off_centre: float = 6.0
    coverage: float = 1.0
    depth: float = 25.0


def antipodal(
    shapes: tuple[Shape, ...],
    T_world_body: Array,
    gripper: Gripper,
    *,
    graspable: tuple[Shape, ...] | None = None,
    preference: Preference | None = None,
    bias: Callable[[Array], Array] | None = None,
    limit: int = 400,
    askew: bool = False,
) -> list[Grasp]:
    """Grasps of a body, best first. Collisions with the hand are not looked at here.

    `graspable` are the shapes that may propose grasps (all by default); every one of `shapes` counts when
    rays tell what lies between the pads. `bias` adds a cost (n,) to tool poses (n, 4, 4) in the world.
    `askew` grasps close at a large angle to the faces: they only hold what does not turn between the fingers.
    """
    weights = preference or Preference()
    solids = [s for s in shapes if s.kind != "plane"]
    if not solids:
        return []
    bottom, top = bounds(tuple(solids), T_world_body)
    depths: tuple[float, ...] = DEPTHS
    least = 4 / 9
    if top[2] - bottom[2] < LOW:
        depths, least, weights = (*LOW_DEPTHS, *DEPTHS), 3 / 9, replace(weights, depth=0.0)
    sources = [s for s in (graspable or shapes) if s.kind != "plane"]
    twists, least_cosine = (ASKEW_TWISTS, ASKEW_COSINE) if askew else (TWISTS, FRICTION_COSINE)
    proposals = [_proposals(s, T_world_body, gripper.opening, twists, depths) for s in sources]
    T, depth, twist = (np.concatenate(column) for column in zip(*proposals, strict=True))
    if not len(T):
        return []
    centre = centroid(tuple(solids), T_world_body)
    cheap = _cost(T, centre, depth, weights) + np.abs(twist)
    if bias is not None:
        cheap = cheap + bias(T)
    order = np.argsort(cheap.round(9), kind="stable")[: 8 * limit]  # the same on any machine
    order = order[_clears_palm(T[order], solids, T_world_body, gripper)]
    order = order[: 4 * limit]
    T, cheap = T[order], cheap[order]
    low, high, coverage, cosine = _between_pads(T, solids, T_world_body, gripper)
    width = high - low
    good = (coverage >= least) & (cosine > least_cosine) & (width > 0)
    good &= width < gripper.opening - 2 * FINGER_CLEARANCE
    out = []
    for i in np.flatnonzero(good):
        centred = T[i] @ pose([float(low[i] + high[i]) / 2, 0.0, 0.0])
        cost = float(cheap[i] + weights.coverage * (1 - coverage[i]))
        out.append(Grasp(inverse(T_world_body) @ centred, float(width[i]), cost))
    out.sort(key=lambda g: round(g.cost, 9))
    return out[:limit]


def rims(shapes: tuple[Shape, ...], T_world_body: Array) -> list[Grasp]:
    """Grasps from above at the upper edges of thin walls that slope too much to be held across, best first.

    A finger comes down on either side of the edge. As they close they slide along the wall until the edge is between
    them, and when nothing holds the body up any more the wall turns until it is parallel to the pads: a plate comes to
    hang from its rim.
    """
    out = []
    for shape in shapes:
        T = T_world_body @ shape.T_body_shape
        thin = int(np.argmin(shape.half_extent))
        normal = T[:3, thin] * np.sign(T[2, thin])
        level = float(np.linalg.norm(normal[:2]))
        if shape.kind != "box" or 2 * shape.half_extent[thin] > RIM_WALL or not RIM_SLOPE[0] < level < RIM_SLOPE[1]:
            continue
        down = np.array([0.0, 0.0, -1.0])
        uphill = (normal[2] * normal + down) / -level
        edge = T[:3, 3] + float(np.abs(T[:3, :3].T @ uphill) @ shape.half_extent) * uphill
        closing = -np.append(normal[:2], 0.0) / level
        across = np.cross(down, closing)
        R = rotation_about(across, -RIM_LEAN) @ np.column_stack([closing, across, down])
        # the wall's normal comes to lie along the closing axis, its upper edge up
        R_turned = np.column_stack([-normal, np.cross(-uphill, -normal), -uphill])
        for depth in RIM_DEPTHS:
            tool = pose(edge, R) @ pose([-RIM_INSIDE, 0.0, depth])
            turned = pose(edge, R_turned) @ pose([0.0, 0.0, depth - RIM_SLIDES])
            afterwards = inverse(T_world_body) @ turned, 2 * float(shape.half_extent[thin])
            out.append(Grasp(inverse(T_world_body) @ tool, RIM_OPENING, RIM_DEPTHS[0] - depth, afterwards))
    return sorted(out, key=lambda g: g.cost)


def diverse(grasps: list[Grasp], T_world_body: Array, head: int = 6) -> list[Grasp]:
    """The `head` cheapest first, then the rest in turns over approach directions, so that near copies of a
    grasp that failed do not come in a row."""
    bins: dict[tuple[int, int], list[Grasp]] = {}
    for g in grasps[head:]:
        approach = T_world_body[:3, :3] @ g.T_body_tool[:3, 2]
        tilt = int(np.degrees(np.arccos(np.clip(-approach[2], -1, 1))).round(3) // 25)
        azimuth = int((np.degrees(np.arctan2(approach[1], approach[0])).round(3) + 180) % 360 // 60) if tilt else 0
        bins.setdefault((tilt, azimuth), []).append(g)
    turns = itertools.zip_longest(*(bins[k] for k in sorted(bins)))
    return [*grasps[:head], *filter(None, itertools.chain.from_iterable(turns))]


def centroid(shapes: tuple[Shape, ...], T_world_body: Array) -> Array:
    """Volume-weighted centre (3,) of the shapes, in the world."""
    volumes = np.array([np.prod(s.half_extent) for s in shapes])
    centres = np.array([s.T_body_shape[:3, 3] for s in shapes])
    p_body = (volumes[:, None] * centres).sum(axis=0) / volumes.sum()
    return np.asarray(T_world_body[:3, :3] @ p_body + T_world_body[:3, 3])


def hand_clear(
    T_world_tool: Array, opening: Array, obstacles: list[tuple[Array, Array]], gripper: Gripper, graze: float = GRAZE
) -> Array:
    """Which tool poses (n, 4, 4) leave the hand clear of boxes, given as (pose (4, 4), half-extents (3,)).

    `opening` (n,) is how far the fingers are apart, `graze` how far the hand may reach into a box, in metres.

    The hand is taken as three boxes, palm and open fingers, without arm and wrist: a quick look that tells what
    is worth a closer one.
    """
    clear = np.ones(len(T_world_tool), dtype=bool)
    if not obstacles:
        return clear
    T_world_box, half_box = (np.array(column) for column in zip(*obstacles, strict=True))
    radius = np.linalg.norm(half_box, axis=1)
    for centres, half in _hand_boxes(opening, gripper):
        middle = np.einsum("nij,nj->ni", T_world_tool[:, :3, :3], centres) + T_world_tool[:, :3, 3]
        left = np.flatnonzero(clear)
        distance = np.linalg.norm(middle[left, None] - T_world_box[:, :3, 3], axis=2)
        i, k = np.nonzero(distance < np.linalg.norm(half) + radius)
        i = left[i]
        apart = _apart(T_world_tool[i, :3, :3], middle[i], half, T_world_box[k], half_box[k], graze)
        np.logical_and.at(clear, i, apart)
    return clear


def _hand_boxes(opening: Array, gripper: Gripper) -> list[tuple[Array, Array]]:
    """Centres (n, 3) and half-extents (3,) of palm and fingers in the tool frame."""
    zero, palm, finger = np.zeros_like(opening), np.array(gripper.palm), np.array(gripper.finger)
    middle = np.column_stack([zero, zero, zero + gripper.underside - palm[2]])
    out = 0.5 * opening + finger[0]
    return [(middle, palm), *((np.column_stack([x, zero, zero - finger[2]]), finger) for x in (-out, out))]


def _apart(R: Array, p: Array, half: Array, T_box: Array, half_box: Array, graze: float) -> Array:
    """Which boxes with axes R (n, 3, 3) at p (n, 3), of half-extents (3,), are apart from others, by their poses
    (n, 4, 4) and half-extents (n, 3): by the separating axis theorem, where along the axes of either they may `graze`
    each other by so many metres."""
    C = R.transpose(0, 2, 1) @ T_box[:, :3, :3]  # the other's axes in each box's frame
    t = ((T_box[:, None, :3, 3] - p[:, None]) @ R)[:, 0]
    A = np.abs(C) + 1e-9
    apart = (np.abs(t) > half + (A @ half_box[..., None])[..., 0] - graze).any(axis=1)
    seen = np.abs((t[:, None] @ C)[:, 0])
    apart |= (seen > half_box + half @ A - graze).any(axis=1)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        for m in range(3):
            q, r = (m + 1) % 3, (m + 2) % 3
            distance = np.abs(t[:, k] * C[:, j, m] - t[:, j] * C[:, k, m])
            mine = half[j] * A[:, k, m] + half[k] * A[:, j, m]
            apart |= distance > mine + half_box[:, q] * A[:, i, r] + half_box[:, r] * A[:, i, q]
    return np.asarray(apart)


def flipped(T_world_tool: Array) -> Array:
    """The same grasp with the fingers exchanged: half a turn about the approach axis."""
    return T_world_tool @ pose([0.0, 0.0, 0.0], np.diag([-1.0, -1.0, 1.0]))


def _proposals(
    shape: Shape, T_world_body: Array, max_opening: float, twists_about: Array, at_depths: tuple[float, ...]
) -> tuple[Array, Array, Array]:
    """Tool poses (n, 4, 4), depths (n,) and twists (n,), each one of `twists_about` (radians), for every axis along
    which the shape fits. `at_depths` are those (m) below its near face."""
    T = T_world_body @ shape.T_body_shape
    R, p, half = T[:3, :3], T[:3, 3], shape.half_extent
    directions = _directions(R, half, max_opening)
    if not directions:
        return np.zeros((0, 4, 4)), np.zeros(0), np.zeros(0)
    closing, approach = (np.array(column) for column in zip(*directions, strict=True))
    across = np.cross(approach, closing)
    reach, span = np.abs(approach @ R) @ half, np.abs(across @ R) @ half
    rows = [
        (i, depth, share)
        for i in range(len(directions))
        for depth in sorted({min(d, float(reach[i])) for d in (*at_depths, float(reach[i]))})
        for share in ((0.0, -0.5, 0.5) if span[i] > 0.012 else (0.0,))
    ]
    of, d, share = (np.repeat(column, len(twists_about)) for column in zip(*rows, strict=True))
    twist = np.tile(twists_about, len(rows))
    c, s = np.cos(twist)[:, None], np.sin(twist)[:, None]
    out = np.zeros((len(d), 4, 4))
    out[:, :3, 0] = c * closing[of] + s * across[of]
    out[:, :3, 1] = c * across[of] - s * closing[of]
    out[:, :3, 2] = approach[of]
    out[:, :3, 3] = p + (d - reach[of])[:, None] * approach[of] + (share * span[of])[:, None] * across[of]
    out[:, 3, 3] = 1.0
    return out, d, twist


def _directions(R: Array, half: Array, max_opening: float) -> list[tuple[Array, Array]]:
    """Closing and approach directions for a box with axes `R` and half-extents: across each narrow axis, and
    all the way round a bar."""
    narrow = [i for i in range(3) if 2 * half[i] <= max_opening - 2 * FINGER_CLEARANCE]
    out = [(R[:, i], approach) for i in narrow for approach in _approaches(R[:, i])]
    for i in narrow:
        level = R[:, i] * [1.0, 1.0, 0.0]
        if LEVEL < np.linalg.norm(level) < 0.999:  # slightly leaning walls can be held from straight above
            out.append((level / np.linalg.norm(level), np.array([0.0, 0.0, -1.0])))
    long = int(np.argmax(half))
    others = [half[i] for i in range(3) if i != long]
    if max(others) < BAR[0] and half[long] > BAR[1] * max(others) and abs(R[2, long]) < 0.7:
        start = np.cross(R[:, long], [0.0, 0.0, 1.0])
        start /= np.linalg.norm(start)
        around = _turns_of(start, R[:, long], np.radians(np.arange(0, 360, 10)))
        some = around[around[:, 2] < 0.1]
        out += zip(np.cross(R[:, long], some), some, strict=True)
    return out


def _approaches(closing: Array) -> list[Array]:
    """Unit approach directions (3,) perpendicular to the closing axis, none of them upwards."""
    down = np.array([0.0, 0.0, -1.0])
    base = down - (down @ closing) * closing
    if np.linalg.norm(base) < 0.3:
        side = np.cross(closing, [1.0, 0.0, 0.0])
        return list(_turns_of(side / np.linalg.norm(side), closing, np.arange(0, 2 * np.pi, np.pi / 8)))
    fan = _turns_of(base / np.linalg.norm(base), closing, FAN)
    return [a for a in fan if a[2] < 0.1]


def _turns_of(direction: Array, axis: Array, angles: Array) -> Array:
    """A unit vector (3,), turned about an axis perpendicular to it by some angles (n,): (n, 3)."""
    return np.asarray(np.outer(np.cos(angles), direction) + np.outer(np.sin(angles), np.cross(axis, direction)))


def _cost(T_world_tool: Array, centre: Array, depth: Array, weights: Preference) -> Array:
    tilt = np.arccos(np.clip(-T_world_tool[:, 2, 2], -1, 1))
    offset = np.linalg.norm((T_world_tool[:, :3, 3] - centre)[:, :2], axis=1)
    shallow = np.maximum(0.0, GOOD_DEPTH - depth)
    return np.asarray(weights.tilt * tilt + weights.off_centre * offset + weights.depth * shallow)


def _clears_palm(T_world_tool: Array, solids: list[Shape], T_world_body: Array, gripper: Gripper) -> Array:
    """Which tool poses (n,) have no corner or centre of the body inside the hand."""
    local = np.concatenate([np.vstack([s.corners(), s.T_body_shape[:3, 3]]) for s in solids])
    points = local @ T_world_body[:3, :3].T + T_world_body[:3, 3]
    R, p = T_world_tool[:, :3, :3], T_world_tool[:, :3, 3]
    seen = points @ R - p[:, None] @ R
    inside = (np.abs(seen[..., :2]) < gripper.palm[:2]).all(axis=-1) & (seen[..., 2] < gripper.underside)
    return np.asarray(~inside.any(axis=1))


def _between_pads(
    T_world_tool: Array, solids: list[Shape], T_world_body: Array, gripper: Gripper
) -> tuple[Array, Array, Array, Array]:
    """What lies between the open pads, by a grid of rays across each pad's face.

    Lowest and highest coordinate met along the closing axis (n,), the share of rays that meet something (n,),
    and the mean cosine (n,) between the closing axis and the faces that the pads would touch.
    """
    across = (-gripper.pad_half_width, 0.0, gripper.pad_half_width)
    grid = np.array([[0.0, y, z] for y in across for z in gripper.pad_heights])
    origins = grid @ T_world_tool[:, :3, :3].transpose(0, 2, 1) + T_world_tool[:, None, :3, 3]
    closing = T_world_tool[:, :3, 0]
    half = gripper.opening / 2
    low, high = np.full(origins.shape[:2], np.inf), np.full(origins.shape[:2], -np.inf)
    low_cosine, high_cosine = np.zeros(origins.shape[:2]), np.zeros(origins.shape[:2])
    for shape in solids:
        T = T_world_body @ shape.T_body_shape
        o = (origins - T[:3, 3]) @ T[:3, :3]
        d = (closing @ T[:3, :3])[:, None, :]
        near, far = _slabs(o, d, shape.half_extent)
        enter, leave = near.max(axis=2), far.min(axis=2)
        hit = (enter <= leave) & (leave > -half) & (enter < half)
        cosines = np.broadcast_to(np.abs(d), o.shape)
        at_enter = np.take_along_axis(cosines, near.argmax(axis=2)[..., None], axis=2)[..., 0]
        at_leave = np.take_along_axis(cosines, far.argmin(axis=2)[..., None], axis=2)[..., 0]
        lower, higher = hit & (enter < low), hit & (leave > high)
        low, low_cosine = np.where(lower, enter, low), np.where(lower, at_enter, low_cosine)
        high, high_cosine = np.where(higher, leave, high), np.where(higher, at_leave, high_cosine)
    met = np.isfinite(low)
    cosine = np.where(met, np.minimum(low_cosine, high_cosine), 0.0).sum(axis=1) / np.maximum(met.sum(axis=1), 1)
    return low.min(axis=1), high.max(axis=1), met.mean(axis=1), cosine


def _slabs(o: Array, d: Array, half_extent: Array) -> tuple[Array, Array]:
    """Where rays (n, r, 3) from `o` along `d` enter and leave each of a box's three slabs."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        a, b = (-half_extent - o) / d, (half_extent - o) / d
    parallel, within = np.abs(d) < 1e-9, np.abs(o) <= half_extent
    near = np.where(parallel, np.where(within, -np.inf, np.inf), np.minimum(a, b))
    far = np.where(parallel, np.where(within, np.inf, -np.inf), np.maximum(a, b))
    return near, far
