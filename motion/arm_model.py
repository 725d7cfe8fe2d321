"""An arm as a robot without meshes, written from its table: capsules along its links, and a tool or a hand.

No drawing of the housings is followed: the radii are estimates that cover the tubes and joints as they look, bounded
from above by the zero posture, in which each arm is known to be free. What must not be touched deserves a clearance.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from motion.arms import Arm
from motion.hands import FINGERS, PADS, Hand, Tool
from motion.poses import Array, pose, turned_to
from motion.robot import BY_JOINTS, Gripper, RobotDescription
from motion.robot_parts import Part, PartJoint, mjcf
from motion.shapes import Body, Shape
from motion.world import World

TOOL_POINT = "tool_point"
"""Name of the tool's frame: the flange when there is no tool."""
ROTOR = 0.5
"""kg m² of a motor's rotor as its joint feels it: no table says it, and the gears make it most of the inertia."""
PIECE = 0.1
"""Metres of link at most in one capsule: short ones let the far parts of two links that meet be told from the near."""
NEIGHBOURS = 1.5
"""Two capsules are neighbours when what lies between them, along the arm, is at most this many times both radii: they
are near in any posture, also round a right angle, and the joint's limits keep them apart."""


@dataclass(frozen=True)
class Girth:
    """Radii in metres of an arm's links (n,); the first is the column below the second joint.

    `upright` names the links, counted from 1, whose offset is no straight line but goes up or down first (True) or
    last (False) when the arm is at zero, and sideways otherwise.
    """

    links: tuple[float, ...]
    upright: dict[int, bool]


GIRTHS = {
    "xarm5": Girth((0.070, 0.060, 0.052, 0.045, 0.040), {2: True, 3: False}),
    "xarm6": Girth((0.070, 0.060, 0.055, 0.052, 0.045, 0.040), {2: True}),
    "xarm7": Girth((0.070, 0.060, 0.060, 0.055, 0.052, 0.045, 0.040), {}),
    "lite6": Girth((0.048, 0.045, 0.040, 0.037, 0.035, 0.035), {}),
    "850": Girth((0.080, 0.072, 0.065, 0.060, 0.050, 0.045), {}),
}
"""By the arm's name."""


@dataclass(frozen=True, eq=False)
class Capsule:
    """A part of a link: a segment (two points (3,), in the frame that turns with the link's joint) and its radius.

    Link 0 is the column, in the base frame. `start` and `end` are metres along the arm from the base.
    """

    name: str
    link: int
    p: Array
    q: Array
    radius: float
    start: float
    end: float

    @property
    def shape(self) -> Shape:
        """The same as a shape."""
        along = self.q - self.p
        length = float(np.linalg.norm(along))
        return Shape(
            "capsule", np.array([self.radius, length / 2, 0.0]), pose((self.p + self.q) / 2, turned_to(along / length))
        )


def robot_model(
    arm: Arm,
    tool: Tool | None = None,
    posture: Array | None = None,
    hand: Hand | None = None,
) -> RobotDescription:
    """The arm with its base at the world's origin, resting at `posture` (n,), or at zero. On its flange: a tool,
    a hand, or nothing.

    Bodies are named `base`, `link1`, … and `tool`, and the fingers `finger1` and `finger2`. Parts of the arm that must
    not touch each other are pairs of the model. The base is fixed, so that it collides with nothing but the arm.
    """
    tool = hand.as_tool if hand else tool
    T_flange_tool = np.eye(4) if tool is None else tool.T_flange_tool
    flange = _flange(arm, tool, hand)
    fingers = () if hand is None else hand.fingers(flange.name)
    return RobotDescription(
        mjcf=mjcf([*_links(arm), flange, *fingers], {TOOL_POINT: (flange.name, T_flange_tool)}, watched(arm, tool)),
        arm_joints=tuple(f"joint{i + 1}" for i in range(arm.joints)),
        tool_site=TOOL_POINT,
        posture=np.zeros(arm.joints) if posture is None else np.asarray(posture, dtype=float),
        pinned_bodies=frozenset({link_name(0)}),
        finger_joints=() if hand is None else FINGERS,
        pad_geoms=() if hand is None else PADS,
        gripper=Gripper(opening=0.0) if hand is None else hand.gripper,
    )


def arm_world(arm: Arm, bodies: Iterable[Body] = (), tool: Tool | None = None) -> World:
    """The arm with its tool among bodies, its base at the origin, as one that is sent its joints."""
    return World(replace(robot_model(arm, tool), tracking=BY_JOINTS), bodies)


def _links(arm: Arm) -> Iterator[Part]:
    T = np.eye(4)
    for i in range(arm.joints + 1):
        solids = {c.name: c.shape for c in capsules(arm) if c.link == i}
        if i == 0:
            yield Part(link_name(0), None, T, solids=solids)
            continue
        turns = PartJoint(f"joint{i}", "hinge", np.array([0.0, 0.0, 1.0]), (arm.lower[i - 1], arm.upper[i - 1]), ROTOR)
        yield Part(link_name(i), link_name(i - 1), T, turns, solids, 1.0, 0.01 * np.eye(3))
        T = arm.step(i - 1, 0.0)


def _flange(arm: Arm, tool: Tool | None, hand: Hand | None) -> Part:
    solids = {} if tool is None else {"tool": tool.shape}
    flange = Part("tool", link_name(arm.joints), arm.step(arm.joints - 1, 0.0), solids=solids)
    if hand is None:
        return flange
    return replace(flange, mass=hand.mass, inertia=1e-3 * np.eye(3), p_part_com=np.array([0.0, 0.0, 0.05]))


@functools.cache
def capsules(arm: Arm) -> tuple[Capsule, ...]:
    """The capsules of an arm, from the base to the flange."""
    girth = GIRTHS[arm.name]
    found: list[Capsule] = []
    travelled = 0.0
    for i, frame in enumerate(arm.frames(np.zeros(arm.joints))[:-1]):
        corners = _corners(arm, i, frame, girth.upright.get(i + 1))
        number = 0
        for p, q in itertools.pairwise(corners):
            length = float(np.linalg.norm(q - p))
            if length < 1e-9:
                continue
            link = i + 1 if i else 0  # the column turns about its own axis, so it may as well stand still
            pieces = int(np.ceil(length / PIECE))
            for k in range(pieces):
                a, b = p + (q - p) * k / pieces, p + (q - p) * (k + 1) / pieces
                reached = travelled + length / pieces
                radius = girth.links[i]
                found.append(Capsule(f"{link_name(link)}.{number}", link, a, b, radius, travelled, reached))
                travelled, number = reached, number + 1
    return tuple(found)


def link_name(link: int) -> str:
    """What a link is called: `base`, `link2`, …"""
    return f"link{link}" if link else "base"


def _corners(arm: Arm, joint: int, T_base_frame: Array, upright: bool | None) -> list[Array]:
    """Points (3,) along a link from its joint to the next, in the frame that turns with its joint."""
    end = arm.step(joint, 0.0)[:3, 3]
    shoulder = np.array([0.0, 0.0, arm.d[joint]])
    if upright is None:
        return [np.zeros(3), shoulder, end]
    up = T_base_frame[2, :3]  # the base's z in this frame, when all joints are at zero
    rise = ((end - shoulder) @ up) * up
    return [np.zeros(3), shoulder, shoulder + (rise if upright else end - shoulder - rise), end]


def watched(arm: Arm, tool: Tool | None = None) -> list[tuple[str, str]]:
    """The pairs of capsules (and `tool`) that must not meet: all but neighbours and those that the limits of one joint
    keep apart, as the forearm and the upper arm are by the elbow's."""
    parts = list(capsules(arm))
    pairs = [
        (a.name, b.name)
        for a, b in itertools.combinations(parts, 2)
        if _joints_between(arm, a, b) > 1 and b.start - a.end > NEIGHBOURS * (a.radius + b.radius)
    ]
    if tool is None:
        return pairs
    tip = parts[-1].end
    near = [c for c in parts if arm.joints - c.link > 1 and tip - c.end > NEIGHBOURS * (c.radius + tool.reach)]
    return pairs + [(c.name, "tool") for c in near]


def _joints_between(arm: Arm, a: Capsule, b: Capsule) -> int:
    """How many joints decide where two capsules, `a` nearer the base, are to each other; one that only turns a capsule
    about its own axis does not."""
    count = b.link - a.link
    T_a_next = arm.step(a.link - 1, 0.0) if a.link else np.eye(4)
    for capsule, T in ((a, T_a_next), (b, np.eye(4))):
        across = (np.array([capsule.p, capsule.q]) - T[:3, 3]) @ T[:3, :2]
        if count and np.abs(across).max() < 1e-9:
            count -= 1
    return count
