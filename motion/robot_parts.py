"""Rigid parts on joints, whatever file they come from: each part turns or slides about its own origin, at zero where
the file has it, and is the convex shapes that collide.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import mujoco
import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial import ConvexHull, QhullError

from motion.poses import Array, from_quat, joint_transform, moved, pose, to_quat
from motion.robot import RobotDescription
from motion.shapes import Kind, Shape

JointKind = Literal["hinge", "slide"]

_JOINTS: dict[int, JointKind] = {
    int(mujoco.mjtJoint.mjJNT_HINGE): "hinge",
    int(mujoco.mjtJoint.mjJNT_SLIDE): "slide",
}


SOLIDS: dict[int, Kind] = {
    int(mujoco.mjtGeom.mjGEOM_BOX): "box",
    int(mujoco.mjtGeom.mjGEOM_CYLINDER): "cylinder",
    int(mujoco.mjtGeom.mjGEOM_SPHERE): "sphere",
    int(mujoco.mjtGeom.mjGEOM_CAPSULE): "capsule",
}
"""What MuJoCo's geoms with a volume are called here."""


class ModelError(ValueError):
    """What a model of a robot lacks. `at` is the value of a description that it is about: a key, and a place in a list;
    `link` the link in the model."""

    def __init__(self, message: str, *at: str | int, link: str = "") -> None:
        super().__init__(message)
        self.at, self.link = at, link


@dataclass(frozen=True, eq=False)
class PartJoint:
    """A joint through the origin of its part. `axis` (3,) is in the part's frame, `limits` in radians or metres, None
    where the file has none."""

    name: str
    kind: JointKind
    axis: Array
    limits: tuple[float, float] | None
    armature: float = 0.0


@dataclass(frozen=True, eq=False)
class Hull:
    """The convex hull of points (n, 3) in the part's frame."""

    points: Array


@dataclass(frozen=True, eq=False)
class RigidPart:
    """A rigid part. `T_parent_part` (4, 4) is where it is while its joint is at zero; `solids` by their names. `mass`
    in kg, `inertia` (3, 3) in kg m² about the centre of mass `p_part_com` (3,), in the part's axes."""

    name: str
    parent: str | None
    T_parent_part: Array
    joint: PartJoint | None = None
    solids: Mapping[str, Shape | Hull] = field(default_factory=dict)
    mass: float = 0.0
    inertia: Array = field(default_factory=lambda: np.zeros((3, 3)))
    p_part_com: Array = field(default_factory=lambda: np.zeros(3))

    def held_at(self, value: float) -> RigidPart:
        """The same without a joint, held at a value of it."""
        assert self.joint is not None
        T = joint_transform(self.joint.kind, self.joint.axis, np.zeros(3), value)
        return replace(self, T_parent_part=self.T_parent_part @ T, joint=None)

    def corners(self, *names: str) -> Array:
        """Points (n, 3), in its frame, that all of it is between, or all that is of some solids."""
        solids = [s for name, s in self.solids.items() if not names or name in names]
        found = [s.points if isinstance(s, Hull) else s.corners() for s in solids]
        return np.concatenate([np.zeros((0, 3)), *found])


def joints_above(parts: Mapping[str, RigidPart], name: str) -> list[str]:
    """The joints that move a part, of parts by their names: its own first, the nearest to the base last."""
    found: list[str] = []
    at: str | None = name
    while at is not None and at in parts:
        joint = parts[at].joint
        found += [joint.name] if joint else []
        at = parts[at].parent
    return found


def parts_of(robot: RobotDescription) -> tuple[RigidPart, ...]:
    """The parts of a robot, as `parts_in`."""
    return parts_in(mujoco.MjModel.from_xml_string(robot.mjcf))


def parts_in(m: mujoco.MjModel) -> tuple[RigidPart, ...]:
    """The parts of a model, parents first, without what does not collide. ModelError for a joint that is a ball or
    free, and for two on one body."""
    anchors = np.zeros((m.nbody, 3))  # from each body's origin to its joint's, where the part's will be
    one_each = m.body_jntnum == 1
    anchors[one_each] = m.jnt_pos[m.body_jntadr[one_each]]
    return tuple(_part(m, b, anchors) for b in range(1, m.nbody))


def _part(m: mujoco.MjModel, b: int, anchors: Array) -> RigidPart:
    up = int(m.body_parentid[b])
    T = pose(-anchors[up]) @ from_quat(m.body_pos[b], m.body_quat[b]) @ pose(anchors[b])
    joint = _joint(m, b)
    if joint is not None:
        at = float(m.qpos0[m.jnt_qposadr[m.body_jntadr[b]]])
        T = T @ joint_transform(joint.kind, joint.axis, np.zeros(3), -at)
    R = from_quat(np.zeros(3), m.body_iquat[b])[:3, :3]
    solid = [int(g) for g in np.flatnonzero(m.geom_bodyid == b) if m.geom_contype[g] or m.geom_conaffinity[g]]
    name = _name(m, b)
    return RigidPart(
        name=name,
        parent=_name(m, up) if up else None,
        T_parent_part=T,
        joint=joint,
        solids={m.geom(g).name or f"{name}/{n}": _solid(m, g, pose(-anchors[b])) for n, g in enumerate(solid)},
        mass=float(m.body_mass[b]),
        inertia=R @ np.diag(m.body_inertia[b]) @ R.T,
        p_part_com=m.body_ipos[b] - anchors[b],
    )


def _name(m: mujoco.MjModel, b: int) -> str:
    return m.body(b).name or f"body {b}"


def _joint(m: mujoco.MjModel, b: int) -> PartJoint | None:
    if m.body_jntnum[b] == 0:
        return None
    j = int(m.body_jntadr[b])
    if m.body_jntnum[b] > 1:
        names = ", ".join(repr(m.joint(j + n).name) for n in range(m.body_jntnum[b]))
        on = _name(m, b)
        raise ModelError(f"link {on!r} moves on several joints, {names}; valid: one joint a link", link=on)
    kind = _JOINTS.get(int(m.jnt_type[j]))
    if kind is None:
        on = _name(m, b)
        raise ModelError(f"link {on!r} is on a ball joint or floats; valid: joints that turn or slide", link=on)
    low, high = m.jnt_range[j].tolist()
    return PartJoint(
        name=m.joint(j).name,
        kind=kind,
        axis=m.jnt_axis[j].copy(),
        limits=(low, high) if m.jnt_limited[j] and high > low else None,
        armature=float(m.dof_armature[m.body_dofadr[b]]),
    )


def _solid(m: mujoco.MjModel, g: int, T_part_body: Array) -> Shape | Hull:
    T = T_part_body @ from_quat(m.geom_pos[g], m.geom_quat[g])
    kind = int(m.geom_type[g])
    if kind in SOLIDS:
        return Shape(SOLIDS[kind], m.geom_size[g].copy(), T)
    if kind != mujoco.mjtGeom.mjGEOM_MESH:
        on, valid = _name(m, int(m.geom_bodyid[g])), "a mesh, box, capsule, cylinder or sphere"
        raise ModelError(f"a geom of link {on!r} is no solid; valid: {valid}", link=on)
    first, count = int(m.mesh_vertadr[m.geom_dataid[g]]), int(m.mesh_vertnum[m.geom_dataid[g]])
    points = moved(m.mesh_vert[first : first + count].astype(float), T)
    try:
        return Hull(points[ConvexHull(points).vertices])
    except QhullError:  # it is flat
        return Hull(points)


def mjcf(parts: Iterable[RigidPart], sites: Mapping[str, tuple[str, Array]], pairs: Iterable[tuple[str, str]]) -> str:
    """MJCF of parts, parents first, with their meshes in it. `sites` are a part's name and a pose on it (4, 4), by the
    site's name; `pairs` names of solids that must not touch."""
    root = ET.Element("mujoco")
    ET.SubElement(root, "compiler", angle="radian", autolimits="true", balanceinertia="true")
    assets, world = ET.SubElement(root, "asset"), ET.SubElement(root, "worldbody")
    bodies: dict[str, ET.Element] = {}
    for part in parts:
        parent = bodies[part.parent] if part.parent else world
        body = ET.SubElement(parent, "body", {"name": part.name, **placed(part.T_parent_part)})
        bodies[part.name] = body
        add_part(part, body, assets)
    for name, (part_name, T) in sites.items():
        ET.SubElement(bodies[part_name], "site", {"name": name, **placed(T)})
    contact = ET.SubElement(root, "contact")
    for a, b in pairs:
        ET.SubElement(contact, "pair", geom1=a, geom2=b)
    return ET.tostring(root, encoding="unicode")


def add_part(part: RigidPart, body: ET.Element, assets: ET.Element) -> None:
    """Give an MJCF body what a part has: inertia, joint, solids, and meshes among the assets."""
    if part.mass > 0:
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = part.inertia
        moments = numbers([xx, yy, zz, xy, xz, yz])
        ET.SubElement(body, "inertial", mass=repr(part.mass), pos=numbers(part.p_part_com), fullinertia=moments)
    if (joint := part.joint) is not None:
        limits = {} if joint.limits is None else {"range": numbers(joint.limits)}
        turns = {"name": joint.name, "type": joint.kind, "axis": numbers(joint.axis), "armature": repr(joint.armature)}
        ET.SubElement(body, "joint", turns | limits)
    for name, solid in part.solids.items():
        if isinstance(solid, Hull):
            ET.SubElement(assets, "mesh", name=name, vertex=numbers(solid.points))
            ET.SubElement(body, "geom", name=name, type="mesh", mesh=name)
        else:
            size, at = numbers(solid.size), placed(solid.T_body_shape)
            ET.SubElement(body, "geom", {"name": name, "type": solid.kind, "size": size, **at})


def numbers(values: ArrayLike) -> str:
    """Numbers as XML attributes have them, none rounded."""
    return " ".join(repr(float(v)) for v in np.asarray(values).ravel())


def placed(T: Array) -> dict[str, str]:
    """A pose (4, 4) as MJCF has it."""
    return {"pos": numbers(T[:3, 3]), "quat": numbers(to_quat(T[:3, :3]))}
