"""Two fingers that slide, measured on their parts: which end of each joint is open, and how far the pads go apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import mujoco
import numpy as np

from motion.poses import Array, inverse, moved, pose
from motion.robot_parts import ModelError, RigidPart, joints_above, mjcf

if TYPE_CHECKING:
    from motion.robot_assembly import AssemblySpec

ALONG = 0.98
"""Cosine of the angle up to which two directions are the same."""
TOUCHING = 0.002
"""Metres between the pads up to which a closed hand is closed: shapes are no better."""
OPENING_ERROR = 0.005
"""Metres by which an opening that is stated may miss the one that is measured."""
BESIDE = 0.005
"""Metres by which the tool point may miss the middle between the pads."""
AROUND = 0.01
"""Metres from the pads, across the fingers, within which the tool point is between them."""


@dataclass(frozen=True, eq=False)
class Fingers:
    """`joints` and `pads`, solids, of the two fingers; `opened` and `closed` the values of the joints at those ends;
    metres between the pads when they are `wide` open and when they are closed, `gap`. `box` (2, 3) are the lower and
    upper corner of the open pads in the tool's frame."""

    joints: tuple[str, str]
    pads: tuple[str, str]
    opened: tuple[float, float]
    closed: tuple[float, float]
    wide: float
    gap: float
    box: Array

    @property
    def most(self) -> float:
        """Metres that the joints, with their zeros where `zeroed` has them, let the hand open."""
        return self.wide if abs(self.gap) > TOUCHING else self.wide - self.gap


def measured(parts: tuple[RigidPart, ...], spec: AssemblySpec) -> Fingers:
    """The two fingers of parts, whose joints have limits. ModelError for a hand of another kind, pads that do not move
    with the fingers, and a tool frame that is not between the pads with x along the fingers."""
    one, other = _joints(parts, spec.finger_joints)
    solids = _pads(parts, spec)
    m = mujoco.MjModel.from_xml_string(mjcf(parts, {"tool": (spec.tool_link, spec.T_link_tool)}, ()))
    d = mujoco.MjData(m)
    for name, value in zip(spec.arm_joints, spec.posture, strict=True):
        d.joint(name).qpos[0] = value
    mujoco.mj_kinematics(m, d)
    axes = d.xaxis[[m.joint(one).id, m.joint(other).id]]
    _check_axes(axes, d.site("tool").xmat.reshape(3, 3)[:, 0])
    middles = np.array([np.mean([d.geom(g).xpos for g in each], axis=0) for each in solids])
    closing = np.sign(axes @ (middles[1] - middles[0])) * (1, -1)
    ranges = m.jnt_range[[m.joint(one).id, m.joint(other).id]]
    ends = [r if sign < 0 else r[::-1] for r, sign in zip(ranges.tolist(), closing, strict=True)]
    for name, (_, opened) in zip((one, other), ends, strict=True):
        d.joint(name).qpos[0] = opened
    mujoco.mj_kinematics(m, d)
    T_tool_world = inverse(pose(d.site("tool").xpos, d.site("tool").xmat.reshape(3, 3)))
    wide, pads, p_middle = _between(m, d, solids)
    travel = np.ptp(ranges, axis=1)
    if abs(travel[0] - travel[1]) > TOUCHING:
        raise ModelError(f"the fingers slide {travel[0]:g} and {travel[1]:g} m; valid: as far as each other", "ranges")
    box = _box(d, parts, pads, T_tool_world)
    _check_tool_point(moved(p_middle[None], T_tool_world)[0], box)
    return Fingers(
        joints=(one, other),
        pads=pads,
        opened=(ends[0][1], ends[1][1]),
        closed=(ends[0][0], ends[1][0]),
        wide=wide,
        gap=wide - float(travel.sum()),
        box=box,
    )


def opening_of(fingers: Fingers, stated: float | None) -> float:
    """Metres that the hand opens. ModelError where another number is stated."""
    if stated is not None and abs(stated - fingers.wide) > OPENING_ERROR:
        travel = ", ".join(
            f"{name} slides {abs(a - b):g} m"
            for name, a, b in zip(fingers.joints, fingers.opened, fingers.closed, strict=True)
        )
        raise ModelError(
            f"gripper.opening is {stated:g}; valid: {fingers.wide:.4f} m, how far the pads are apart at the ends of "
            f"their joints ({travel})",
            "gripper",
            "opening",
        )
    return min(stated or fingers.wide, fingers.most)


def zeroed(parts: tuple[RigidPart, ...], fingers: Fingers) -> tuple[RigidPart, ...]:
    """The parts with finger joints that are at zero where the pads touch, and at half of the opening each when they are
    open, in whichever direction."""
    places = dict(zip(fingers.joints, zip(fingers.opened, fingers.closed, strict=True), strict=True))
    return tuple(
        _zeroed(p, *places[p.joint.name], fingers.gap) if p.joint and p.joint.name in places else p for p in parts
    )


def _zeroed(part: RigidPart, opened: float, closed: float, gap: float) -> RigidPart:
    assert part.joint is not None
    direction = float(np.sign(opened - closed))
    zero = closed - direction * (gap / 2 if abs(gap) > TOUCHING else 0.0)
    low, high = sorted((opened - zero, closed - zero))
    return replace(part.held_at(zero), joint=replace(part.joint, limits=(low, high)))


def _joints(parts: tuple[RigidPart, ...], names: Sequence[str]) -> tuple[str, str]:
    joints = {p.joint.name: p.joint for p in parts if p.joint}
    for n, name in enumerate(names):
        if joints[name].kind != "slide":
            raise ModelError(f"finger joint {name!r} turns; valid: two joints that slide", "finger_joints", n)
    return names[0], names[1]


def _pads(parts: tuple[RigidPart, ...], spec: AssemblySpec) -> list[list[str]]:
    """The solids that may be pads, of each finger."""
    by_name = {p.name: p for p in parts}
    found: dict[str, list[str]] = {}
    for n, name in enumerate(spec.pads):
        part = by_name.get(name) or next((p for p in parts if name in p.solids), None)
        solids = list(part.solids) if part and part.name == name else [name]
        if part is None:
            valid = ", ".join(p.name for p in parts if _finger(by_name, p, spec.finger_joints))
            raise ModelError(f"pads has {name!r}, which is no link; valid: {valid}", "pads", n)
        if not solids:
            raise ModelError(f"pads has {name!r}, of which nothing collides; valid: a link with a shape", "pads", n)
        finger = _finger(by_name, part, spec.finger_joints)
        if finger is None or finger in found:
            why = "is on no finger" if finger is None else f"is on {finger!r}, as the other is"
            raise ModelError(f"pads has {name!r}, which {why}; valid: one on each finger", "pads", n)
        found[finger] = solids
    return [found[name] for name in spec.finger_joints]


def _finger(by_name: dict[str, RigidPart], part: RigidPart, joints: Sequence[str]) -> str | None:
    """The finger's joint that carries a part."""
    return next((name for name in joints_above(by_name, part.name) if name in joints), None)


def _between(m: mujoco.MjModel, d: mujoco.MjData, solids: list[list[str]]) -> tuple[float, tuple[str, str], Array]:
    """Metres between the nearest two solids of the fingers, these, and the middle (3,) of the shortest line."""
    best: tuple[float, tuple[str, str], Array] | None = None
    for a in solids[0]:
        for b in solids[1]:
            ends = np.zeros(6)
            distance = float(mujoco.mj_geomDistance(m, d, m.geom(a).id, m.geom(b).id, 10.0, ends))
            if best is None or distance < best[0]:
                best = distance, (a, b), 0.5 * (ends[:3] + ends[3:])
    assert best is not None
    return best


def _box(d: mujoco.MjData, parts: tuple[RigidPart, ...], pads: tuple[str, str], T_tool_world: Array) -> Array:
    T_world_parts = (pose(d.body(p.name).xpos, d.body(p.name).xmat.reshape(3, 3)) for p in parts)
    clouds = (moved(p.corners(*pads), T_tool_world @ T) for p, T in zip(parts, T_world_parts, strict=True))
    points = np.concatenate(list(clouds))
    return np.array([points.min(axis=0), points.max(axis=0)])


def _check_axes(axes: Array, x: Array) -> None:
    if abs(float(axes[0] @ axes[1])) < ALONG:
        raise ModelError("the two fingers do not slide along one line; valid: a parallel gripper", "finger_joints")
    if abs(float(axes[0] @ x)) < ALONG:
        angle = np.degrees(np.arccos(min(1.0, abs(float(axes[0] @ x)))))
        raise ModelError(f"x of the tool is {angle:.0f}° off the fingers' way; valid: x along it", "tool", "rpy")


def _check_tool_point(p_middle: Array, box: Array) -> None:
    if abs(p_middle[0]) > BESIDE:
        raise ModelError(
            f"the middle between the open pads is {p_middle[0]:.4f} m along x from the tool point; valid: between them",
            "tool",
            "xyz",
        )
    low, high = box[:, 1:] + [[-AROUND], [AROUND]]
    if (low > 0).any() or (high < 0).any():
        (_, y0, z0), (_, y1, z1) = box
        spans = f"y {y0:.4f} to {y1:.4f} and z {z0:.4f} to {z1:.4f} m"
        raise ModelError(f"the pads are at {spans} from the tool point; valid: it is between them", "tool", "xyz")
