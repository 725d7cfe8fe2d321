"""Where a body comes to rest: lowered until it touches, whether it then stands, and turned by closing fingers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.spatial import ConvexHull

from motion.poses import Array, pose, rotation_about
from motion.world import DETECTION_MARGIN, State, World

STEP = 0.004
"""Metres of a step down, at least, while it is free; halved at the contact."""
STANDS = 0.003
"""Metres within the hull of its supports at which a centre of mass must be."""
TOUCHES = 0.0015
"""Metres within which a body supports another."""
PRESSED = 0.001
"""Metres by which it is pressed on what is under it to find the points: of two faces that are only near each other
MuJoCo's collider for boxes often reports a single one (seen with 3.3.2)."""
TOUCH = 2e-4
"""Metres above a contact that count as touching."""
TURN_STEP, MOST_TURN = np.radians(1.0), np.radians(25.0)
"""By which a thing turns between the fingers in a step, and at most."""
LEAST_GAIN = 0.001
"""Metres by which the fingers must come nearer to each other for a thing to turn."""
SPARE_OPENING = 0.02
"""Metres wider than the grasp at which it is looked how near the pads could come."""
ACROSS = np.array([0.0, 1.0, 0.0])
"""The tool's axis that lies in both pads, across the approach: the fingers close along x, the approach is z."""


def drop(
    world: World, name: str, T_world_start: Array, depth: float, ignore: frozenset[str] = frozenset()
) -> tuple[Array, frozenset[str]] | None:
    """Lower body `name` from `T_world_start` until it touches something; bodies in `ignore` are not there.

    Returns its pose, at most a quarter of a millimetre above the contact, and the names of the bodies under it; None
    when the start already touches or nothing is met within `depth` metres.
    """

    def at(z: float) -> Array:
        return pose(T_world_start[:3, 3] - [0.0, 0.0, z], T_world_start[:3, :3])

    def gap(z: float) -> float:
        """Distance to the nearest body, at most the detection margin."""
        return world.gap(name, at(z), DETECTION_MARGIN, ignore)

    free, near, step = 0.0, gap(0.0), STEP
    if near < 0:
        return None
    while True:
        ahead = gap(free + max(near, step))
        if ahead > 0:
            free, near = free + max(near, step), ahead
            if free > depth:
                return None
        elif step > max(near, TOUCH):
            step /= 2
        elif near > TOUCH:  # nothing that near can be met on a shorter way
            free += near
            near = gap(free)
        else:
            break
    touched = world.body_contacts(name, at(free + STEP / 2))
    return at(free), frozenset(c.other for c in touched) - ignore


def stands(world: World, name: str, T_world_body: Array, centre: Array) -> bool:
    """Whether body `name` at rest at `T_world_body` stands, its centre of mass being at `centre` (3,), world frame:
    that is over the convex hull of what it touches, by `STANDS`, and not only from two sides of an edge."""
    pressed = pose(T_world_body[:3, 3] - [0.0, 0.0, PRESSED], T_world_body[:3, :3])
    points = world.contact_points(name, pressed, TOUCHES - PRESSED)[:, :2]
    if len(points) < 3 or np.linalg.matrix_rank(points - points[0], tol=STANDS) < 2:
        return False
    hull = ConvexHull(points)
    return bool((hull.equations[:, :2] @ centre[:2] + hull.equations[:, 2] < -STANDS).all())


def yaws(count: int) -> Array:
    """Yaw angles (count,) in radians, nearest to zero first."""
    turns = 2 * np.pi * np.arange(count) / count
    wrapped = np.mod(turns + np.pi, 2 * np.pi) - np.pi
    return np.asarray(wrapped[np.argsort(np.abs(wrapped), kind="stable")])


def turned(T: Array, yaw: float) -> Array:
    """The pose turned by `yaw` radians about the vertical through its own origin."""
    c, s = np.cos(yaw), np.sin(yaw)
    return pose(T[:3, 3], np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ T[:3, :3])


def settled(world: World, state: State, width: float) -> tuple[Array, float]:
    """Pose (4, 4) in the tool frame that what `state` has in the hand comes to, and the opening (m) of the fingers.

    Flat pads press on a wall that is not parallel to them until it is: it turns, about the axis across the approach
    that lies in the pads, to where the fingers are nearest to each other. So a bowl that is grasped at its sloping rim
    comes to hang askew as soon as nothing holds it up. `width` (m) is the opening of the grasp. The world is left
    loaded with something else.
    """
    assert state.held is not None and state.T_tool_held is not None
    item, T_tool_item = state.held, state.T_tool_held
    opening = min(world.robot.gripper.opening, width + SPARE_OPENING)

    def turned(angle: float) -> Array:
        return np.asarray(pose(np.zeros(3), rotation_about(ACROSS, angle)) @ T_tool_item)

    def between(angle: float) -> float:
        world.load(replace(state, T_tool_held=turned(angle), opening=opening))
        return opening - sum(world.pad_distances(item))

    start, best, least = between(0.0), 0.0, np.inf
    for sign in (1.0, -1.0):
        angle, here = 0.0, start
        while abs(angle) < MOST_TURN and (there := between(angle + sign * TURN_STEP)) < here:
            angle, here = angle + sign * TURN_STEP, there
        if here < least:
            best, least = angle, here
    if start - least < LEAST_GAIN:
        return T_tool_item, width
    return turned(best), max(0.0, float(least))
