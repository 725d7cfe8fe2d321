"""Where closed fingertips push a part along its joint."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from motion.poses import Array, pose
from motion.shapes import Shape
from tamp.scene import Joint, Part
from tamp.skills.handles import graspable

FINGER = 0.014
"""Metres from the tool point to the surface that a closed fingertip pushes."""
TILTS = np.radians([30, 45, 15, 0, 60, 75])
"""Angles between the approach axis and straight down, leaning towards the push."""

ACROSS = (0.0, 0.75, -0.75, 0.4, -0.4)
"""Where on a wide face to push, as a share of the way from its middle to its side edge."""


def contacts(part: Part) -> list[Array]:
    """Tool poses (4, 4) with closed fingers against the part, from which pushing takes the joint to rest."""
    joint = part.joint
    assert joint is not None
    faces = sorted((_face(s, part, joint) for s in graspable(part)), key=lambda f: -f.worth)[:6]
    spots = [f.middle + share * f.side for share in ACROSS for f in faces if share == 0 or f.is_wide]
    pushes = [f.push for share in ACROSS for f in faces if share == 0 or f.is_wide]
    return [T for tilt in TILTS for p, u in zip(spots, pushes, strict=True) for T in _tools(p, u, float(tilt))]


@dataclass(frozen=True, eq=False)
class _Face:
    """A shape's outer face: its middle (3,), the way to its side edge (3,), the direction to push (unit, level),
    and its worth."""

    middle: Array
    side: Array
    push: Array
    worth: float

    @property
    def is_wide(self) -> bool:
        return float(np.linalg.norm(self.side)) > FINGER


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


def _tools(p: Array, u: Array, tilt: float) -> list[Array]:
    """Two tool poses that push at point `p` along `u`, approaching `tilt` radians from straight down."""
    approach = np.sin(tilt) * u + np.array([0.0, 0.0, -np.cos(tilt)])
    across = np.cross([0.0, 0.0, 1.0], u)
    frames = [np.column_stack([s * across, np.cross(approach, s * across), approach]) for s in (1.0, -1.0)]
    return [pose(p - FINGER * u, R) for R in frames]
