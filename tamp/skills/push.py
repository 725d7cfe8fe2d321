"""Where closed fingertips push a part along its joint."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from motion.poses import Array, pose
from motion.robot import Gripper
from motion.shapes import Shape
from tamp.model.scene import Joint, Part
from tamp.skills.handles import graspable

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
TOWARDS_EDGE = (0.8, 0.5, 0.2)
"""Where on a door to push from inside, as a share of the way from its middle to its free edge."""


def contacts(part: Part, gripper: Gripper) -> list[Array]:
    """Tool poses (4, 4) with closed fingers against the part, from which pushing takes the joint to rest."""
    joint = part.joint
    assert joint is not None
    faces = sorted((_face(s, part, joint) for s in graspable(part)), key=lambda f: -f.worth)[:6]
    wide = [(share, f) for share in ACROSS for f in faces if share == 0 or f.width > gripper.fingertip]
    ways = [(f.middle + share * f.side, f.push) for share, f in wide]
    return [T for tilt in TILTS for p, u in ways for T in _tools(p, u, float(tilt), gripper.fingertip)]


def inner_contacts(part: Part, gripper: Gripper) -> list[Array]:
    """Tool poses (4, 4) with closed fingers against the inner face of a door, from which pushing opens it further;
    none when it is not ajar by as much as a closed hand."""
    joint = part.joint
    assert joint is not None
    spots = [s for shape in _innermost(part, joint) for s in _inner_spots(shape, part, joint)]
    wide = [(p, u) for p, u, gap in spots if gap > gripper.closed]
    return [T for tilt in INNER_TILTS for p, u in wide for T in _tools(p, u, float(tilt), gripper.fingertip)]


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
    across = np.cross([0.0, 0.0, 1.0], n)
    side = across * float(np.abs(T[:3, :3].T @ across) @ shape.half_extent)
    if side @ (T[:3, 3] - joint.anchor_world) < 0:
        side = -side
    out = []
    for below in BELOW_TOP:
        for share in TOWARDS_EDGE:
            p = face + share * side + np.array([0.0, 0.0, max(0.0, up - below)])
            u = _opening_direction(p, joint)
            gap = float(np.linalg.norm(u)) * abs(joint.value - joint.rest)
            u = np.array([u[0], u[1], 0.0]) / max(float(np.linalg.norm(u[:2])), 1e-9)
            out.append((p, u, gap))
    return out


@dataclass(frozen=True, eq=False)
class _Face:
    """A shape's outer face: its middle (3,), the way to its side edge (3,), the direction to push (unit, level),
    and its worth."""

    middle: Array
    side: Array
    push: Array
    worth: float

    @property
    def width(self) -> float:
        return float(np.linalg.norm(self.side))


def _face(shape: Shape, part: Part, joint: Joint) -> _Face:
    T = part.T_world_part @ shape.T_body_shape
    centre = T[:3, 3]
    arm = centre - joint.anchor_world
    arm = arm - (arm @ joint.axis_world) * joint.axis_world
    along = joint.axis_world if joint.kind == "slide" else np.cross(joint.axis_world, arm)
    u = -joint.sign * along / max(float(np.linalg.norm(along)), 1e-9)
    u = np.array([u[0], u[1], 0.0]) / max(float(np.linalg.norm(u[:2])), 1e-9)
    across = np.cross([0.0, 0.0, 1.0], u)
    face = centre - u * float(np.abs(T[:3, :3].T @ u) @ shape.half_extent)
    side = across * float(np.abs(T[:3, :3].T @ across) @ shape.half_extent)
    worth = float(-face @ u) if joint.kind == "slide" else float(np.linalg.norm(arm))
    return _Face(face, side, u, worth)


def _tools(p: Array, u: Array, tilt: float, fingertip: float) -> list[Array]:
    """Two tool poses that push at point `p` along `u` with a face `fingertip` metres from the tool point, approaching
    `tilt` radians from straight down."""
    approach = np.sin(tilt) * u + np.array([0.0, 0.0, -np.cos(tilt)])
    across = np.cross([0.0, 0.0, 1.0], u)
    frames = [np.column_stack([s * across, np.cross(approach, s * across), approach]) for s in (1.0, -1.0)]
    return [pose(p - fingertip * u, R) for R in frames]
