"""Models of an arm without meshes, written from its table: MJCF for `motion.world`, URDF for PyBullet."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from motion.arm_shape import Capsule, Tool, capsules, link_name, watched
from motion.arms import Arm
from motion.poses import Array, pose, to_quat, turned_to
from motion.robot import Gripper, RobotDescription
from motion.shapes import Shape

TOOL_POINT = "tool_point"
"""Name of the tool's frame: the flange when there is no tool."""


def robot_model(arm: Arm, tool: Tool | None = None, posture: Array | None = None) -> RobotDescription:
    """The arm with its base at the world's origin, resting at `posture` (n,), or at zero.

    Bodies are named `base`, `link1`, … and `tool`. Parts of the arm that must not touch each other are pairs of the
    model. The base is fixed, so that it collides with nothing but the arm.
    """
    return RobotDescription(
        mjcf=_mjcf(arm, tool),
        arm_joints=tuple(f"joint{i + 1}" for i in range(arm.joints)),
        tool_site=TOOL_POINT,
        posture=np.zeros(arm.joints) if posture is None else np.asarray(posture, dtype=float),
        pinned_bodies=frozenset({link_name(0)}),
        gripper=Gripper(opening=0.0),
    )


def _mjcf(arm: Arm, tool: Tool | None) -> str:
    root = ET.Element("mujoco", model=arm.name)
    ET.SubElement(root, "compiler", angle="radian", autolimits="true")
    parent = ET.SubElement(ET.SubElement(root, "worldbody"), "body", name=link_name(0))
    parts = capsules(arm)
    _add_capsules(parent, parts, 0)
    T = np.eye(4)
    for i in range(arm.joints):
        parent = ET.SubElement(parent, "body", {"name": link_name(i + 1), **_placed(T)})
        ET.SubElement(parent, "inertial", pos="0 0 0", mass="1", diaginertia="0.01 0.01 0.01")
        limits = _text([arm.lower[i], arm.upper[i]])
        ET.SubElement(parent, "joint", name=f"joint{i + 1}", type="hinge", axis="0 0 1", range=limits)
        _add_capsules(parent, parts, i + 1)
        T = arm.step(i, 0.0)
    flange = ET.SubElement(parent, "body", {"name": "tool", **_placed(T)})
    T_point = np.eye(4) if tool is None else tool.T_flange_tool
    ET.SubElement(flange, "site", {"name": TOOL_POINT, **_placed(T_point)})
    if tool is not None:
        size, at = _text(tool.shape.size), _placed(tool.shape.T_body_shape)
        ET.SubElement(flange, "geom", {"name": "tool", "type": tool.shape.kind, "size": size, **at})
    contact = ET.SubElement(root, "contact")
    for a, b in watched(arm, tool):
        ET.SubElement(contact, "pair", geom1=a, geom2=b)
    return ET.tostring(root, encoding="unicode")


def _placed(T: Array) -> dict[str, str]:
    return {"pos": _text(T[:3, 3]), "quat": _text(to_quat(T[:3, :3]))}


def _add_capsules(body: ET.Element, parts: Iterable[Capsule], link: int) -> None:
    for c in parts:
        if c.link == link:
            ends = _text([*c.p, *c.q])
            ET.SubElement(body, "geom", name=c.name, type="capsule", fromto=ends, size=_text([c.radius]))


def urdf(arm: Arm, tool: Tool | None = None) -> str:
    """The same arm for PyBullet: one link per joint without a shape, each capsule a link of its own fixed to it under
    the capsule's name, `tool` and the frame `tool_point`. Other readers may know no capsules in URDF."""
    root = ET.Element("robot", name=arm.name)
    _add_link(root, link_name(0))
    T = np.eye(4)
    for i in range(arm.joints):
        _add_link(root, link_name(i + 1))
        joint = _add_joint(root, f"joint{i + 1}", "revolute", link_name(i), link_name(i + 1), T)
        ET.SubElement(joint, "axis", xyz="0 0 1")
        lower, upper = repr(arm.lower[i]), repr(arm.upper[i])
        ET.SubElement(joint, "limit", lower=lower, upper=upper, effort="100", velocity="10")
        T = arm.step(i, 0.0)
    for c in capsules(arm):
        middle, along = 0.5 * (c.p + c.q), c.q - c.p
        length = float(np.linalg.norm(along))
        shape = Shape("capsule", np.array([c.radius, length / 2, 0.0]), np.eye(4))
        _add_link(root, c.name, shape)
        T_link_capsule = pose(middle, turned_to(along / length))
        _add_joint(root, f"{c.name} fixed", "fixed", link_name(c.link), c.name, T_link_capsule)
    if tool is not None:
        _add_link(root, "tool", tool.shape)
        _add_joint(root, "tool fixed", "fixed", link_name(arm.joints), "tool", T)
        T = T @ tool.T_flange_tool
    _add_link(root, TOOL_POINT)
    _add_joint(root, f"{TOOL_POINT} fixed", "fixed", link_name(arm.joints), TOOL_POINT, T)
    ET.indent(root)  # PyBullet reads no line longer than 1,000 characters or so
    return ET.tostring(root, encoding="unicode")


def _add_link(root: ET.Element, name: str, shape: Shape | None = None) -> None:
    link = ET.SubElement(root, "link", name=name)
    inertial = ET.SubElement(link, "inertial")
    ET.SubElement(inertial, "mass", value="1")
    ET.SubElement(inertial, "inertia", ixx="0.01", iyy="0.01", izz="0.01", ixy="0", ixz="0", iyz="0")
    if shape is None:
        return
    collision = ET.SubElement(link, "collision")
    ET.SubElement(collision, "origin", _origin(shape.T_body_shape))
    geometry = ET.SubElement(collision, "geometry")
    r, half = float(shape.size[0]), float(shape.size[1])
    match shape.kind:
        case "box":
            ET.SubElement(geometry, "box", size=_text(2 * shape.size))
        case "sphere":
            ET.SubElement(geometry, "sphere", radius=repr(r))
        case "capsule" | "cylinder":
            ET.SubElement(geometry, shape.kind, radius=repr(r), length=repr(2 * half))
        case _:
            raise ValueError(f"a tool cannot be a {shape.kind}; it may be a box, capsule, cylinder or sphere")


def _add_joint(root: ET.Element, name: str, kind: str, parent: str, child: str, T: Array) -> ET.Element:
    joint = ET.SubElement(root, "joint", name=name, type=kind)
    ET.SubElement(joint, "parent", link=parent)
    ET.SubElement(joint, "child", link=child)
    ET.SubElement(joint, "origin", _origin(T))
    return joint


def _origin(T: Array) -> dict[str, str]:
    """Position and roll, pitch and yaw (R = Rz Ry Rx), as URDF has them."""
    R = T[:3, :3]
    pitch = np.arctan2(-R[2, 0], np.hypot(R[0, 0], R[1, 0]))
    yaw = np.arctan2(R[1, 0], R[0, 0])
    # from the rotation with the yaw taken off, which is right also where the pitch is a right angle
    c, s = np.cos(yaw), np.sin(yaw)
    roll = np.arctan2(s * R[0, 2] - c * R[1, 2], c * R[1, 1] - s * R[0, 1])
    return {"xyz": _text(T[:3, 3]), "rpy": _text([roll, pitch, yaw])}


def _text(numbers: ArrayLike) -> str:
    """Numbers as XML attributes have them, none rounded."""
    return " ".join(repr(float(v)) for v in np.asarray(numbers).ravel())
