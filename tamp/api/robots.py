"""Robots that work at a table: which are shipped, and what a robot's file, or a model, comes to."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from motion.poses import Array
    from motion.robot_parts import RigidPart
    from tamp.backends.bodies import RobotBody


def names() -> list[str]:
    """The robots that are shipped."""
    from tamp.backends import bodies

    return bodies.names()


def described(name: str) -> dict[str, Any]:
    """A robot as it is used, by its name or its .toml; or the `links` and joints of a model that one can be made of, a
    .urdf or .xml. InputError where there is none, or it cannot be read."""
    from tamp.backends import bodies

    return _model(name) if bodies.is_model(name) else _robot(name)


def _model(name: str) -> dict[str, Any]:
    """Joints and links of a model, metres, radians and kilograms. InputError where it cannot be read."""
    from tamp.backends import bodies

    parts: tuple[RigidPart, ...] = bodies.read_model(name)
    return {
        "joints": [
            {"name": j.name, "kind": j.kind, "limits": j.limits, "link": p.name, "on": p.parent}
            for p in parts
            if (j := p.joint)
        ],
        "links": [
            {"name": p.name, "on": p.parent, "shapes": list(p.solids), "size": _size(p), "mass": round(p.mass, 4)}
            for p in parts
        ],
    }


def _size(part: RigidPart) -> list[float]:
    corners = part.corners()
    return (corners.max(axis=0) - corners.min(axis=0)).round(4).tolist() if len(corners) else [0.0, 0.0, 0.0]


def _robot(name: str) -> dict[str, Any]:
    """A robot as it is used, by its name or its .toml: metres, radians and kilograms; boxes are lower and upper corners
    in the tool's frame. InputError for a robot that there is not."""
    from motion.robot_shape import survey
    from tamp.backends import bodies

    body: RobotBody = bodies.find(name)
    described, found = body.robot, survey(body.robot)
    return {
        "name": body.name,
        "reach": body.reach,
        "stands": _rounded(body.moved()),
        "yaw": round(body.yaw, 4),
        "joints": [
            {"name": name, "limits": limits, "posture": value}
            for name, limits, value in zip(
                described.arm_joints, found["limits"].round(4).tolist(), described.posture.tolist(), strict=True
            )
        ],
        "tool": {
            "position": _rounded(found["T_base_tool"][:3, 3]),
            "x": _rounded(found["T_base_tool"][:3, 0]),
            "z": _rounded(found["T_base_tool"][:3, 2]),
        },
        "opening": round(described.gripper.opening, 4),
        **{name: [_rounded(corner) for corner in found[name]] for name in ("pads", "fingers", "palm")},
        "watched": found["watched"],
        "mass": round(found["kilograms"], 2),
    }


def _rounded(values: Array) -> list[float | None]:
    return [None if math.isnan(v) else round(v, 4) + 0.0 for v in values.tolist()]
