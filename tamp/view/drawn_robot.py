"""The robot that a log names, to be drawn: its links, where it stands, and its joints at each event."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from motion.arm_model import robot_model
from motion.arms import ARMS
from motion.poses import Array, from_quat
from motion.robot_shape import RobotShape, Solid
from tamp.errors import InputError
from tamp.view.log_fields import Event, is_measured


@dataclass(frozen=True, eq=False)
class DrawnRobot:
    """A robot that a log names. `period` are the seconds of its control step, `posture` (n,) rad where it rests by its
    description, None where that does not say; `p_flange_tool` (3,) is where its tool point is, None where the log has
    that at each step."""

    shape: RobotShape
    period: float | None = None
    posture: Array | None = None
    p_flange_tool: Array | None = None

    def configuration(self, event: Event) -> tuple[Array, float] | None:
        """Joint values (n,) rad and metres between the fingers, as this robot felt them in an event; None in one that
        has none of it."""
        q, opening = event.get("q"), event.get("fingers")
        if event.get("event") not in MOVES or not _numbers(q, len(self.shape.arm_joints)):
            return None
        return np.asarray(q, dtype=float), float(opening) if is_measured(opening) else 0.0

    def tool(self, event: Event) -> Array | None:
        """Where its tool point is in an event (3,), metres in the world frame; None without joint values."""
        felt = self.configuration(event)
        if felt is None or self.p_flange_tool is None:
            return None
        T_world_flange = self.shape.frame(FLANGE, felt[0])
        return np.asarray(T_world_flange[:3, :3] @ self.p_flange_tool + T_world_flange[:3, 3])


FLANGE = "tool"
"""The part of an arm's model (`motion.arm_model`) that is at its flange."""
MOVES = ("command", "begin", "at")
"""Events that have the joint values of a robot."""


def robot_of(e: Event) -> DrawnRobot | None:
    """The robot that an event names; None where it names none of which there is a description here, as of a body's
    file that is gone."""
    if e.get("event") in ("start", "world") and isinstance(e.get("arm"), str) and e["arm"] in ARMS:
        return _from_table(e)
    from tamp.backends import bodies

    body, shoulder, period = (e.get(k) for k in ("body", "shoulder", "period"))
    if e.get("event") != "robot" or not isinstance(body, str) or not _turned(shoulder):
        return None
    try:
        found = bodies.find(body)
    except InputError:
        return None
    values = np.asarray(shoulder, dtype=float)
    known = float(period) if is_measured(period) and period > 0 else None
    placed = RobotShape.of(found.robot).with_shoulder_at(from_quat(values[:3], values[3:]))
    return DrawnRobot(placed, known, found.robot.posture)


def _from_table(e: Event) -> DrawnRobot:
    """An arm in the frame of its own base, with the tool that the event has."""
    from tamp.backends.xarm.motion_planner import tool_of

    tool = e.get("tool")
    values = np.asarray(tool, dtype=float) if _turned(tool) else np.array([0, 0, 0, 1, 0, 0, 0.0])
    T_flange_tool = from_quat(values[:3], values[3:])
    mounted = tool_of(T_flange_tool) if np.any(T_flange_tool[:3, 3]) else None
    shape = RobotShape.of(robot_model(ARMS[e["arm"]], mounted))
    return DrawnRobot(shape, p_flange_tool=T_flange_tool[:3, 3])


def _numbers(values: Any, n: int) -> bool:
    """Whether a field has so many numbers that can be measurements."""
    return isinstance(values, list) and len(values) == n and all(map(is_measured, values))


def _turned(values: Any) -> bool:
    """Whether a field is a position and a quaternion."""
    return _numbers(values, 7) and 0.5 < float(np.linalg.norm(values[3:])) < 2.0


def links_of(shape: RobotShape) -> list[dict[str, Any]]:
    """A robot as the pages' script draws it (templates/space.js): its links, parents first.

    `parent` is the number of one, -1 for the world; `at` are the 12 numbers of `T_parent_link`, 3 rows of rotation and
    position, while its joint is at zero; `joint` None or its `kind`, `axis`, and which of the robot's values moves it,
    `times` so much; `solids` are points and faces. The values are the arm's joints [rad] and then how far apart the
    fingers are [m].
    """
    number = {part.name: n for n, part in enumerate(shape.parts)}
    solids = dict(zip(shape.links, shape.solids, strict=True))
    links = []
    for part in shape.parts:
        T = part.T_parent_part if part.parent else shape.T_world_root @ part.T_parent_part
        joint: dict[str, Any] | None = None
        if part.joint is not None and part.joint.name in (*shape.arm_joints, *shape.finger_joints):
            low, high = part.joint.limits or (0.0, 0.0)
            moves: dict[str, Any] = {"value": len(shape.arm_joints), "times": float(np.copysign(0.5, low + high))}
            if part.joint.name in shape.arm_joints:
                moves = {"value": shape.arm_joints.index(part.joint.name), "times": 1.0}
            joint = {"kind": part.joint.kind, "axis": part.joint.axis.round(6).tolist(), **moves}
        parent = number[part.parent] if part.parent else -1
        links.append(
            {"parent": parent, "at": rows_of(T), "joint": joint, "solids": solids_data(solids.get(part.name, ()))}
        )
    return links


def solids_data(solids: Sequence[Solid]) -> list[Any]:
    """Solids as plain data for the script: points, and triangles as indices of points."""
    return [[s.points.round(4).tolist(), s.faces.tolist()] for s in solids]


def rows_of(T: Array) -> list[float]:
    """The 12 numbers of a transform (4, 4): 3 rows of rotation and position."""
    return [float(v) for v in T[:3].round(5).ravel()]
