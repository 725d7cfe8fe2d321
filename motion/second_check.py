"""An independent look at a whole motion in PyBullet, which shares no kinematics and no collision code with MuJoCo.

What both share is the robot's model with its shapes. Their distances differ by up to a millimetre; to a mesh, whose
hull PyBullet makes a millimetre thicker, by up to two.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import mujoco
import numpy as np

from motion.bullet import WORLD, Bullet, written
from motion.poses import Array, from_quat, pose, to_quat
from motion.robot import RobotDescription
from motion.robot_parts import RigidPart, joints_above, parts_in
from motion.shapes import Body, Shape

STEP = 0.01
"""Metres at most that any part of the robot moves between two configurations that are looked at."""
FAR = 0.1
"""Metres beyond which nothing is looked for."""
SLAB = 10.0
"""Half the width in metres of the box that stands for a plane."""


@dataclass(frozen=True, order=True)
class Nearest:
    """The nearest that `link` came to `other`, a body or another link: metres, negative inside, and when (s). What is
    held counts as a link of the robot, under its own name."""

    distance: float
    time: float
    link: str
    other: str


@dataclass(frozen=True)
class ClearanceReport:
    """The nearest that the robot came to the bodies and to itself; None where nothing was within the distance that was
    looked at."""

    bodies: Nearest | None
    itself: Nearest | None

    def touches(self, clearance: float = 0.0) -> Nearest | None:
        """What was nearer than `clearance` metres to the robot, or the robot that touched itself; the worse of both."""
        near = [n for n, limit in ((self.bodies, clearance), (self.itself, 0.0)) if n and n.distance - limit < 0]
        return min(near, key=lambda n: n.distance, default=None)


@dataclass(frozen=True, eq=False)
class Held:
    """A body that goes with the tool, at `T_tool_held` (4, 4), wherever it says that it is itself."""

    body: Body
    T_tool_held: Array


def nearest(
    robot: RobotDescription,
    bodies: Iterable[Body],
    q: Array,
    times: Array,
    opening: float | None = None,
    held: Held | None = None,
    far: float = FAR,
    meant: frozenset[str] = frozenset(),
) -> ClearanceReport:
    """How near the robot comes to the bodies and to itself, on a motion of samples `q` (k, n) at `times` (k,) seconds,
    its fingers `opening` metres apart, or as far as they go.

    Between samples the joints are taken to move evenly, and nothing of the robot moves more than `STEP` unseen: the
    true distance is at most half of that less. Which of the robot's parts must keep apart its model says; what it says
    never moves is left out against the bodies, on which it may stand. What is held is no obstacle, and may touch the
    robot; nor do the hand and what it holds keep from the bodies `meant` to be touched. Raises ValueError for samples
    that are not finite or not as many as the times.
    """
    with second_engine(robot, bodies, opening, held) as engine:
        return engine.nearest(q, times, far, meant)


@contextmanager
def second_engine(
    robot: RobotDescription, bodies: Iterable[Body], opening: float | None = None, held: Held | None = None
) -> Iterator[SecondEngine]:
    """The robot among the bodies as PyBullet has them, for many motions; as `nearest` takes them."""
    bullet = Bullet()
    try:
        yield SecondEngine(bullet, robot, bodies, opening, held)
    finally:
        bullet.close()


class SecondEngine:
    """The robot and the bodies in one PyBullet client."""

    def __init__(
        self, bullet: Bullet, robot: RobotDescription, bodies: Iterable[Body], opening: float | None, held: Held | None
    ) -> None:
        m = mujoco.MjModel.from_xml_string(robot.mjcf)
        parts = parts_in(m)
        solids = {solid: part for part in parts for solid in part.solids}
        ends = zip(m.pair_geom1.tolist(), m.pair_geom2.tolist(), strict=True)
        pairs = {frozenset((m.geom(a).name, m.geom(b).name)) for a, b in ends}
        paired = {solid for pair in pairs for solid in pair}
        moving = {solid for solid, part in solids.items() if part.name not in robot.pinned_bodies}
        carried = [] if held is None else _carried(m, robot, held)
        links = [WORLD, *_with_links_of_their_own(parts, moving | paired), *carried]
        self.bullet = bullet
        self.robot = bullet.load(lambda folder: written("robot", links, folder), np.eye(4), True)
        infos = [bullet.getJointInfo(self.robot, i) for i in range(bullet.getNumJoints(self.robot))]
        joints, numbers = ({info[at].decode(): i for i, info in enumerate(infos)} for at in (1, 12))
        self.joints = [joints[name] for name in robot.arm_joints]
        of_solids = {solid: numbers[_link_of(solid)] for solid in moving | paired}
        of_held = [numbers[part.name] for part in carried]
        self.links = {n: solids[solid].name for solid, n in of_solids.items()}
        self.links |= {n: held.body.name for n in of_held if held is not None}
        self.moving = {*(of_solids[solid] for solid in moving), *of_held}
        self.pairs = {frozenset(of_solids[solid] for solid in pair) for pair in pairs}
        for name in robot.finger_joints:
            side = math.copysign(0.5, float(m.joint(name).range.sum()))
            apart = robot.gripper.opening if opening is None else opening
            bullet.resetJointState(self.robot, joints[name], side * apart)
        by_name, last = {part.name: part for part in parts}, robot.arm_joints[-1]
        hand = {
            p.name for p in parts if last in joints_above(by_name, p.name) and not (p.joint and p.joint.name == last)
        }
        hand |= {held.body.name} if held is not None else set()
        self.hand = {i for i in self.moving if self.links[i] in hand}
        others = [b for b in bodies if held is None or b.name != held.body.name]
        placed = [(s, b.T_world_body @ s.T_body_shape, b.name) for b in others for s in b.shapes]
        self.bodies = [(self._add(shape, T), name) for shape, T, name in placed]
        boxes = [bullet.getAABB(number) for number, _ in self.bodies]
        self._low, self._high = (np.array([b[side] for b in boxes]).reshape(-1, 3) for side in (0, 1))
        self._reach = _reach(parts, robot, carried)

    def _add(self, shape: Shape, T: Array) -> int:
        p, size = self.bullet, [float(v) for v in shape.size]
        match shape.kind:
            case "box":
                options = {"shapeType": p.GEOM_BOX, "halfExtents": size}
            case "sphere":
                options = {"shapeType": p.GEOM_SPHERE, "radius": size[0]}
            case "cylinder":
                options = {"shapeType": p.GEOM_CYLINDER, "radius": size[0], "height": 2 * size[1]}
            case "capsule":
                options = {"shapeType": p.GEOM_CAPSULE, "radius": size[0], "height": 2 * size[1]}
            case "plane":
                options = {"shapeType": p.GEOM_BOX, "halfExtents": [SLAB, SLAB, 1.0]}
                T = T @ pose([0.0, 0.0, -1.0])
        made = p.createCollisionShape(**options)
        w, x, y, z = to_quat(T[:3, :3])
        place = {"basePosition": T[:3, 3].tolist(), "baseOrientation": [x, y, z, w]}
        return int(p.createMultiBody(0, made, **place))

    def nearest(self, q: Array, times: Array, far: float = FAR, meant: frozenset[str] = frozenset()) -> ClearanceReport:
        """How near the robot comes to the bodies and to itself, as `nearest` has it."""
        q, times = np.atleast_2d(np.asarray(q, dtype=float)), np.atleast_1d(np.asarray(times, dtype=float))
        n = len(self.joints)
        if q.shape != (len(times), n) or not (np.isfinite(q).all() and np.isfinite(times).all()):
            raise ValueError(f"a motion of {n} joints is finite samples (k, {n}) and k times, not {q.shape}")
        report = ClearanceReport(None, None)
        for time, configuration in self._densified(q, times):
            self.move(configuration)
            now = self.to_bodies(far, meant, time), self.to_itself(far, time)
            pairs = zip((report.bodies, report.itself), now, strict=True)
            report = ClearanceReport(*(min(filter(None, pair), default=None) for pair in pairs))
        return report

    def _densified(self, q: Array, times: Array) -> Iterator[tuple[float, Array]]:
        """The motion in steps in which no part of the robot moves more than `STEP`."""
        yield float(times[0]), q[0]
        for (t, a), (u, b) in itertools.pairwise(zip(times, q, strict=True)):
            steps = max(1, math.ceil(float(np.abs(b - a) @ self._reach) / STEP))
            for s in np.linspace(0, 1, steps + 1)[1:]:
                yield float(t + s * (u - t)), a + s * (b - a)

    def move(self, q: Array) -> None:
        """Put the arm at a configuration (n,)."""
        self.bullet.resetJointStatesMultiDof(self.robot, self.joints, q[:, None].tolist())

    def to_bodies(self, far: float, meant: frozenset[str] = frozenset(), time: float = 0.0) -> Nearest | None:
        """The nearest body within `far` metres; the hand and what it holds may be near those that are `meant`."""
        found = [
            Nearest(point[8], time, self.links[point[3]], name)
            for body, name in self._around(far)
            for point in self._points(body, far)
            if point[3] in self.moving and not (name in meant and point[3] in self.hand)
        ]
        return min(found, default=None)

    def _around(self, far: float) -> Iterator[tuple[int, str]]:
        """The bodies that the box around some moving part comes within `far` metres of: looking at all of them takes
        five times as long."""
        boxes = np.array([self.bullet.getAABB(self.robot, i) for i in self.moving]).reshape(-1, 2, 3)
        apart = np.maximum(self._low - boxes[:, 1, None], boxes[:, 0, None] - self._high).max(axis=2)
        return (self.bodies[n] for n in np.flatnonzero((apart < far).any(axis=0)))

    def to_itself(self, far: float, time: float = 0.0) -> Nearest | None:
        """The nearest pair of the robot's own parts within `far` metres."""
        if not self.pairs:
            return None
        found = [
            Nearest(point[8], time, self.links[point[3]], self.links[point[4]])
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


def _with_links_of_their_own(parts: Iterable[RigidPart], solids: set[str]) -> Iterator[RigidPart]:
    """The parts without what they consist of, and each of some solids as a part of its own, fixed to its link."""
    for part in parts:
        yield replace(part, solids={})
        for name, solid in part.solids.items():
            if name in solids:
                yield RigidPart(_link_of(name), part.name, np.eye(4), solids={name: solid})


def _link_of(solid: str) -> str:
    """What the link of a solid is called; a robot's link may have the solid's own name."""
    return f"solid {solid}"


def _carried(m: mujoco.MjModel, robot: RobotDescription, held: Held) -> list[RigidPart]:
    """What is held as parts, one a shape, fixed to the link that has the tool."""
    site = m.site(robot.tool_site)
    T_link_held = from_quat(site.pos, site.quat) @ held.T_tool_held
    parent, name = m.body(int(m.site_bodyid[site.id])).name, held.body.name
    shapes = {f"{name}/held/{i}": shape for i, shape in enumerate(held.body.shapes)}
    return [RigidPart(link, parent, T_link_held, solids={link: shape}) for link, shape in shapes.items()]


def _reach(parts: Iterable[RigidPart], robot: RobotDescription, carried: Iterable[RigidPart]) -> Array:
    """For each joint of the arm, metres (n,) that no part which it moves is further from its axis, however the joints
    after it stand: as far as what follows is long."""
    far: dict[str, float] = {}  # from a part's origin, of what is on it
    for part in reversed([*parts, *carried]):  # children come after their parents
        own = float(np.linalg.norm(part.corners(), axis=1).max(initial=0.0))
        far[part.name] = max(own, far.get(part.name, 0.0))
        slides = part.joint.limits if part.joint is not None and part.joint.kind == "slide" else None
        beyond = far[part.name] + float(np.linalg.norm(part.T_parent_part[:3, 3])) + max(map(abs, slides or (0.0,)))
        if part.parent is not None:
            far[part.parent] = max(far.get(part.parent, 0.0), beyond)
    links = {part.joint.name: part.name for part in parts if part.joint is not None}
    return np.array([far[links[name]] for name in robot.arm_joints])
