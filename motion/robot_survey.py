"""What a description comes to, measured on its model: where the tool is, and the hand around it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from motion.poses import Array, inverse, moved, pose
from motion.robot import RobotDescription
from motion.robot_parts import Part, parts_in
from motion.world import World


@dataclass(frozen=True, eq=False)
class Survey:
    """A robot at its posture with the hand open. `T_base_tool` (4, 4); boxes (2, 3), lower and upper corner, in the
    tool's frame, around the `pads`, the `fingers` and the `palm`, which is all that the last joint of the arm carries
    without them; `limits` (n, 2) of the arm's joints; `watched` pairs of shapes must not touch; `kilograms` of all
    that moves."""

    T_base_tool: Array
    pads: Array
    fingers: Array
    palm: Array
    limits: Array
    watched: int
    kilograms: float


def survey(robot: RobotDescription) -> Survey:
    """The robot's hand and arm, with its base where the description has it. It has two fingers."""
    world = World(robot, [])
    m, d = world.model, world.data
    T_base_tool = world.forward(robot.posture)
    parts = {p.name: p for p in parts_in(m)}

    def behind(joints: Iterable[str]) -> Callable[[Part], bool]:
        return lambda part: any(j in joints for j in _joints_above(parts, part))

    def box(wanted: Callable[[Part], bool], solids: tuple[str, ...] = ()) -> Array:
        found = [np.zeros((0, 3))]
        for part in filter(wanted, parts.values()):
            body = d.body(part.name)
            T_tool_part = inverse(T_base_tool) @ pose(body.xpos, body.xmat.reshape(3, 3))
            found.append(moved(part.corners(*solids), T_tool_part))
        points = np.concatenate(found)
        return np.array([points.min(axis=0), points.max(axis=0)]) if len(points) else np.full((2, 3), np.nan)

    on_finger, on_arm = behind(robot.finger_joints), behind(robot.arm_joints[-1:])
    return Survey(
        T_base_tool=T_base_tool,
        pads=box(on_finger, robot.pad_geoms),
        fingers=box(on_finger),
        palm=box(lambda part: on_arm(part) and not on_finger(part)),
        limits=world.limits,
        watched=int(m.npair),
        kilograms=sum(p.mass for p in parts.values() if _joints_above(parts, p)),
    )


def _joints_above(parts: dict[str, Part], part: Part) -> list[str]:
    """The joints that move a part, its own first."""
    found, at = [], part.name
    while at in parts:
        joint = parts[at].joint
        found += [joint.name] if joint else []
        at = parts[at].parent or ""
    return found
