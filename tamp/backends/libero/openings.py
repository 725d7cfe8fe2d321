"""Where drawers, doors and knobs of a declared scene start, and the room that drawers and doors take when they open."""

from __future__ import annotations

import numpy as np

from motion.poses import Array
from motion.shapes import bounds
from tamp.model.scene import Joint, Part, SceneObject
from tamp.skills.place_targets import outside

Box = tuple[Array, Array]
"""Lower and upper corner (3,), (3,), metres, world axes."""

OPENED = 0.8
"""Share of the way from where a part counts as open, or on, to the end of its joint, at which it starts."""


def opened(joint: Joint) -> float:
    """The joint value at which a part that is declared open, or on, starts."""
    end = joint.limits[1] if joint.sign > 0 else joint.limits[0]
    return joint.active + OPENED * (end - joint.active)


def closed(joint: Joint) -> float:
    """The joint value at which a part that is not starts."""
    return float(np.clip(0.0, *joint.limits))


def farthest(joint: Joint) -> float:
    """Metres or radians from where a part is closed, or off, to the end of its joint."""
    return abs((joint.limits[1] if joint.sign > 0 else joint.limits[0]) - closed(joint))


def far_open(joint: Joint) -> float:
    """Metres or radians by which a part is open, or turned on."""
    return joint.sign * (joint.value - closed(joint))


def started(joint: Joint, far: float | None) -> float:
    """The joint value at which a part starts that is declared open, or on, so far; None: as far as usual."""
    return opened(joint) if far is None else closed(joint) + joint.sign * far


def _moved(part: Part, value: float) -> Box:
    assert part.joint is not None
    return bounds(part.shapes, part.joint.displacement(value) @ part.T_world_part)


def swept(o: SceneObject) -> list[Box]:
    """The box around a thing, then those of its drawers and doors when they are open."""
    doors = [p for p in o.parts if p.kind in ("drawer", "door") and p.joint is not None and p.shapes]
    return [o.bounds(), *(_moved(p, opened(p.joint)) for p in doors if p.joint is not None)]


def facing(o: SceneObject, towards: Array) -> float:
    """The quarter turn (rad) with which the way into a fixture is most towards a direction (2,); 0 without doors."""
    into = [outside(o, r)[0] for r in o.regions if r.kind == "interior" and r.door is not None]
    if not into:
        return 0.0
    out = o.T_world_object[:2, :2].T @ np.mean(into, axis=0)[:2]
    angle = float(np.arctan2(towards[1], towards[0]) - np.arctan2(out[1], out[0]))
    return float(np.round(angle / (0.5 * np.pi)) * 0.5 * np.pi)


def meet(a: Box, b: Box, gap: float) -> bool:
    """Whether two boxes overlap, or are nearer than `gap` metres along every axis."""
    return bool((a[0] - gap < b[1]).all() and (b[0] - gap < a[1]).all())
