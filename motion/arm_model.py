"""An arm as a robot without meshes: the capsules of its model along its links, and a tool or a hand of boxes.

The radii are estimates: what must not be touched deserves a clearance.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from motion.arms import FLANGE, Arm
from motion.poses import Array, pose, rotation_about
from motion.robot import BY_JOINTS, Gripper, RobotDescription
from motion.robot_parts import PartJoint, RigidPart, add_part, placed
from motion.shapes import Body, Shape
from motion.world import World

TOOL_POINT = "tool_point"
"""Name of the tool's frame: the flange when there is no tool."""
NEIGHBOURS = 1.5
"""A capsule and the tool are neighbours when what lies between them, along the arm, is at most this many times both
radii: they are near in any posture, also round a right angle, and the joints' limits keep them apart."""
FINGERS, PADS = ("finger1", "finger2"), ("pad1", "pad2")


@dataclass(frozen=True, eq=False)
class Tool:
    """What is mounted on the flange: a convex shape, placed on the flange by its `T_body_shape`, and the tool point,
    `T_flange_tool` (4, 4)."""

    shape: Shape
    T_flange_tool: Array

    @property
    def reach(self) -> float:
        """Metres from the flange's axis within which the tool is."""
        return float(np.linalg.norm(np.abs(self.shape.corners()[:, :2]).max(axis=0)))


@dataclass(frozen=True, eq=False)
class MountedHand:
    """A gripper in the tool frame of its arm: z out of the hand, x along the closing fingers, the origin where things
    are held. `T_flange_tool` (4, 4) says where that is, `palm` what is taken up on the flange and does not move. A
    finger is a box with half-extents `finger` (3,) whose inner face is its pad and whose tip is `tip` metres beyond the
    tool point. `mass` in kg.
    """

    name: str
    T_flange_tool: Array
    palm: Shape
    finger: Array
    tip: float
    mass: float
    gripper: Gripper

    def fingers(self) -> Iterator[RigidPart]:
        """Two fingers on the flange that slide apart along the tool's x, zero when they touch."""
        half = self.finger
        for name, pad, side in zip(FINGERS, PADS, (1.0, -1.0), strict=True):
            low, high = sorted((0.0, side * self.gripper.opening / 2))
            slides = PartJoint(name, "slide", np.array([1.0, 0.0, 0.0]), (low, high))
            box = Shape("box", half, pose([side * half[0], 0.0, self.tip - half[2]]))
            yield RigidPart(name, FLANGE, self.T_flange_tool, slides, {pad: box}, 0.08, 1e-4 * np.eye(3))


_TOOL_POINT = 0.162
"""Metres from the flange to where an xArm's gripper holds things: 8 mm before the tips of its closed fingers."""

XARM_GRIPPER = MountedHand(
    name="xarm-gripper",
    T_flange_tool=pose([0.0, 0.0, _TOOL_POINT], rotation_about(np.array([0.0, 0.0, 1.0]), -np.pi / 2)),
    palm=Shape("box", np.array([0.0285, 0.07, 0.0525]), pose([0.0, 0.0, 0.0525])),
    finger=np.array([0.007, 0.016, 0.0225]),
    tip=0.008,
    mass=0.82,
    gripper=Gripper(
        opening=0.084,
        pad_half_width=0.014,
        pad_heights=(-0.012, -0.004, 0.004),
        finger=(0.012, 0.018, 0.02),
        palm=(0.075, 0.0305, 0.05),
        underside=-0.057,
        fingertip=0.013,
        closed=0.05,
        footprint=(0.03, 0.018),
    ),
)
"""UFACTORY's xArm Gripper: 84 mm of stroke, 172 mm from the flange to the tips, by its meshes and manual. Its fingers
swing on a four-bar linkage, in and out by 12 mm over the whole stroke; here they slide, half-way between."""

HANDS = {hand.name: hand for hand in (XARM_GRIPPER,)}
"""By their names."""


def robot_model(
    arm: Arm, tool: Tool | None = None, posture: Array | None = None, hand: MountedHand | None = None
) -> RobotDescription:
    """The arm with its base at the world's origin, resting at `posture` (n,), or at zero. On its flange: a tool,
    a hand, or nothing.

    Bodies are named `base`, `link1`, … and `tool`, and the fingers `finger1` and `finger2`. Parts of the arm that must
    not touch each other are pairs of the model. The base is fixed, so that it collides with nothing but the arm.
    """
    tool = Tool(hand.palm, hand.T_flange_tool) if hand else tool
    return RobotDescription(
        mjcf=_with_tool(arm, tool, hand),
        arm_joints=tuple(f"joint{i + 1}" for i in range(arm.joints)),
        tool_site=TOOL_POINT,
        posture=np.zeros(arm.joints) if posture is None else np.asarray(posture, dtype=float),
        pinned_bodies=frozenset({"base"}),
        finger_joints=() if hand is None else FINGERS,
        pad_geoms=() if hand is None else PADS,
        gripper=Gripper(opening=0.0) if hand is None else hand.gripper,
    )


def arm_world(arm: Arm, bodies: Iterable[Body] = (), tool: Tool | None = None) -> World:
    """The arm with its tool among bodies, its base at the origin, as one that is sent its joints."""
    return World(replace(robot_model(arm, tool), tracking=BY_JOINTS), bodies)


def _with_tool(arm: Arm, tool: Tool | None, hand: MountedHand | None) -> str:
    """The arm's model with what is on its flange."""
    root = ET.fromstring(arm.mjcf)
    links = list(root.iter("body"))
    assets, contact = ET.SubElement(root, "asset"), root.find("contact")
    assert contact is not None
    mounted = RigidPart(FLANGE, None, np.eye(4), solids={} if tool is None else {"tool": tool.shape})
    if hand is not None:
        inertia, p_com = 1e-3 * np.eye(3), np.array([0.0, 0.0, 0.05])
        mounted = replace(mounted, mass=hand.mass, inertia=inertia, p_part_com=p_com)
    add_part(mounted, links[-1], assets)
    for finger in hand.fingers() if hand else ():
        body = ET.SubElement(links[-1], "body", {"name": finger.name, **placed(finger.T_parent_part)})
        add_part(finger, body, assets)
    T_flange_tool = np.eye(4) if tool is None else tool.T_flange_tool
    ET.SubElement(links[-1], "site", {"name": TOOL_POINT, **placed(T_flange_tool)})
    for geom in (geom for link in links[:-3] for geom in link.findall("geom")):
        radius, to_flange = float(geom.attrib["size"].split()[0]), float(geom.attrib["user"])
        if tool is not None and to_flange > NEIGHBOURS * (radius + tool.reach):  # no neighbour of the tool
            ET.SubElement(contact, "pair", geom1=geom.attrib["name"], geom2="tool")
    return ET.tostring(root, encoding="unicode")
