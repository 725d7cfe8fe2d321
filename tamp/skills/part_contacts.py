"""Where a hand takes hold of a part that moves on a joint, or pushes it with closed fingertips.

Which of its shapes propose grasps is one small table by kind of part; extend it here. Every rule is geometry: the front
of a drawer, the free edge of a door, the top of a knob.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from motion import grasps
from motion.poses import Array, pose
from motion.robot import Gripper
from motion.shapes import Shape
from tamp.model.scene import Joint, Part, PartKind
from tamp.model.situation import Situation
from tamp.skills.base import Tools
from tamp.skills.pick import SPARE_OPENING
from tamp.skills.reaching import boxes_of

FRONT = 0.035
"""Metres behind a drawer's foremost point within which its handle lies."""
FREE_EDGE = 0.6
"""Share of a door's width, from the hinge, beyond which its handle lies."""
PREFERENCE = grasps.Preference(tilt=0.15, off_centre=0.0, coverage=1.0, depth=0.0)
"""Weights of what makes a grip good for moving a part: coverage above all; depth and tilt matter little."""
LIMITS = {False: 400, True: 3000}
"""Grasps that are looked at, those that close squarely and those askew, most of which have no room."""
TILTS = np.radians([30, 45, 15, 0, 60, 75])
"""Angles between the approach axis and straight down, leaning towards the push."""

ACROSS = (0.0, 0.75, -0.75, 0.4, -0.4)
"""Where on a wide face to push, as a share of the way from its middle to its side edge."""

INNERMOST = 0.01
"""Metres within which faces count as first from inside."""
INNER_TILTS = np.radians([0, 15, 30, 45, 60])
"""Angles from straight down of a hand that pushes from inside."""
BELOW_TOP = (0.03, 0.05, 0.08)
"""Metres below a door's upper edge at which it is pushed from inside."""
EDGES, EDGE_TILTS = (0.03, 0.008), np.radians([0, 15, -15, 30, -30, -45])
"""Metres below its upper edge at which a part is pushed from outside where the hand does not come to the middle of it,
and angles from straight down of the hand there, negative ones with the palm over the part."""
TOWARDS_EDGE = (0.8, 0.5, 0.2)
"""Where on a door to push from inside, as a share of the way from its middle to its free edge."""


def graspable(part: Part) -> tuple[Shape, ...]:
    """The shapes of `part` that may propose grasps."""
    rule = AFFORDANCES.get(part.kind)
    found = rule(part) if rule else part.shapes
    return found or part.shapes


def _front(part: Part) -> tuple[Shape, ...]:
    """What is foremost along the opening direction."""
    assert part.joint is not None
    forward = part.joint.axis_world * part.joint.sign
    centres = [float(p @ forward) for p in _centres(part)]
    return tuple(s for s, c in zip(part.shapes, centres, strict=True) if c > max(centres) - FRONT)


def _free_edge(part: Part) -> tuple[Shape, ...]:
    """What is far from the hinge."""
    joint = part.joint
    assert joint is not None
    arms = [_from_axis(p, joint) for p in _centres(part)]
    return tuple(s for s, a in zip(part.shapes, arms, strict=True) if a > FREE_EDGE * max(arms))


def _centres(part: Part) -> list[Array]:
    return [(part.T_world_part @ s.T_body_shape)[:3, 3] for s in part.shapes]


AFFORDANCES: dict[PartKind, Callable[[Part], tuple[Shape, ...]]] = {
    "drawer": _front,
    "door": _free_edge,
}


class Hold(NamedTuple):
    """A tool pose (4, 4) and the width (m) between the pads there."""

    T_world_tool: Array
    width: float


def holds(part: Part, situation: Situation, tools: Tools, askew: bool = False) -> tuple[list[Hold], list[Hold]]:
    """Grips on a part, best first: those where what is fixed leaves the hand room at a quick look, and the others.

    `askew` ones close at a large angle to what they hold, which then must not turn between the fingers.
    """
    joint, gripper = part.joint, tools.world.robot.gripper
    assert joint is not None
    tools.world.load(situation.state())
    found = grasps.antipodal(
        part.shapes,
        part.T_world_part,
        gripper,
        graspable=graspable(part),
        preference=PREFERENCE,
        bias=lambda T: _lever_cost(T, joint),
        limit=LIMITS[askew],
        askew=askew,
    )
    out = [Hold(part.T_world_part @ g.T_body_tool, g.width) for g in grasps.diverse(found, part.T_world_part)]
    fixed = [p for o in situation.scene if not o.movable for p in o.parts if p.name != part.name]
    T = np.array([h.T_world_tool for h in out]).reshape(-1, 4, 4)
    openings = np.array([min(gripper.opening, h.width + SPARE_OPENING) for h in out])
    room = grasps.hand_clear(T, openings, boxes_of(fixed), gripper)
    return [h for h, r in zip(out, room, strict=True) if r], [h for h, r in zip(out, room, strict=True) if not r]


def _lever_cost(T_world_grasp: Array, joint: Joint) -> Array:
    """Cost (n,) of tool poses (n, 4, 4): come from the front (slide), hold far from the axis (hinge)."""
    if joint.kind == "slide":
        return np.asarray(1.0 + T_world_grasp[:, :3, 2] @ joint.axis_world * joint.sign)
    arm = T_world_grasp[:, :3, 3] - joint.anchor_world
    arm = arm - np.outer(arm @ joint.axis_world, joint.axis_world)
    return np.asarray(-8.0 * np.linalg.norm(arm, axis=1))


def push_contacts(part: Part, gripper: Gripper) -> list[Array]:
    """Tool poses (4, 4) with closed fingers against the part, from which pushing takes the joint to rest, best first:
    half way up a face where the hand has room before the part, then near its upper edge, which a hand reaches from
    above, anywhere on what moves."""
    joint = part.joint
    assert joint is not None
    handles = sorted((_face(s, part, joint) for s in graspable(part)), key=lambda f: -f.worth)[:6]
    faces = sorted((_face(s, part, joint) for s in part.shapes), key=lambda f: -f.worth)[:6]
    ways = [(p, u, tilt) for tilt in TILTS for p, u in _spots_on(handles, None, gripper)]
    ways += [(p, u, tilt) for tilt in EDGE_TILTS for below in EDGES for p, u in _spots_on(faces, below, gripper)]
    T = np.array([_tool(p, u, float(tilt), gripper.fingertip) for p, u, tilt in ways]).reshape(-1, 4, 4)
    room = grasps.hand_clear(T, np.zeros(len(T)), boxes_of([part]), gripper)
    return [T[i] for i in np.argsort(-1.0 * room, kind="stable")]


def _spots_on(faces: list[_Face], below: float | None, gripper: Gripper) -> list[tuple[Array, Array]]:
    """Points (3,) across faces, half way up or so many metres `below` their upper edges, each with where to push."""
    wide = [(share, f) for share in ACROSS for f in faces if share == 0 or np.linalg.norm(f.side) > gripper.fingertip]
    rises = [0.0 if below is None else max(0.0, f.up - below) for _, f in wide]
    up = np.array([0.0, 0.0, 1.0])
    return [(f.middle + share * f.side + rise * up, f.push) for (share, f), rise in zip(wide, rises, strict=True)]


def inner_contacts(part: Part, gripper: Gripper) -> list[Array]:
    """Tool poses (4, 4) with closed fingers against the inner face of a door, from which pushing opens it further;
    none when it is not ajar by as much as a closed hand."""
    joint = part.joint
    assert joint is not None
    spots = [s for shape in _innermost(part, joint) for s in _inner_spots(shape, part, joint)]
    wide = [(p, u) for p, u, gap in spots if gap > gripper.closed]
    return [_tool(p, u, float(tilt), gripper.fingertip) for tilt in INNER_TILTS for p, u in wide]


def _opening_direction(p: Array, joint: Joint) -> Array:
    """Where a point (3,) of the part goes (3,) when the joint opens, per radian or metre."""
    along = joint.axis_world if joint.kind == "slide" else np.cross(joint.axis_world, p - joint.anchor_world)
    return np.asarray(joint.sign * along)


def _normal(shape: Shape, part: Part, joint: Joint) -> tuple[int, Array]:
    """Which axis of a shape is most in the opening direction, and that axis (unit) that way."""
    T = part.T_world_part @ shape.T_body_shape
    cosines = T[:3, :3].T @ _opening_direction(T[:3, 3], joint)
    i = int(np.argmax(np.abs(cosines)))
    return i, T[:3, i] * float(np.sign(cosines[i]))


def _innermost(part: Part, joint: Joint) -> list[Shape]:
    """The shapes of a part that come first from inside, by their faces there, the widest first."""
    depth = {}
    for k, s in enumerate(part.shapes):
        i, n = _normal(s, part, joint)
        depth[k] = float(n @ (part.T_world_part @ s.T_body_shape)[:3, 3]) - s.half_extent[i]
    found = [part.shapes[k] for k, d in depth.items() if d < min(depth.values()) + INNERMOST]
    return sorted(found, key=lambda s: -float(np.prod(s.half_extent)))


def _inner_spots(shape: Shape, part: Part, joint: Joint) -> list[tuple[Array, Array, float]]:
    """Points (3,) on a shape's inner face far from the hinge, where each goes (unit, level), and how far (m) each
    has come from where it is when closed."""
    T = part.T_world_part @ shape.T_body_shape
    i, n = _normal(shape, part, joint)
    face = T[:3, 3] - n * shape.half_extent[i]
    up = float(np.abs(T[2, :3]) @ shape.half_extent)
    side = _to_side(T, n, shape)
    if side @ (T[:3, 3] - joint.anchor_world) < 0:
        side = -side
    out = []
    for below in BELOW_TOP:
        for share in TOWARDS_EDGE:
            p = face + share * side + np.array([0.0, 0.0, max(0.0, up - below)])
            u = _opening_direction(p, joint)
            out.append((p, _level(u), float(np.linalg.norm(u)) * abs(joint.value - joint.rest)))
    return out


class _Face(NamedTuple):
    """A shape's outer face: its middle (3,), the way to its side edge (3,), metres to its upper edge, the direction to
    push (unit, level), and its worth."""

    middle: Array
    side: Array
    up: float
    push: Array
    worth: float


def _face(shape: Shape, part: Part, joint: Joint) -> _Face:
    T = part.T_world_part @ shape.T_body_shape
    centre = T[:3, 3]
    u = _level(-_opening_direction(centre, joint))
    face = centre - u * float(np.abs(T[:3, :3].T @ u) @ shape.half_extent)
    worth = float(-face @ u) if joint.kind == "slide" else _from_axis(centre, joint)
    up = float(np.abs(T[2, :3]) @ shape.half_extent)
    return _Face(face, _to_side(T, u, shape), up, u, worth)


def _to_side(T_world_shape: Array, u: Array, shape: Shape) -> Array:
    """The way (3,), level and across a direction (3,), from the middle of a shape to its side."""
    across = np.cross([0.0, 0.0, 1.0], u)
    return np.asarray(across * float(np.abs(T_world_shape[:3, :3].T @ across) @ shape.half_extent))


def _level(direction: Array) -> Array:
    """The unit vector (3,) in which a direction (3,) goes seen from above."""
    return np.array([direction[0], direction[1], 0.0]) / max(float(np.linalg.norm(direction[:2])), 1e-9)


def _from_axis(p: Array, joint: Joint) -> float:
    """Metres from a hinge's axis to a point (3,)."""
    arm = p - joint.anchor_world
    return float(np.linalg.norm(arm - (arm @ joint.axis_world) * joint.axis_world))


def _tool(p: Array, u: Array, tilt: float, fingertip: float) -> Array:
    """The tool pose, but for half a turn about the approach, that pushes at point `p` along `u` with a face `fingertip`
    metres from the tool point, approaching `tilt` radians from straight down."""
    approach = np.sin(tilt) * u + np.array([0.0, 0.0, -np.cos(tilt)])
    across = np.cross([0.0, 0.0, 1.0], u)
    return pose(p - fingertip * u, np.column_stack([across, np.cross(approach, across), approach]))
