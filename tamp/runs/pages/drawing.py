"""A robot as the pages' script draws it: links on joints, with the convex solids on each (templates/space.js)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from motion.poses import Array
from motion.robot_shape import RobotShape, Solid, polygons


def drawing(shape: RobotShape) -> list[dict[str, Any]]:
    """The links of a robot, parents first.

    `parent` is the number of one, -1 for the world; `at` are the 12 numbers of `T_parent_link`, 3 rows of rotation and
    position, while its joint is at zero; `joint` None or its `kind`, `axis`, and which of the robot's values moves it,
    `times` so much; `solids` are points and faces. The values are the arm's joints [rad] and then how far apart the
    fingers are [m].
    """
    number = {part.name: n for n, part in enumerate(shape.parts)}
    links = []
    for part in shape.parts:
        at = part.T_parent_part if part.parent else shape.T_world_root @ part.T_parent_part
        joint: dict[str, Any] | None = None
        if part.joint is not None and part.joint.name in shape.arm_joints:
            joint = {"kind": part.joint.kind, "value": shape.arm_joints.index(part.joint.name), "times": 1.0}
        elif part.joint is not None and part.joint.name in shape.finger_joints:
            low, high = part.joint.limits or (0.0, 0.0)
            half = float(np.copysign(0.5, low + high))
            joint = {"kind": part.joint.kind, "value": len(shape.arm_joints), "times": half}
        if joint is not None and part.joint is not None:
            joint["axis"] = _plain(part.joint.axis)
        parent = number[part.parent] if part.parent else -1
        links.append({"parent": parent, "at": _plain(at[:3]), "joint": joint, "solids": []})
    for name, solids in zip(shape.links, shape.solids, strict=True):
        links[number[name]]["solids"] = [_solid(s) for s in solids]
    return links


def polyhedra(solids: Sequence[Solid]) -> list[Any]:
    """Solids as the script draws those of things: points, and polygons with edges."""
    return [[s.points.round(4).tolist(), polygons(s)] for s in solids]


def _solid(solid: Solid) -> list[Any]:
    return [solid.points.round(4).tolist(), solid.faces.tolist()]


def _plain(values: Array) -> list[float]:
    return [float(v) for v in np.asarray(values, dtype=float).round(6).ravel()]
