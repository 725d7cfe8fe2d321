"""A scene that was seen as a model in MuJoCo: convex shapes that weigh something, parts on joints that rub."""

from __future__ import annotations

import itertools

import mujoco
import numpy as np

from motion.poses import Array, inverse, to_quat
from motion.robot_parts import SOLIDS
from motion.shapes import Shape
from tamp.backends.physics.materials import FRICTION, PART_MASS, ROLL, RUBS, SPIN, box_inertia, mass_of
from tamp.model.scene import Part, Scene, SceneObject

GEOMS = {name: kind for kind, name in SOLIDS.items()} | {"plane": int(mujoco.mjtGeom.mjGEOM_PLANE)}


def spec_of(scene: Scene) -> mujoco.MjSpec:
    """The model of a scene, whose bodies are called as the things and their parts are."""
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    spec.option.timestep = 0.002
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.impratio = 10.0  # things that are held do not creep
    for thing in scene:
        _add(spec, thing)
    return spec


def _add(spec: mujoco.MjSpec, thing: SceneObject) -> None:
    body = spec.worldbody.add_body(name=thing.parts[0].name, **_placed(thing.T_world_object))
    if thing.movable:
        body.add_freejoint()
    _weigh(body, thing.parts[0].shapes, None)
    moving = [part for part in thing.parts[1:] if part.joint is not None]
    for part in moving:
        _add_part(body, part, thing.T_world_object)
    for one, other in itertools.combinations([thing.parts[0], *moving], 2):  # its joints alone hold it together
        spec.add_exclude(bodyname1=one.name, bodyname2=other.name)


def _add_part(body: mujoco.MjsBody, part: Part, T_world_object: Array) -> None:
    """A part on its joint, at zero where the joint is at zero."""
    joint = part.joint
    assert joint is not None
    T_world_part = joint.displacement(0.0) @ part.T_world_part
    made = body.add_body(name=part.name, **_placed(inverse(T_world_object) @ T_world_part))
    R, p = T_world_part[:3, :3], T_world_part[:3, 3]
    kind = mujoco.mjtJoint.mjJNT_SLIDE if joint.kind == "slide" else mujoco.mjtJoint.mjJNT_HINGE
    made.add_joint(
        type=kind,
        axis=R.T @ joint.axis_world,
        pos=R.T @ (joint.anchor_world - p) if joint.kind == "hinge" else np.zeros(3),
        limited=True,
        range=list(joint.limits),
        frictionloss=RUBS[part.kind],
        damping=0.5 * RUBS[part.kind],
    )
    _weigh(made, part.shapes, PART_MASS)


def _weigh(body: mujoco.MjsBody, shapes: tuple[Shape, ...], mass: float | None) -> None:
    """Give a body its shapes, and what they weigh, which is guessed where it is not said."""
    for shape in shapes:
        size = np.array(shape.size, dtype=float)
        body.add_geom(
            type=mujoco.mjtGeom(GEOMS[shape.kind]),
            size=size,
            friction=[FRICTION, SPIN, ROLL],
            condim=4,
            **_placed(shape.T_body_shape),
        )
    solid = tuple(s for s in shapes if s.kind != "plane")
    mass = mass_of(solid) if mass is None else mass
    inertia, middle = box_inertia(mass, solid) if solid else (1e-3 * np.eye(3), np.zeros(3))
    body.explicitinertial = True
    body.mass, body.ipos, body.inertia = mass, middle, np.maximum(np.diag(inertia), 1e-6)


def _placed(T: Array) -> dict[str, Array]:
    return {"pos": T[:3, 3], "quat": to_quat(T[:3, :3])}
