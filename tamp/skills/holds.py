"""Where fingers may take hold of a part that moves on a joint."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from motion import grasps
from motion.poses import Array
from tamp.model.scene import Joint, Part
from tamp.model.situation import Situation
from tamp.skills.base import Tools
from tamp.skills.handles import graspable
from tamp.skills.pick import SPARE_OPENING

PREFERENCE = grasps.Preference(tilt=0.15, off_centre=0.0, coverage=1.0, depth=0.0)
"""Weights of what makes a grip good for moving a part: coverage above all; depth and tilt matter little."""
LIMITS = {False: 400, True: 3000}
"""Grasps that are looked at, those that close squarely and those askew, most of which have no room."""


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
    boxes = [(p.T_world_part @ s.T_body_shape, s.half_extent) for p in fixed for s in p.shapes if s.kind != "plane"]
    T = np.array([h.T_world_tool for h in out]).reshape(-1, 4, 4)
    openings = np.array([min(gripper.opening, h.width + SPARE_OPENING) for h in out])
    room = grasps.hand_clear(T, openings, boxes, gripper)
    return [h for h, r in zip(out, room, strict=True) if r], [h for h, r in zip(out, room, strict=True) if not r]


def _lever_cost(T_world_grasp: Array, joint: Joint) -> Array:
    """Cost (n,) of tool poses (n, 4, 4): come from the front (slide), hold far from the axis (hinge)."""
    if joint.kind == "slide":
        return np.asarray(1.0 + T_world_grasp[:, :3, 2] @ joint.axis_world * joint.sign)
    arm = T_world_grasp[:, :3, 3] - joint.anchor_world
    arm = arm - np.outer(arm @ joint.axis_world, joint.axis_world)
    return np.asarray(-8.0 * np.linalg.norm(arm, axis=1))
