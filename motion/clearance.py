"""How far apart two robots are, and what they hold: every solid as capsules around it, so that no distance is said to
be larger than it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np

from motion.poses import Array, pose
from motion.robot import RobotDescription
from motion.shapes import Shape, bounds
from motion.urdf import collides

STRIPS = 3
"""Most capsules around one box."""
NOTHING = -10.0
"""Radius (m) of a capsule that stands for nothing: far from everything."""
AT_ONCE = 4096
"""Pairs of capsules that are looked at in one go."""
TINY = 1e-12
"""Squared metres of a segment that counts as a point."""


@dataclass(frozen=True, eq=False)
class Held:
    """Capsules around what is held, in the tool's frame: ends (k, 2, 3) of their axes and radii (k,), metres."""

    ends: Array
    radii: Array


def held(shapes: tuple[Shape, ...], T_tool_body: Array) -> Held:
    """Capsules around a body of these shapes, where it is in the tool's frame (4, 4)."""
    ends, radii = _around(*bounds(shapes, np.eye(4)))
    return Held(ends @ T_tool_body[:3, :3].T + T_tool_body[:3, 3], radii)


class Clearance:
    """Distances between two robots, as `one` and `other` are numbered: 0 and 1."""

    def __init__(self, one: RobotDescription, other: RobotDescription) -> None:
        self._solids = _Solids(one), _Solids(other)

    def swept(self, number: int, q: Array, held: Sequence[Held | None] | None = None) -> Array:
        """The capsules (k, m, 7) of a robot at configurations (k, n), with what it holds at each: ends and radius, in
        the world."""
        return self._solids[number].swept(q, [None] * len(q) if held is None else held)

    def of(self, q_one: Array, q_other: Array, held: tuple[Held | None, Held | None] = (None, None)) -> float:
        """Metres between the robots at two configurations (n,); zero or less where they may overlap."""
        one, other = (self.swept(i, np.array([q]), [held[i]])[0] for i, q in enumerate((q_one, q_other)))
        return float(distances(one, other).min())

    def of_bases(self) -> float:
        """Metres between what of them never moves."""
        one, other = (s.swept(s.robot.posture[None], [None])[0][s.fixed] for s in self._solids)
        return float(distances(one, other).min(initial=np.inf))


def near(one: Array, other: Array, limit: float) -> bool:
    """Whether two sweeps (k, m, 7) and (l, n, 7) come nearer to each other than `limit` metres, at whatever times."""
    a, b = one.reshape(-1, 7), other.reshape(-1, 7)
    a, b = a[a[:, 6] > NOTHING], b[b[:, 6] > NOTHING]
    (p, reach_a), (r, reach_b) = _balls(a), _balls(b)
    room = limit + reach_a[:, None] + reach_b[None]
    squared = (p * p).sum(1)[:, None] + (r * r).sum(1)[None] - 2.0 * p @ r.T
    i, j = np.nonzero((room > 0.0) & (squared < room * room))
    return any(
        float(_gaps(a[i[n : n + AT_ONCE]], b[j[n : n + AT_ONCE]]).min()) < limit for n in range(0, len(i), AT_ONCE)
    )


def distances(one: Array, other: Array) -> Array:
    """Metres (k, l) between capsules (k, 7) and (l, 7)."""
    return _gaps(one[:, None], other[None])


def _gaps(one: Array, other: Array) -> Array:
    """Metres between capsules, pair by pair: of the segments, less the radii (Ericson, Real-Time Collision Detection,
    5.1.9)."""
    p, r = one[..., :3], other[..., :3]
    d1, d2 = one[..., 3:6] - p, other[..., 3:6] - r
    between = p - r
    a, e, b = (d1 * d1).sum(-1), (d2 * d2).sum(-1), (d1 * d2).sum(-1)
    c, f = (d1 * between).sum(-1), (d2 * between).sum(-1)
    area, long_1, long_2 = a * e - b * b, np.maximum(a, TINY), np.maximum(e, TINY)
    s = np.where(area > TINY, np.clip((b * f - c * e) / np.maximum(area, TINY), 0.0, 1.0), 0.0)
    t = np.clip((b * s + f) / long_2, 0.0, 1.0)
    s = np.clip((b * t - c) / long_1, 0.0, 1.0)
    gap = between + s[..., None] * d1 - t[..., None] * d2
    return np.asarray(np.linalg.norm(gap, axis=-1) - one[..., 6] - other[..., 6])


def _balls(capsules: Array) -> tuple[Array, Array]:
    """Middles (k, 3) and radii (k,) of the balls around capsules (k, 7)."""
    one, other = capsules[:, :3], capsules[:, 3:6]
    return 0.5 * (one + other), 0.5 * np.linalg.norm(other - one, axis=1) + capsules[:, 6]


def _around(low: Array, high: Array) -> tuple[Array, Array]:
    """The ends (k, 2, 3) and radii (k,) of capsules side by side around a box between two corners, along its longest
    side: a flat box takes several."""
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    thin, wide, longest = np.argsort(half, kind="stable")
    count = int(np.clip(round(half[wide] / max(half[thin], 1e-3)), 1, STRIPS))
    along, across = half[longest] * np.eye(3)[longest], half[wide] * np.eye(3)[wide]
    places = middle + np.array([across * ((2 * n + 1) / count - 1.0) for n in range(count)])
    radius = float(np.hypot(half[wide] / count, half[thin]))
    return np.stack([places - along, places + along], axis=1), np.full(count, radius)


class _Solids:
    """What collides of a robot, as capsules on its links, and its tool."""

    def __init__(self, robot: RobotDescription) -> None:
        self.robot, self._m = robot, mujoco.MjModel.from_xml_string(robot.mjcf)
        self._d, m = mujoco.MjData(self._m), self._m
        self._qpos = np.array([m.joint(name).qposadr[0] for name in robot.arm_joints])
        self._fingers = [(m.joint(n).qposadr[0], np.sign(m.joint(n).range.sum())) for n in robot.finger_joints]
        self._site = m.site(robot.tool_site).id
        geoms = [g for g in range(m.ngeom) if collides(m, g)]
        found = [_solid(m, g) for g in geoms]
        self._ends, self._radii = (np.concatenate(parts) for parts in zip(*found, strict=True))
        self._geoms = np.repeat(geoms, [len(radii) for _, radii in found])
        self.fixed = np.array([*(m.body_weldid[m.geom_bodyid[self._geoms]] == 0), *([False] * STRIPS)])

    def swept(self, q: Array, held: Sequence[Held | None]) -> Array:
        """The capsules (k, m, 7) at configurations (k, n), the last ones of what is held."""
        out = np.empty((len(q), len(self._geoms) + STRIPS, 7))
        for at, sign in self._fingers:
            self._d.qpos[at] = sign * self.robot.gripper.opening / 2
        for row, one, thing in zip(out, q, held, strict=True):
            self._d.qpos[self._qpos] = one
            mujoco.mj_kinematics(self._m, self._d)
            R = self._d.geom_xmat[self._geoms].reshape(-1, 1, 3, 3)
            ends = (R @ self._ends[..., None])[..., 0] + self._d.geom_xpos[self._geoms][:, None]
            row[:-STRIPS, :6], row[:-STRIPS, 6] = ends.reshape(-1, 6), self._radii
            row[-STRIPS:] = self._carried(thing)
        return out

    def _carried(self, thing: Held | None) -> Array:
        T = pose(self._d.site_xpos[self._site], self._d.site_xmat[self._site].reshape(3, 3))
        rows = np.tile([*T[:3, 3], *T[:3, 3], NOTHING], (STRIPS, 1))
        if thing is not None:
            count = len(thing.radii)
            rows[:count, :6] = (thing.ends @ T[:3, :3].T + T[:3, 3]).reshape(-1, 6)
            rows[:count, 6] = thing.radii
        return rows


def _solid(m: mujoco.MjModel, geom: int) -> tuple[Array, Array]:
    """The ends (k, 2, 3) and radii (k,) of capsules around a geom, in its own frame."""
    if m.geom_type[geom] == mujoco.mjtGeom.mjGEOM_CAPSULE:
        radius, half = m.geom_size[geom, :2]
        return np.array([[[0.0, 0.0, -half], [0.0, 0.0, half]]]), np.array([radius])
    middle, half_extent = m.geom_aabb[geom, :3], m.geom_aabb[geom, 3:]
    return _around(middle - half_extent, middle + half_extent)
