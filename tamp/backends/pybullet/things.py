"""Things of a scene as PyBullet has them: compounds of convex shapes that weigh something, parts on joints that rub."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np

from motion.bullet import Bullet
from motion.poses import Array, from_quat, inverse, pose, to_quat
from motion.shapes import Shape
from motion.urdf import Link, Motor, written
from tamp.backends.physics.materials import FRICTION, PART_MASS, ROLL, RUBS, SPIN, box_inertia, mass_of
from tamp.model.scene import Part, SceneObject


class BulletThing:
    """One thing of a scene in PyBullet."""

    def __init__(self, bullet: Bullet, thing: SceneObject) -> None:
        self._bullet, self._joints = bullet, [p for p in thing.parts if p.joint is not None]
        self.name, self.movable = thing.name, thing.movable
        solid = tuple(s for s in thing.parts[0].shapes if s.kind != "plane")
        self._T_body_com = pose(box_inertia(1.0, solid)[1]) if solid else np.eye(4)
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
                self.body, n, bullet.VELOCITY_CONTROL, targetVelocity=0.0, force=RUBS[part.kind]
            )

    def _links(self, thing: SceneObject, solid: tuple[Shape, ...]) -> list[Link]:
        mass = mass_of(solid)
        inertia, com = box_inertia(mass, solid) if solid else (1e-3 * np.eye(3), np.zeros(3))
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
        """Put it elsewhere, at rest."""
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
    inertia, com = box_inertia(PART_MASS, shapes) if shapes else (1e-3 * np.eye(3), np.zeros(3))
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
