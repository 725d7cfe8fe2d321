"""What an arm takes up: capsules along its links, made from its table, and which of them must keep apart.

No drawing of the housings is followed: the radii are estimates that cover the tubes and joints as they look, bounded
from above by the zero posture, in which each arm is known to be free. What must not be touched deserves a clearance.
"""

from __future__ import annotations

import functools
import itertools
from dataclasses import dataclass

import numpy as np

from motion.arms import Arm
from motion.poses import Array
from motion.shapes import Shape

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
