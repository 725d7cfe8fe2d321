"""What is mounted on an arm's flange: tools, and parallel grippers as boxes, a palm and two fingers that slide."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from motion.poses import Array, pose, rotation_about
from motion.robot import Gripper
from motion.robot_parts import PartJoint, RigidPart
from motion.shapes import Shape

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

    @property
    def as_tool(self) -> Tool:
        """What of it never moves, as arms that only know tools have it."""
        return Tool(self.palm, self.T_flange_tool)

    def fingers(self, flange: str) -> Iterator[RigidPart]:
        """Two fingers that slide apart along the tool's x, zero when they touch, on a part that is called so."""
        half = self.finger
        for name, pad, side in zip(FINGERS, PADS, (1.0, -1.0), strict=True):
            low, high = sorted((0.0, side * self.gripper.opening / 2))
            slides = PartJoint(name, "slide", np.array([1.0, 0.0, 0.0]), (low, high))
            box = Shape("box", half, pose([side * half[0], 0.0, self.tip - half[2]]))
            yield RigidPart(name, flange, self.T_flange_tool, slides, {pad: box}, 0.08, 1e-4 * np.eye(3))


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
