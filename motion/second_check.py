"""An independent look at a whole motion in PyBullet, which shares no kinematics and no collision code with MuJoCo.

What both share is the arm's table and capsules. Their distances differ by up to a millimetre.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from motion.arm_model import urdf
from motion.arm_shape import Tool, capsules, watched
from motion.arms import Arm
from motion.bullet import Bullet
from motion.poses import Array, pose, to_quat
from motion.shapes import Body, Shape

STEP = 0.01
"""Metres at most that any part of the arm moves between two configurations that are looked at."""
FAR = 0.1
"""Metres beyond which nothing is looked for."""
SLAB = 10.0
"""Half the width in metres of the box that stands for a plane."""


@dataclass(frozen=True)
class Nearest:
    """The nearest that `link` came to `other`, a body or another link: metres, negative inside, and when (s)."""

    distance: float
    time: float
    link: str
    other: str


@dataclass(frozen=True)
class Report:
    """The nearest that the arm came to the bodies and to itself; None where nothing was within the distance that was
    looked at. `looked` configurations were."""

    bodies: Nearest | None
    itself: Nearest | None
    looked: int

    def touches(self, clearance: float = 0.0) -> Nearest | None:
        """What was nearer than `clearance` metres to the arm, or the arm that touched itself; the worse of both."""
        near = [n for n, limit in ((self.bodies, clearance), (self.itself, 0.0)) if n and n.distance - limit < 0]
        return min(near, key=lambda n: n.distance, default=None)


def nearest(
    arm: Arm, bodies: Iterable[Body], q: Array, times: Array, tool: Tool | None = None, far: float = FAR
) -> Report:
    """How near the arm comes to the bodies and to itself, on a motion of samples `q` (k, n) at `times` (k,) seconds.

    Between samples the joints are taken to move evenly, and nothing of the arm moves more than `STEP` unseen: the
    true distance is at most half of that less. Neighbouring parts of the arm are left out, and the base against the
    bodies, on which it may stand. Raises ValueError for samples that are not finite or not as many as the times.
    """
    q, times = np.atleast_2d(np.asarray(q, dtype=float)), np.atleast_1d(np.asarray(times, dtype=float))
    if q.shape != (len(times), arm.joints) or not (np.isfinite(q).all() and np.isfinite(times).all()):
        raise ValueError(f"a motion of {arm.name} is finite samples (k, {arm.joints}) and k times, not {q.shape}")
    with _scene(arm, tool, bodies) as scene:
        outside: Nearest | None = None
        inside: Nearest | None = None
        looked = 0
        for time, configuration in _densified(arm, tool, q, times):
            scene.move(configuration)
            outside = _nearer(outside, scene.to_bodies(far), time)
            inside = _nearer(inside, scene.to_itself(far), time)
            looked += 1
    return Report(outside, inside, looked)


Found = tuple[float, str, str]
"""Distance in metres, the arm's part and what it is near."""


def _nearer(best: Nearest | None, found: Found | None, time: float) -> Nearest | None:
    if found is None or (best is not None and best.distance <= found[0]):
        return best
    distance, part, other = found
    return Nearest(distance, time, part.partition(".")[0], other.partition(".")[0])


def _densified(arm: Arm, tool: Tool | None, q: Array, times: Array) -> Iterator[tuple[float, Array]]:
    """The motion in steps in which no part of the arm moves more than `STEP`."""
    lengths = np.abs(arm.d) + np.abs(arm.a)
    lengths[-1] += 0.0 if tool is None else float(np.linalg.norm(tool.shape.corners(), axis=1).max())
    reach = np.cumsum(lengths[::-1])[::-1]  # no part is further from a joint's axis than what follows is long
    reach += max(c.radius for c in capsules(arm))
    yield float(times[0]), q[0]
    for (t, a), (u, b) in itertools.pairwise(zip(times, q, strict=True)):
        steps = max(1, math.ceil(float(np.abs(b - a) @ reach) / STEP))
        for s in np.linspace(0, 1, steps + 1)[1:]:
            yield float(t + s * (u - t)), a + s * (b - a)


class _Scene:
    """The arm and the bodies in one PyBullet client."""

    def __init__(self, bullet: Bullet, arm: Arm, tool: Tool | None, bodies: Iterable[Body]) -> None:
        self.bullet = bullet
        flags = bullet.URDF_USE_SELF_COLLISION | bullet.URDF_USE_SELF_COLLISION_INCLUDE_PARENT
        self.robot = bullet.load(lambda folder: urdf(arm, tool), np.eye(4), True, flags)
        infos = [bullet.getJointInfo(self.robot, i) for i in range(bullet.getNumJoints(self.robot))]
        self.joints = [i for i, info in enumerate(infos) if info[2] == bullet.JOINT_REVOLUTE]
        self.parts = {i: info[12].decode() for i, info in enumerate(infos)}
        fixed = {c.name for c in capsules(arm) if c.link == 0}
        self.moving = {i for i, name in self.parts.items() if name not in fixed}
        numbers = {name: i for i, name in self.parts.items()}
        self.pairs = {frozenset((numbers[a], numbers[b])) for a, b in watched(arm, tool)}
        self.bodies = [(self._add(s, b.T_world_body @ s.T_body_shape), b.name) for b in bodies for s in b.shapes]

    def _add(self, shape: Shape, T: Array) -> int:
        p, size = self.bullet, [float(v) for v in shape.size]
        match shape.kind:
            case "box":
                asked = {"shapeType": p.GEOM_BOX, "halfExtents": size}
            case "sphere":
                asked = {"shapeType": p.GEOM_SPHERE, "radius": size[0]}
            case "cylinder":
                asked = {"shapeType": p.GEOM_CYLINDER, "radius": size[0], "height": 2 * size[1]}
            case "capsule":
                asked = {"shapeType": p.GEOM_CAPSULE, "radius": size[0], "height": 2 * size[1]}
            case "plane":
                asked = {"shapeType": p.GEOM_BOX, "halfExtents": [SLAB, SLAB, 1.0]}
                T = T @ pose([0.0, 0.0, -1.0])
        made = p.createCollisionShape(**asked)
        w, x, y, z = to_quat(T[:3, :3])
        place = {"basePosition": T[:3, 3].tolist(), "baseOrientation": [x, y, z, w]}
        return int(p.createMultiBody(0, made, **place))

    def move(self, q: Array) -> None:
        """Put the arm at a configuration (n,)."""
        for joint, value in zip(self.joints, q.tolist(), strict=True):
            self.bullet.resetJointState(self.robot, joint, value)

    def to_bodies(self, far: float) -> Found | None:
        """The nearest body within `far` metres."""
        found = [
            (point[8], self.parts[point[3]], name)
            for body, name in self.bodies
            for point in self._points(body, far)
            if point[3] in self.moving
        ]
        return min(found, default=None)

    def to_itself(self, far: float) -> Found | None:
        """The nearest pair of the arm's own parts within `far` metres."""
        found = [
            (point[8], self.parts[point[3]], self.parts[point[4]])
            for point in self._points(self.robot, far)
            if frozenset((point[3], point[4])) in self.pairs
        ]
        return min(found, default=None)

    def _points(self, body: int, far: float) -> Sequence[Any]:
        # None, rather than nothing, is what it returns when something went wrong: then no answer is better than "free"
        points = self.bullet.getClosestPoints(self.robot, body, far)
        if points is None:
            raise RuntimeError("PyBullet gave no answer")
        return points  # type: ignore[no-any-return]


@contextmanager
def _scene(arm: Arm, tool: Tool | None, bodies: Iterable[Body]) -> Iterator[_Scene]:
    bullet = Bullet()
    try:
        yield _Scene(bullet, arm, tool, bodies)
    finally:
        bullet.close()
