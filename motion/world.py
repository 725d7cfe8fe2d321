"""A kinematic copy of the scene: a robot and rigid bodies, with collision and distance but no dynamics.

The copy is a MuJoCo model compiled from the robot's MJCF and the bodies' convex shapes. Bodies are put where
they should be (each has a free joint, since MuJoCo never collides two fixed ones, apart from what holds a
plane); nothing ever steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TypeVar

import mujoco
import numpy as np

from motion.poses import Array, Numbers, pose, to_quat
from motion.robot import RobotDescription
from motion.shapes import Body

T = TypeVar("T")

ROBOT_TYPE = 1
SCENE_TYPE = 2
DETECTION_MARGIN = 0.02
"""Metres within which a pair counts as a contact at all; clearances up to this can be asked for."""
LOOKS = 16
"""Units of effort between two looks at whether work is over its limit."""
INSIDE = 0.03
"""Metres from a camera on the robot within which what is hit is its own mount."""

_GEOMS = {
    "box": mujoco.mjtGeom.mjGEOM_BOX,
    "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER,
    "sphere": mujoco.mjtGeom.mjGEOM_SPHERE,
    "capsule": mujoco.mjtGeom.mjGEOM_CAPSULE,
    "plane": mujoco.mjtGeom.mjGEOM_PLANE,
}


@dataclass(frozen=True, eq=False)
class State:
    """A configuration of the whole world: arm `q` (n,), finger opening, body poses, and what is held."""

    q: Array
    opening: float
    poses: dict[str, Array]
    held: str | None = None
    T_tool_held: Array | None = None

    def moved(self, name: str, T_world_body: Array) -> State:
        """The same state with one body elsewhere."""
        return replace(self, poses={**self.poses, name: T_world_body})


class OutOfBudget(Exception):
    """What computes with a world has used up what the world is `limited` to."""


@dataclass(frozen=True)
class Contact:
    """Two bodies closer than asked for; `robot` is a robot body or the held body, and so may `other` be when the
    robot touches itself. Distance in metres."""

    robot: str
    other: str
    distance: float


class World:
    """Kinematics, collision and distance for one robot among bodies.

    `effort` counts the Jacobians and the looks for contact so far: a measure of work that is the same on any machine.
    """

    def __init__(self, robot: RobotDescription, bodies: Iterable[Body]) -> None:
        self.robot = robot
        self.effort = 0
        self._over: Callable[[], bool] | None = None
        self._build({b.name: b for b in bodies})

    @contextmanager
    def limited(self, over: Callable[[], bool]) -> Iterator[None]:
        """Within this context work raises OutOfBudget once it is `over`."""
        before, self._over = self._over, over
        try:
            yield
        finally:
            self._over = before

    def spend(self, effort: int = 1) -> None:
        """Count work; raises OutOfBudget where the world is limited and that is over."""
        self.effort += effort
        if self._over is not None and self.effort % LOOKS < effort and self._over():
            raise OutOfBudget

    def sync(self, bodies: Iterable[Body]) -> None:
        """Have these bodies and no others; compiled anew only where one is new, gone, or of another shape."""
        wanted = {b.name: b for b in bodies}
        if wanted.keys() != self.bodies.keys() or not all(b.same_shapes(self.bodies[n]) for n, b in wanted.items()):
            self._build(wanted)

    def _build(self, bodies: dict[str, Body]) -> None:
        robot, self.bodies = self.robot, bodies
        self.model = _compile(robot, bodies.values())
        self.data = mujoco.MjData(self.model)
        m = self.model
        joints = [m.joint(name) for name in robot.arm_joints]
        self._qpos = np.array([j.qposadr[0] for j in joints])
        self._dofs = np.array([j.dofadr[0] for j in joints])
        self.limits = np.array([j.range for j in joints])
        self._fingers = [(m.joint(n).qposadr[0], np.sign(m.joint(n).range.sum())) for n in robot.finger_joints]
        self._site = m.site(robot.tool_site).id
        free = [b for b in self.bodies.values() if not b.is_ground]
        self._poses = {b.name: int(m.joint(f"{b.name}/free").qposadr[0]) for b in free}
        self._placed: dict[str, Array] = {}
        self._names = [m.body(int(b)).name for b in m.geom_bodyid]
        self._geoms = {name: np.flatnonzero(m.geom_bodyid == m.body(name).id) for name in self.bodies}
        self._boxes = (m.geom_type == mujoco.mjtGeom.mjGEOM_BOX).tolist()
        self._jacobian, self._inertia = np.zeros((6, m.nv)), np.zeros((m.nv, m.nv))
        self.state = State(robot.posture, robot.gripper.opening, {b.name: b.T_world_body for b in self.bodies.values()})
        self.load(self.state)

    def base_position(self) -> Array:
        """Where the arm's first joint is (3,), metres, world frame."""
        return np.array(self.data.xanchor[self.model.joint(self.robot.arm_joints[0]).id])

    def shoulder(self) -> Array:
        """`T_world_shoulder` (4, 4): the frame of the arm's first joint, as it is at zero."""
        joint = self.model.joint(self.robot.arm_joints[0])
        self.forward(np.zeros(len(self.robot.arm_joints)))
        T = pose(self.data.xanchor[joint.id], self.data.xmat[joint.bodyid[0]].reshape(3, 3))
        self.forward(self.state.q)
        return T

    def load(self, state: State) -> None:
        """Put every body where `state` has it, and the arm at its configuration. Bodies that it does not name stay
        where they are. ValueError for one that the world does not have: `sync` first."""
        if unknown := sorted(state.poses.keys() - self.bodies.keys()):
            raise ValueError(f"no such body: {', '.join(unknown)}; the world has {', '.join(sorted(self.bodies))}")
        for name, T in state.poses.items():
            if self._placed.get(name) is not T:
                self._place(name, T)
        if self.state.held != state.held:
            if self.state.held is not None:
                self._set_type(self.state.held, SCENE_TYPE)
            if state.held is not None:
                self._set_type(state.held, ROBOT_TYPE)
        self.state = state
        self.set_opening(state.opening)
        self.forward(state.q)

    def set_opening(self, opening: float) -> None:
        """Open the fingers to `opening` metres between the pads."""
        for address, sign in self._fingers:
            self.data.qpos[address] = sign * opening / 2

    def forward(self, q: Array) -> Array:
        """Tool pose `T_world_tool` (4, 4) at configuration `q`; a held body follows the tool."""
        self.data.qpos[self._qpos] = q
        mujoco.mj_kinematics(self.model, self.data)
        T_world_tool = self._tool_pose()
        if self.state.held is not None and self.state.T_tool_held is not None:
            self._place(self.state.held, T_world_tool @ self.state.T_tool_held)
            mujoco.mj_kinematics(self.model, self.data)
        return T_world_tool

    def jacobian(self, q: Array) -> tuple[Array, Array]:
        """Tool pose (4, 4) and geometric Jacobian (6, n) [linear; angular], world axes, at the tool point."""
        self.spend()
        self.data.qpos[self._qpos] = q
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)
        T = self._tool_pose()
        body = int(self.model.site_bodyid[self._site])
        J = self._jacobian
        mujoco.mj_jac(self.model, self.data, J[:3], J[3:], T[:3, 3], body)
        return T, J[:, self._dofs]

    def inertia(self, q: Array) -> Array:
        """Joint-space inertia (n, n) of the arm at configuration `q`, the motors' included, kg m²."""
        self.data.qpos[self._qpos] = q
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)
        mujoco.mj_crb(self.model, self.data)
        mujoco.mj_fullM(self.model, self._inertia, self.data.qM)
        return np.asarray(self._inertia[self._dofs[:, None], self._dofs])

    def contacts(
        self,
        q: Array,
        clearance: float = 0.0,
        ignore: frozenset[str] = frozenset(),
        held_clearance: float | None = None,
        held_ignore: frozenset[str] = frozenset(),
    ) -> list[Contact]:
        """Pairs (robot or held body, other body) nearer than `clearance` metres, touching ones included.

        Bodies named in `ignore` are left out, for the held body also those in `held_ignore`; the held body
        has a clearance of its own when one is given. Negative clearances let shallow penetrations pass. Two
        parts of the robot count when they touch: the clearance is for what is seen, not for what is known.
        """
        self.forward(q)
        limit = clearance if held_clearance is None else held_clearance
        return [
            c
            for c in self._near_pairs(max(clearance, limit))
            if c.other not in ignore
            and (
                c.distance < limit and c.other not in held_ignore
                if c.robot == self.state.held
                else c.distance < (clearance if c.other in self.bodies else min(clearance, 0.0))
            )
        ]

    def body_contacts(self, name: str, T_world_body: Array, clearance: float = 0.0) -> list[Contact]:
        """Other bodies nearer than `clearance` to body `name` if it were at `T_world_body`; the robot is left out."""
        return self._as_if(name, T_world_body, lambda: self._near_pairs(clearance, name))

    def _as_if(self, name: str, T_world_body: Array, look: Callable[[], T]) -> T:
        """What `look` sees while a body is somewhere else."""
        before = self._placed[name]
        self._place(name, T_world_body)
        self._set_type(name, ROBOT_TYPE)
        mujoco.mj_kinematics(self.model, self.data)
        try:
            return look()
        finally:
            self._set_type(name, ROBOT_TYPE if self.state.held == name else SCENE_TYPE)
            self._place(name, before)
            mujoco.mj_kinematics(self.model, self.data)

    def _gap(self, name: str, limit: float, ignore: frozenset[str]) -> float:
        self._collide()
        con, n = self.data.contact, self.data.ncon
        distances, body = con.dist[:n], self.model.body(name).id
        best, seen = limit, set()
        for i in np.argsort(distances, kind="stable").tolist():
            distance = float(distances[i])
            if distance >= best or best < 0:  # boxes may be further apart than reported, but never nearer
                break
            g1, g2 = con.geom[i].tolist()
            mine, other = (g1, g2) if self.model.geom_bodyid[g1] == body else (g2, g1)
            if self.model.geom_bodyid[mine] == body and (mine, other) not in seen and self._names[other] not in ignore:
                seen.add((mine, other))
                best = min(best, self._checked(mine, other, distance, best))
        return best

    def _points(self, name: str, clearance: float) -> Array:
        self._collide()
        con, n = self.data.contact, self.data.ncon
        ours = (self.model.geom_bodyid[con.geom[:n]] == self.model.body(name).id).any(axis=1)
        near = np.flatnonzero(ours & (con.dist[:n] < clearance))
        return np.array([con.pos[i] for i in near if self._is_on(con.pos[i], con.geom[i], clearance)]).reshape(-1, 3)

    def _is_on(self, p_world: Array, geoms: Iterable[int], clearance: float) -> bool:
        """Whether a point is at those of two geoms that are boxes: some that MuJoCo's collider for boxes reports, with
        a margin, are centimetres away (seen with 3.3.2)."""
        m, d, boxes = self.model, self.data, [int(g) for g in geoms if self._boxes[g]]
        local = [d.geom_xmat[g].reshape(3, 3).T @ (p_world - d.geom_xpos[g]) for g in boxes]
        return all((np.abs(p) <= m.geom_size[g] + 2 * clearance).all() for p, g in zip(local, boxes, strict=True))

    def gap(self, name: str, T_world_body: Array, limit: float, ignore: frozenset[str] = frozenset()) -> float:
        """Distance in metres from body `name`, if it were at `T_world_body`, to the nearest other body, at most
        `limit`; some negative number when they overlap. The robot and the bodies in `ignore` are left out."""
        return self._as_if(name, T_world_body, lambda: self._gap(name, limit, ignore))

    def contact_points(self, name: str, T_world_body: Array, clearance: float) -> Array:
        """Points (k, 3), world frame, at which body `name` would be nearer than `clearance` metres to another body,
        if it were at `T_world_body`; the robot is left out."""
        return self._as_if(name, T_world_body, lambda: self._points(name, clearance))

    def _near_pairs(self, clearance: float, body: str | None = None) -> list[Contact]:
        """Pairs of geoms nearer than `clearance`; only those of one body when it is named."""
        self._collide()
        n = self.data.ncon
        if n == 0:
            return []
        con = self.data.contact
        geoms, distances = con.geom[:n], con.dist[:n]
        near = distances <= clearance
        if body is not None:
            near &= (self.model.geom_bodyid[geoms] == self.model.body(body).id).any(axis=1)
        nearest: dict[tuple[int, int], float] = {}
        for (g1, g2), distance in zip(geoms[near].tolist(), distances[near].tolist(), strict=True):
            pair = (g1, g2) if self.model.geom_contype[g1] == ROBOT_TYPE else (g2, g1)
            nearest[pair] = min(distance, nearest.get(pair, np.inf))
        checked = ((g1, g2, self._checked(g1, g2, d, clearance)) for (g1, g2), d in nearest.items())
        # exactly 0 is what boxes of one centre come to
        return [Contact(self._names[g1], self._names[g2], d) for g1, g2, d in checked if d <= clearance]

    def _checked(self, g1: int, g2: int, distance: float, clearance: float) -> float:
        """The distance of a contact; between boxes it is computed anew, since MuJoCo's own collider for boxes
        can report deep contacts, with a margin, where there are none (seen with 3.3.2)."""
        if not (self._boxes[g1] and self._boxes[g2]):
            return distance
        return float(mujoco.mj_geomDistance(self.model, self.data, g1, g2, clearance + 1e-3, None))

    def distance(self, a: str, b: str, limit: float = 0.2) -> float:
        """Smallest signed distance in metres between two bodies, at most `limit`."""
        best = limit
        for i in self._geoms[a]:
            for j in self._geoms[b]:
                near = self.model.geom_rbound[i] + self.model.geom_rbound[j] + best
                if (
                    self.model.geom_rbound[i] > 0
                    and self.model.geom_rbound[j] > 0
                    and np.linalg.norm(self.data.geom_xpos[i] - self.data.geom_xpos[j]) > near
                ):
                    continue
                best = min(best, mujoco.mj_geomDistance(self.model, self.data, i, j, best, None))
        return float(best)

    def pad_distances(self, body: str, limit: float = 0.05) -> tuple[float, float]:
        """Signed distance in metres from each finger pad to a body, at most `limit`."""
        out = []
        for name in self.robot.pad_geoms:
            pad = self.model.geom(name).id
            near = [mujoco.mj_geomDistance(self.model, self.data, pad, g, limit, None) for g in self._geoms[body]]
            out.append(min(limit, *near))
        return out[0], out[1]

    def sees(self, p_world: Array, points: Array, robot: bool = True, slack: float = 0.01) -> Numbers:
        """Which of some points (n, 3) nothing is in front of, seen from a point (3,): with `robot` neither the arm as
        it was put last, but for what the point itself is in, as a camera is in its mount. What is `slack` metres before
        a point is taken for what the point is on."""
        rays = points - p_world
        lengths = np.linalg.norm(rays, axis=1)
        open_ = np.ones(len(points), dtype=bool)
        for group, nearest in ((1, 0.0), (0, INSIDE))[: 1 + robot]:  # what is around, then the robot
            hit = self._hits(p_world, rays / np.maximum(lengths, 1e-9)[:, None], group)
            open_ &= (hit < nearest) | (hit > lengths - slack)
        return open_

    def _hits(self, p_world: Array, rays: Array, group: int) -> Array:
        """Metres (n,) along unit rays (n, 3) to the first geom of a group; infinite without one. One by one:
        mj_multiRay goes through the hand's mesh (seen with 3.3.2)."""
        groups, geom = np.zeros(6, dtype=np.uint8), np.zeros(1, dtype=np.int32)
        groups[group] = 1
        found = [mujoco.mj_ray(self.model, self.data, p_world, ray, groups, 1, -1, geom) for ray in rays]
        return np.array([distance if distance >= 0 else np.inf for distance in found])

    def _collide(self) -> None:
        self.spend()
        mujoco.mj_collision(self.model, self.data)

    def _tool_pose(self) -> Array:
        return pose(self.data.site_xpos[self._site], self.data.site_xmat[self._site].reshape(3, 3))

    def _place(self, name: str, T_world_body: Array) -> None:
        self._placed[name] = T_world_body
        i = self._poses.get(name)
        if i is None:
            return  # the ground stays where it is
        self.data.qpos[i : i + 3] = T_world_body[:3, 3]
        self.data.qpos[i + 3 : i + 7] = to_quat(T_world_body[:3, :3])

    def _set_type(self, name: str, kind: int) -> None:
        ids, body, other = self._geoms[name], self.model.body(name).id, SCENE_TYPE + ROBOT_TYPE - kind
        self.model.geom_contype[ids] = self.model.body_contype[body] = kind
        self.model.geom_conaffinity[ids] = self.model.body_conaffinity[body] = other


def _compile(robot: RobotDescription, bodies: Iterable[Body]) -> mujoco.MjModel:
    spec = mujoco.MjSpec.from_string(robot.mjcf)
    spec.compiler.inertiagrouprange = [0, 5]
    for geom in spec.geoms:
        pinned = geom.parent.name in robot.pinned_bodies
        collides = not pinned and (geom.contype or geom.conaffinity)
        geom.contype = ROBOT_TYPE if collides else 0
        geom.conaffinity = SCENE_TYPE if collides else 0
        geom.margin = DETECTION_MARGIN
        geom.group = 0
    for pair in spec.pairs:
        pair.margin = DETECTION_MARGIN
    for body in bodies:
        add_body(spec, body, body.T_world_body, not body.is_ground, DETECTION_MARGIN)
    return spec.compile()


def add_body(spec: mujoco.MjSpec, body: Body, T_world_body: Array, free: bool, margin: float) -> None:
    """Add a body to a model, `free` to move or fixed; its contacts begin at a distance of `margin` metres."""
    b = spec.worldbody.add_body(name=body.name, pos=T_world_body[:3, 3], quat=to_quat(T_world_body[:3, :3]))
    if free:
        b.add_freejoint(name=f"{body.name}/free")
    if not body.shapes:  # a part of which nothing collides, as a light switch may be
        b.mass, b.inertia, b.explicitinertial = 1.0, [1.0, 1.0, 1.0], True
    for shape in body.shapes:
        b.add_geom(
            type=_GEOMS[shape.kind],
            size=shape.size,
            pos=shape.T_body_shape[:3, 3],
            quat=to_quat(shape.T_body_shape[:3, :3]),
            contype=SCENE_TYPE,
            conaffinity=ROBOT_TYPE,
            margin=margin,
            group=1,
        )
