"""Robots and jointed things as URDF, for engines that read nothing else: the numbers of the model that all of motion
works with, written down once more.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from motion.poses import Array, from_quat, pose, to_rpy
from motion.robot import RobotDescription
from motion.shapes import Kind, Shape

_KINDS: dict[int, Kind] = {
    int(mujoco.mjtGeom.mjGEOM_BOX): "box",
    int(mujoco.mjtGeom.mjGEOM_CYLINDER): "cylinder",
    int(mujoco.mjtGeom.mjGEOM_SPHERE): "sphere",
    int(mujoco.mjtGeom.mjGEOM_CAPSULE): "capsule",
}
EFFORT, VELOCITY = 200.0, 10.0
"""Nm or N, and rad/s or m/s: more than anything here has; who drives a joint has limits of his own."""
MOMENTS = {"ixx": (0, 0), "iyy": (1, 1), "izz": (2, 2), "ixy": (0, 1), "ixz": (0, 2), "iyz": (1, 2)}
LIGHTEST = 1e-3
"""Kilograms of a link that has no mass of its own: engines want some."""


@dataclass(frozen=True, eq=False)
class Motor:
    """How a link moves against its parent. `axis` (3,) is in the link's own frame, `limits` in metres or radians."""

    name: str
    kind: Literal["revolute", "prismatic", "fixed"] = "fixed"
    axis: Array = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    limits: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, eq=False)
class Mesh:
    """A convex hull in a file, and where it is on its link."""

    file: str
    T_link_mesh: Array


@dataclass(frozen=True, eq=False)
class Link:
    """A rigid link. `T_parent_link` (4, 4) is where it is while its joint is at zero. `mass` in kg, `inertia` (3, 3) in
    kg m² about its centre of mass `p_link_com` (3,), in its own axes; without a mass it is made of the least there
    is."""

    name: str
    parent: str | None
    T_parent_link: Array
    joint: Motor | None = None
    shapes: tuple[Shape, ...] = ()
    meshes: tuple[Mesh, ...] = ()
    mass: float = LIGHTEST
    inertia: Array = field(default_factory=lambda: 1e-6 * np.eye(3))
    p_link_com: Array = field(default_factory=lambda: np.zeros(3))


def written(name: str, links: Iterable[Link]) -> str:
    """The URDF of links, the first of which is the root."""
    root = ET.Element("robot", name=name)
    for link in links:
        _add(root, link)
    ET.indent(root)  # PyBullet reads no line longer than 1,000 characters or so
    return ET.tostring(root, encoding="unicode")


def links_of(robot: RobotDescription, folder: Path) -> list[Link]:
    """The links of a robot, from the model that all of motion works with; its meshes are written into a folder. The
    root is the world. ValueError for a joint that URDF cannot say: a ball, two on one body, one beside its body."""
    m = mujoco.MjModel.from_xml_string(robot.mjcf)
    links = [Link("world", None, np.eye(4))]
    for b in range(1, m.nbody):
        collision = [_collision(m, g, folder) for g in np.flatnonzero(m.geom_bodyid == b).tolist() if collides(m, g)]
        shapes = tuple(c for c in collision if isinstance(c, Shape))
        links.append(_link(m, b, shapes, tuple(c for c in collision if isinstance(c, Mesh))))
    return links


def parts_of(m: mujoco.MjModel, folder: Path) -> list[Link]:
    """The links of a robot's compiled model without shapes, then each shape that collides as a link of its own, fixed
    to its link, as `part_name` calls it. Else as `links_of`."""
    links = [Link("world", None, np.eye(4)), *(_link(m, b) for b in range(1, m.nbody))]
    for g in (g for g in range(m.ngeom) if collides(m, g)):
        parent, made = _name(m, int(m.geom_bodyid[g])), _collision(m, g, folder)
        if isinstance(made, Mesh):
            mesh = Mesh(made.file, np.eye(4))
            links.append(Link(part_name(m, g), parent, made.T_link_mesh, meshes=(mesh,)))
        elif made is not None:
            shape = Shape(made.kind, made.size, np.eye(4))
            links.append(Link(part_name(m, g), parent, made.T_body_shape, shapes=(shape,)))
    return links


def part_name(m: mujoco.MjModel, geom: int) -> str:
    """What the part of a link is called that a geom is: its link and its number."""
    return f"{_name(m, int(m.geom_bodyid[geom]))}/{geom}"


def collides(m: mujoco.MjModel, geom: int) -> bool:
    """Whether a geom is there to be touched, rather than only seen."""
    return bool(m.geom_contype[geom] or m.geom_conaffinity[geom])


def _link(m: mujoco.MjModel, body: int, shapes: tuple[Shape, ...] = (), meshes: tuple[Mesh, ...] = ()) -> Link:
    return Link(
        name=_name(m, body),
        parent=_name(m, int(m.body_parentid[body])),
        T_parent_link=from_quat(m.body_pos[body], m.body_quat[body]),
        joint=_motor(m, body),
        shapes=shapes,
        meshes=meshes,
        mass=max(float(m.body_mass[body]), LIGHTEST),
        inertia=_inertia(m, body),
        p_link_com=m.body_ipos[body].copy(),
    )


def _name(m: mujoco.MjModel, body: int) -> str:
    return str(m.body(body).name) if body else "world"


def _collision(m: mujoco.MjModel, geom: int, folder: Path) -> Shape | Mesh | None:
    """The shape or the hull that a geom is; None for what is neither, such as a plane."""
    kind, T = int(m.geom_type[geom]), from_quat(m.geom_pos[geom], m.geom_quat[geom])
    if kind == mujoco.mjtGeom.mjGEOM_MESH:
        return Mesh(_saved(m, int(m.geom_dataid[geom]), folder), T)
    return Shape(_KINDS[kind], m.geom_size[geom].copy(), T) if kind in _KINDS else None


def _motor(m: mujoco.MjModel, body: int) -> Motor | None:
    if m.body_jntnum[body] == 0:
        return None
    j, name = int(m.body_jntadr[body]), m.body(body).name
    kinds: dict[int, Literal["revolute", "prismatic"]] = {
        int(mujoco.mjtJoint.mjJNT_HINGE): "revolute",
        int(mujoco.mjtJoint.mjJNT_SLIDE): "prismatic",
    }
    if m.body_jntnum[body] > 1 or int(m.jnt_type[j]) not in kinds:
        raise ValueError(f"{name}: a link turns or slides on one joint")
    if np.abs(m.jnt_pos[j]).max() > 1e-9:
        raise ValueError(f"{name}: the axis of {m.joint(j).name} goes beside the origin of its link")
    low, high = m.jnt_range[j].tolist()
    return Motor(m.joint(j).name, kinds[int(m.jnt_type[j])], m.jnt_axis[j].copy(), (low, high))


def _inertia(m: mujoco.MjModel, body: int) -> Array:
    """The inertia (3, 3) of a body, with that of its motor's rotor about the joint's axis: URDF has no word for it, and
    an arm without it gives way to a touch like a feather. About the other axes half of it is added, since no rigid body
    has less."""
    R = from_quat(np.zeros(3), m.body_iquat[body])[:3, :3]
    inertia = R @ np.diag(np.maximum(m.body_inertia[body], 1e-6)) @ R.T
    if m.body_jntnum[body] and int(m.jnt_type[m.body_jntadr[body]]) == mujoco.mjtJoint.mjJNT_HINGE:
        axis = m.jnt_axis[m.body_jntadr[body]]
        rotor = float(m.dof_armature[m.body_dofadr[body]])
        inertia = inertia + 0.5 * rotor * (np.eye(3) + np.outer(axis, axis))
    return np.asarray(inertia)


def _saved(m: mujoco.MjModel, mesh: int, folder: Path) -> str:
    """A mesh as a file; its name."""
    file = folder / f"mesh{mesh}.obj"  # its own name may be no file's
    first, count = int(m.mesh_vertadr[mesh]), int(m.mesh_vertnum[mesh])
    start, faces = int(m.mesh_faceadr[mesh]), int(m.mesh_facenum[mesh])
    lines = [f"v {x} {y} {z}" for x, y, z in m.mesh_vert[first : first + count].tolist()]
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in m.mesh_face[start : start + faces].tolist()]
    file.write_text("\n".join(lines) + "\n")
    return file.name


def _add(root: ET.Element, link: Link) -> None:
    made = ET.SubElement(root, "link", name=link.name)
    inertial = ET.SubElement(made, "inertial")
    ET.SubElement(inertial, "origin", _origin(pose(link.p_link_com)))
    ET.SubElement(inertial, "mass", value=repr(float(link.mass)))
    moments = {name: repr(float(link.inertia[i, j])) for name, (i, j) in MOMENTS.items()}
    ET.SubElement(inertial, "inertia", moments)
    for shape in link.shapes:
        _add_shape(made, shape)
    for mesh in link.meshes:
        collision = ET.SubElement(made, "collision")
        ET.SubElement(collision, "origin", _origin(mesh.T_link_mesh))
        ET.SubElement(ET.SubElement(collision, "geometry"), "mesh", filename=mesh.file)
    if link.parent is None:
        return
    motor = link.joint or Motor(f"{link.name} fixed")
    joint = ET.SubElement(root, "joint", name=motor.name, type=motor.kind)
    ET.SubElement(joint, "parent", link=link.parent)
    ET.SubElement(joint, "child", link=link.name)
    ET.SubElement(joint, "origin", _origin(link.T_parent_link))
    if motor.kind != "fixed":
        ET.SubElement(joint, "axis", xyz=_numbers(motor.axis))
        low, high = (repr(float(v)) for v in motor.limits)
        ET.SubElement(joint, "limit", lower=low, upper=high, effort=repr(EFFORT), velocity=repr(VELOCITY))


def _add_shape(link: ET.Element, shape: Shape) -> None:
    collision = ET.SubElement(link, "collision")
    ET.SubElement(collision, "origin", _origin(shape.T_body_shape))
    geometry = ET.SubElement(collision, "geometry")
    size = shape.size
    match shape.kind:
        case "box":
            ET.SubElement(geometry, "box", size=_numbers(2 * np.asarray(size)))
        case "sphere":
            ET.SubElement(geometry, "sphere", radius=repr(float(size[0])))
        case "capsule" | "cylinder":
            length = repr(2 * float(size[1]))
            ET.SubElement(geometry, shape.kind, radius=repr(float(size[0])), length=length)
        case _:
            raise ValueError(f"a link cannot be a {shape.kind}; it may be a box, capsule, cylinder or sphere")


def _origin(T: Array) -> dict[str, str]:
    return {"xyz": _numbers(T[:3, 3]), "rpy": _numbers(to_rpy(T[:3, :3]))}


def _numbers(values: ArrayLike) -> str:
    """Numbers as XML attributes have them, none rounded."""
    return " ".join(repr(float(v)) for v in np.asarray(values).ravel())
