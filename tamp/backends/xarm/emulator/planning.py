"""From a command and where the arm is to the motion that it stands for, or a MotionError with the controller's code."""

from __future__ import annotations

import math

import numpy as np

from motion.poses import Array, rotation_vector
from tamp.backends.xarm.emulator.body import KINEMATIC, Body, MotionError
from tamp.backends.xarm.emulator.choices import Choices
from tamp.backends.xarm.emulator.commands import ArcMove, Command, JointMove, LineMove, Sleep, place
from tamp.backends.xarm.emulator.profiles import ArcPath, JointPath, LinePath, Motion, Path, Profile, circle
from tamp.backends.xarm.emulator.wire import from_pose

NOT_A_CIRCLE = 32
"""Error code of three points in a line."""
STEPS = 60
"""Places at most at which a Cartesian move is solved before it starts."""


def plan(command: Command, q: Array, T: Array, body: Body, choices: Choices) -> Motion:
    """The motion of a command from a configuration (n,) and the tool's pose (4, 4) there.

    A Cartesian one is solved along its way first (`choices.look_ahead`). Raises MotionError.
    """
    if isinstance(command, JointMove):
        return _joint(command, q, body, choices)
    if isinstance(command, LineMove):
        return _line(command, q, T, body, choices)
    if isinstance(command, ArcMove):
        return _arc(command, q, T, body, choices)
    seconds = command.seconds if isinstance(command, Sleep) else 0.0
    return Motion(JointPath(q, q), Profile(seconds, 1.0, 1e9), 0.0)


def _joint(command: JointMove, q: Array, body: Body, choices: Choices) -> Motion:
    given = np.array(command.joints[: len(q)])
    stays = np.isinf(given)
    target = np.where(stays, q, q + np.where(stays, 0.0, given) if command.relative else given)
    speed, acceleration = min(command.speed, choices.joint_speed), min(command.acceleration, choices.joint_acceleration)
    return _to_joints(q, body.check(target), speed, acceleration, command.radius)


def _to_joints(q: Array, target: Array, speed: float, acceleration: float, radius: float) -> Motion:
    """All joints start and end together; the one with the longest way has the speed. Any radius blends them."""
    length = float(np.abs(target - q).max())
    profile = Profile(1.0, speed / length, acceleration / length) if length > 1e-9 else Profile(0.0, 1.0, 1.0)
    return Motion(JointPath(q, target), profile, length, math.inf if radius > 0 else 0.0)


def _line(command: LineMove, q: Array, T: Array, body: Body, choices: Choices) -> Motion:
    end = place(command, command.values, T, from_pose(T, command.axis_angle))
    path = LinePath(T, end)
    way = float(np.linalg.norm(end[:3, 3] - T[:3, 3]))
    turn = float(np.linalg.norm(rotation_vector(end[:3, :3] @ T[:3, :3].T)))
    if command.joint != 2:
        try:
            look_ahead(path, way, turn, q, body, choices)
            return _along(path, way, turn, command, choices, command.radius)
        except MotionError:
            if command.joint != 1:
                raise
    target = body.solve(end, q)
    if target is None:
        raise MotionError(KINEMATIC)
    # no joint moves faster than the tool was asked to on the line
    seconds = max(_along(path, way, turn, command, choices, 0.0).profile.duration, 1e-3)
    speed = min(1.5 * float(np.abs(target - q).max()) / seconds + 1e-6, choices.joint_speed)
    return _to_joints(q, target, speed, choices.joint_acceleration, 0.0)


def _arc(command: ArcMove, q: Array, T: Array, body: Body, choices: Choices) -> Motion:
    keep = from_pose(T, command.axis_angle)
    second, third = (place(command, v, T, keep)[:3, 3] for v in (command.first, command.second))
    found = circle(T[:3, 3], second, third)
    if found is None:
        raise MotionError(NOT_A_CIRCLE)
    centre, axis, radius = found
    angle = 2 * math.pi * command.share
    path = ArcPath(T, centre, axis, angle)
    way = abs(angle) * radius
    look_ahead(path, way, 0.0, q, body, choices)
    return _along(path, way, 0.0, command, choices, 0.0)


def _along(path: Path, way: float, turn: float, command: LineMove | ArcMove, choices: Choices, radius: float) -> Motion:
    """At the command's speed over the way, unless it turns faster than the tool may."""
    speed = min(_over(command.speed, way), _over(choices.rotation_speed, turn))
    acceleration = min(_over(command.acceleration, way), _over(choices.rotation_acceleration, turn))
    profile = Profile(1.0, speed, acceleration) if math.isfinite(speed) else Profile(0.0, 1.0, 1.0)
    return Motion(path, profile, way, radius)


def _over(rate: float, length: float) -> float:
    return rate / length if length > 1e-9 else math.inf


def look_ahead(path: Path, way: float, turn: float, q: Array, body: Body, choices: Choices) -> None:
    """Solve a Cartesian path from its start. Raises MotionError when the arm cannot follow it."""
    if choices.look_ahead <= 0:
        return
    steps = min(max(math.ceil(way / choices.look_ahead), math.ceil(turn / 0.2), 1), STEPS)
    for k in range(1, steps + 1):
        q = body.follow(path.at(k / steps), q)
