"""Which shapes of a moving part a hand would take hold of.

One small table of affordances by kind of part; extend it here. Every rule is geometry: the front of a drawer,
the free edge of a door, the top of a knob.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from motion.poses import Array
from motion.shapes import Shape
from tamp.model.scene import Part, PartKind

FRONT = 0.035
"""Metres behind a drawer's foremost point within which its handle lies."""
FREE_EDGE = 0.6
"""Share of a door's width, from the hinge, beyond which its handle lies."""


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
    arms = []
    for p in _centres(part):
        arm = p - joint.anchor_world
        arms.append(float(np.linalg.norm(arm - (arm @ joint.axis_world) * joint.axis_world)))
    return tuple(s for s, a in zip(part.shapes, arms, strict=True) if a > FREE_EDGE * max(arms))


def _centres(part: Part) -> list[Array]:
    return [(part.T_world_part @ s.T_body_shape)[:3, 3] for s in part.shapes]


AFFORDANCES: dict[PartKind, Callable[[Part], tuple[Shape, ...]]] = {
    "drawer": _front,
    "door": _free_edge,
}
