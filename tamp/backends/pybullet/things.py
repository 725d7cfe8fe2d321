"""Things of a scene as PyBullet has them: compounds of convex shapes that weigh something, parts on joints that rub."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np

from motion.bullet import Bullet
from motion.poses import Array, from_quat, inverse, pose, to_quat
from motion.shapes import Shape
from motion.urdf import Link, Motor, written
from tamp.model.scene import Part, PartKind, SceneObject

DENSITY = 250.0
"""kg/m³ of what things are made of, hollow as they are: a guess, since eyes do not weigh."""
MASSES = (0.03, 0.6)
"""Kilograms between which a thing weighs."""
PART_MASS = 0.3
"""Kilograms of a part on a joint."""
FRICTION = 1.0
"""Of things on each other."""
SPIN, ROLL = 2e-3, 1e-4
"""Metres by which what turns, or rolls, on something rubs."""
RUBS: Mapping[PartKind, float] = {"drawer": 2.0, "door": 0.3, "knob": 0.05}
"""What moves a part in its joint: newtons, or newton metres."""


def shape_volume(shape: Shape) -> float:
    """Cubic metres."""
    a, b, c = (float(v) for v in shape.size)
    match shape.kind:
        case "box":
            return 8.0 * a * b * c
        case "sphere":
            return 4.0 / 3.0 * np.pi * a**3
        case "cylinder":
            return 2.0 * np.pi * a**2 * b
        case "capsule":
            return 2.0 * np.pi * a**2 * b + 4.0 / 3.0 * np.pi * a**3
        case _:
            return 0.0


def mass_of(shapes: tuple[Shape, ...]) -> float:
    """Kilograms that a thing of these shapes is taken to weigh."""
    return float(np.clip(DENSITY * sum(map(shape_volume, shapes)), *MASSES))


def _inertia(mass: float, shapes: tuple[Shape, ...]) -> tuple[Array, Array]:
    """Inertia (3, 3) of a box of a mass around the shapes, and its middle (3,)."""
    corners = np.concatenate([s.corners() for s in shapes])
    low, high = corners.min(axis=0), corners.max(axis=0)
    x, y, z = (high - low) ** 2
    return mass / 12.0 * np.diag([y + z, x + z, x + y]), 0.5 * (low + high)


class BulletThing:
    """One thing of a scene in PyBullet."""

    def __init__(self, bullet: Bullet, thing: SceneObject) -> None:
        self._bullet, self._joints = bullet, [p for p in thing.parts if p.joint is not None]
        self.name, self.movable = thing.name, thing.movable
        solid = tuple(s for s in thing.parts[0].shapes if s.kind != "plane")
        self._T_body_com = pose(_inertia(1.0, solid)[1]) if solid else np.eye(4)
        text = written(thing.name, self._links(thing, solid))
        self.body = bullet.load(lambda _: text, thing.T_world_object, fixed=not thing.movable)
        self._put_planes(thing)
        rubs = {"lateralFriction": FRICTION, "spinningFriction": SPIN, "rollingFriction": ROLL}
        for link in range(-1, len(self._joints)):
            bullet.changeDynamics(self.body, link, **rubs)
        if thing.movable:
            bullet.changeDynamics(self.body, -1, linearDamping=0.0, angularDamping=0.05)
        for n, part in enumerate(self._joints):
            assert part.joint is not None
            bullet.resetJointState(self.body, n, part.joint.value)
            bullet.setJointMotorControl2(
                self.body, n, bullet.VELOCITY_CONTROL, targetVelocity=0.0, force=RUBS.get(part.kind, 0.1)
            )

    def _links(self, thing: SceneObject, solid: tuple[Shape, ...]) -> list[Link]:
        mass = mass_of(solid)
        inertia, com = _inertia(mass, solid) if solid else (1e-3 * np.eye(3), np.zeros(3))
        root = Link("body", None, np.eye(4), None, solid, mass=mass, inertia=inertia, p_link_com=com)
        return [root, *(_on_joint(p, thing.T_world_object) for p in self._joints)]

    def _put_planes(self, thing: SceneObject) -> None:
        """Planes stand still wherever they are: URDF knows none that has an edge."""
        for shape in thing.parts[0].shapes:
            if shape.kind != "plane":
                continue
            b, T = self._bullet, thing.T_world_object @ shape.T_body_shape
            made = b.createCollisionShape(b.GEOM_PLANE, planeNormal=T[:3, 2].tolist())
            b.createMultiBody(0, made, basePosition=T[:3, 3].tolist())

    def pose(self) -> Array:
        """`T_world_object` (4, 4) now."""
        p, (x, y, z, w) = self._bullet.getBasePositionAndOrientation(self.body)
        return from_quat(np.array(p), np.array([w, x, y, z])) @ inverse(self._T_body_com)

    def put(self, T_world_object: Array) -> None:
        """Have somebody put it elsewhere, at rest."""
        T = T_world_object @ self._T_body_com
        w, x, y, z = to_quat(T[:3, :3]).tolist()
        self._bullet.resetBasePositionAndOrientation(self.body, T[:3, 3].tolist(), [x, y, z, w])
        self._bullet.resetBaseVelocity(self.body, [0.0] * 3, [0.0] * 3)

    def joints(self) -> dict[str, float]:
        """The value of each part's joint now, metres or radians."""
        return {p.name: float(self._bullet.getJointState(self.body, n)[0]) for n, p in enumerate(self._joints)}


def _on_joint(part: Part, T_world_object: Array) -> Link:
    """A part that moves on a joint: its frame is where the axis goes through, turned as the part is."""
    joint = part.joint
    assert joint is not None
    T_world_part = joint.displacement(0.0) @ part.T_world_part
    T_world_link = pose(joint.anchor_world if joint.kind == "hinge" else T_world_part[:3, 3], T_world_part[:3, :3])
    T_link_part = inverse(T_world_link) @ T_world_part
    shapes = tuple(Shape(s.kind, s.size, T_link_part @ s.T_body_shape) for s in part.shapes)
    inertia, com = _inertia(PART_MASS, shapes) if shapes else (1e-3 * np.eye(3), np.zeros(3))
    return Link(
        part.name,
        "body",
        inverse(T_world_object) @ T_world_link,
        Motor(f"{part.name} joint", _KINDS[joint.kind], T_world_link[:3, :3].T @ joint.axis_world, joint.limits),
        shapes,
        mass=PART_MASS,
        inertia=inertia,
        p_link_com=com,
    )


_KINDS: Mapping[str, Literal["revolute", "prismatic"]] = {"hinge": "revolute", "slide": "prismatic"}
