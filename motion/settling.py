"""How a thing turns between the fingers that close on it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from motion.poses import Array, pose, rotation_about
from motion.world import State, World

STEP = np.radians(1.0)
MOST = np.radians(25.0)
LEAST_GAIN = 0.001
"""Metres by which the fingers must come nearer to each other for a thing to turn."""
OPEN = 0.02
"""Metres wider than the grasp at which it is looked how near the pads could come."""
ACROSS = np.array([0.0, 1.0, 0.0])
"""The tool's axis that lies in both pads, across the approach: the fingers close along x, the approach is z."""


def settled(world: World, state: State, width: float) -> tuple[Array, float]:
    """Pose (4, 4) in the tool frame that what `state` has in the hand comes to, and the opening (m) of the fingers.

    Flat pads press on a wall that is not parallel to them until it is: it turns, about the axis across the approach
    that lies in the pads, to where the fingers are nearest to each other. So a bowl that is grasped at its sloping rim
    comes to hang askew as soon as nothing holds it up. `width` (m) is the opening of the grasp. The world is left
    loaded with something else.
    """
    assert state.held is not None and state.T_tool_held is not None
    item, T_tool_item = state.held, state.T_tool_held
    opening = min(world.robot.gripper.opening, width + OPEN)

    def turned(angle: float) -> Array:
        return np.asarray(pose(np.zeros(3), rotation_about(ACROSS, angle)) @ T_tool_item)

    def between(angle: float) -> float:
        world.load(replace(state, T_tool_held=turned(angle), opening=opening))
        return opening - sum(world.pad_distances(item))

    start, best, least = between(0.0), 0.0, np.inf
    for sign in (1.0, -1.0):
        angle, here = 0.0, start
        while abs(angle) < MOST and (there := between(angle + sign * STEP)) < here:
            angle, here = angle + sign * STEP, there
        if here < least:
            best, least = angle, here
    if start - least < LEAST_GAIN:
        return T_tool_item, width
    return turned(best), max(0.0, float(least))
