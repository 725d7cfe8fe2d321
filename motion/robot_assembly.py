"""A robot put together from the parts of its files, by the names in them that matter: checked, and as a description."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import mujoco
import numpy as np

from motion.poses import Array, inverse, moved, pose
from motion.robot import Gripper, Limits, Response, RobotDescription, ServoGains
from motion.robot_parts import ModelError, PartJoint, RigidPart, joints_above, mjcf

SAMPLES = 300
"""Random configurations in which it is looked which solids touch."""
ALWAYS = 0.9
"""Share of them from which two solids count as touching always."""

Pair = tuple[str, str]

TOOL_SITE = "tool_point"
ROTOR = 0.1
"""kg m² of a motor's rotor as its joint feels it, where the model has none."""
SHORTEST, LONGEST = 0.1, 5.0
"""Metres from an arm's first joint to the link that its tool is on, along the arm."""
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
class AssemblySpec:
    """What a description says of a robot besides its parts: names of joints and links, where the tool is on its link
    (4, 4), the posture (n,) in rad, how far it reaches in metres. `fixed` joints are held at a value, `ranges` are
    limits that take the place of those in the file. `opening` in metres, None where the fingers' joints say it."""

    arm_joints: tuple[str, ...]
    finger_joints: tuple[str, ...]
    pads: tuple[str, ...]
    tool_link: str
    T_link_tool: Array
    posture: Array
    reach: float
    opening: float | None = None
    fixed: Mapping[str, float] = field(default_factory=dict)
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    gripper: Gripper = field(default_factory=Gripper)
    gains: ServoGains = field(default_factory=ServoGains)
    response: Response = field(default_factory=Response)
    limits: Limits = field(default_factory=Limits)


def mounted(
    arm: tuple[RigidPart, ...], hand: tuple[RigidPart, ...], link: str, T_link_hand: Array
) -> tuple[RigidPart, ...]:
    """An arm with a hand from another file on a link of it. ModelError for a link that is not there, and for a name
    that both have."""
    _known(link, [p.name for p in arm], "link", "hand", "link")
    names = {n for p in arm for n in _names(p)}
    if both := [n for p in hand for n in _names(p) if n in names]:
        raise ModelError(f"{both[0]!r} is in the arm's file and in the hand's; valid: names of their own", "hand")
    placed = (p if p.parent else replace(p, parent=link, T_parent_part=T_link_hand @ p.T_parent_part) for p in hand)
    return (*arm, *placed)


def _names(part: RigidPart) -> list[str]:
    return [part.name, *part.solids, *([part.joint.name] if part.joint else [])]


def assembled(parts: tuple[RigidPart, ...], spec: AssemblySpec) -> RobotDescription:
    """The robot of parts and names, with its base where the file has it. ModelError, about a field of `AssemblySpec`,
    for what does not fit together."""
    for key, names in (("finger_joints", spec.finger_joints), ("pads", spec.pads)):
        if len(names) != 2:
            raise ModelError(f"{key} has {len(names)} names; valid: two, one a finger", key)
    _check_speed(spec)
    parts = tuple(_jointed(p, p.joint, spec) if p.joint else p for p in _tree(parts, spec))
    _check_order(parts, spec)
    _check_posture(parts, spec)
    _known(spec.tool_link, [p.name for p in parts], "link", "tool", "link")
    if spec.arm_joints[-1] not in _moving(parts, spec.tool_link):
        last = spec.arm_joints[-1]
        raise ModelError(f"link {spec.tool_link!r} is not carried by {last!r}; valid: one behind it", "tool", "link")
    _check_length(parts, spec)
    parts, pads, opening = _with_fingers_measured(parts, spec)
    pairs = watched_pairs(parts, spec.arm_joints, spec.posture)
    return RobotDescription(
        mjcf=mjcf(parts, {TOOL_SITE: (spec.tool_link, spec.T_link_tool)}, pairs),
        arm_joints=spec.arm_joints,
        tool_site=TOOL_SITE,
        posture=spec.posture,
        pinned_bodies=frozenset(p.name for p in parts if not _moving(parts, p.name)),
        finger_joints=spec.finger_joints,
        pad_geoms=pads,
        gripper=replace(spec.gripper, opening=opening),
        gains=spec.gains,
        response=spec.response,
        limits=spec.limits,
    )


def _tree(parts: tuple[RigidPart, ...], spec: AssemblySpec) -> tuple[RigidPart, ...]:
    """What hangs together with the arm's first joint: a file may have a floor and a table, too."""
    joints = {p.joint.name: p for p in parts if p.joint}
    named: list[tuple[str, str, str | int]] = []
    for key, names in (("arm_joints", spec.arm_joints), ("finger_joints", spec.finger_joints)):
        named += [(name, key, n) for n, name in enumerate(names)]
    named += [(name, "fixed", name) for name in spec.fixed] + [(name, "ranges", name) for name in spec.ranges]
    for name, *at in named:
        _known(name, list(joints), "joint", *at)
    by_name = {p.name: p for p in parts}

    def root(part: RigidPart) -> str:
        while part.parent:
            part = by_name[part.parent]
        return part.name

    ours = root(joints[spec.arm_joints[0]])
    return tuple(p for p in parts if root(p) == ours)


def _jointed(part: RigidPart, joint: PartJoint, spec: AssemblySpec) -> RigidPart:
    """A part with limits on a joint that is named, or held still."""
    name = joint.name
    if name in spec.fixed:
        return part.held_at(spec.fixed[name])
    if name not in (*spec.arm_joints, *spec.finger_joints):
        valid = f"one of them, or held still: [fixed] {name} = 0.0"
        raise ModelError(f"joint {name!r} is neither in arm_joints nor in finger_joints; valid: {valid}", "arm_joints")
    limits = spec.ranges.get(name, joint.limits)
    if limits is None and joint.kind == "slide":
        valid = f"valid: limits in its file, or [ranges] {name} = [low, high]"
        raise ModelError(f"joint {name!r} slides without limits; {valid}", "ranges")
    limits = limits or (-np.pi, np.pi)  # it turns for ever: once round is enough
    rotor = ROTOR if name in spec.arm_joints and joint.armature == 0.0 else joint.armature
    return replace(part, joint=replace(joint, limits=limits, armature=rotor))


def _check_order(parts: tuple[RigidPart, ...], spec: AssemblySpec) -> None:
    last = next(p.name for p in parts if p.joint and p.joint.name == spec.arm_joints[-1])
    chain = [name for name in _moving(parts, last) if name in spec.arm_joints]
    if chain != list(spec.arm_joints):
        others = ", ".join(name for name in spec.arm_joints if name not in chain)
        why = f"; {others} is no joint between the base and {spec.arm_joints[-1]}" if others else ""
        raise ModelError(f"arm_joints are not in order from the base; valid: {chain}{why}", "arm_joints")
    before = [name for name in _moving(parts, last) if name not in spec.arm_joints]
    if before:
        raise ModelError(f"{before[0]!r} is a joint of the arm; valid: fingers behind the arm", "finger_joints")


def _check_speed(spec: AssemblySpec) -> None:
    """ModelError for an arm that answers too slowly for its trajectories: it would fall behind, and be halted."""
    limits, response = spec.limits, spec.response
    wanted = (limits.tool_velocity, limits.tool_rotation)
    names, units = ("tool_velocity", "tool_rotation"), ("m/s", "rad/s")
    for name, unit, most, can in zip(names, units, wanted, response.fastest(), strict=True):
        if most > can:
            problem = f"rate {response.rate:g} lets the tool go at {can:.3g} {unit}, and {name} asks for {most:g}"
            better = f"[limits] {name} up to that, or a rate from {response.rate * most / can:.3g}"
            raise ModelError(f"{problem}; valid: {better}", "response" if response != Response() else "limits")


def _check_posture(parts: tuple[RigidPart, ...], spec: AssemblySpec) -> None:
    joints = {p.joint.name: p.joint for p in parts if p.joint}
    if len(spec.posture) != (n := len(spec.arm_joints)):
        raise ModelError(f"posture has {len(spec.posture)} numbers; valid: {n} radians, one a joint", "posture")
    for i, (name, value) in enumerate(zip(spec.arm_joints, spec.posture.tolist(), strict=True)):
        low, high = joints[name].limits or (0.0, 0.0)
        if not low < value < high:
            raise ModelError(f"posture has {value:g} for {name!r}; valid: {low:.4g} to {high:.4g}", "posture", i)


def _check_length(parts: tuple[RigidPart, ...], spec: AssemblySpec) -> None:
    """From the first joint to the tool, along the arm."""
    by_name = {p.name: p for p in parts}
    length, part = 0.0, by_name[spec.tool_link]
    while not (part.joint and part.joint.name == spec.arm_joints[0]) and part.parent:
        length, part = length + float(np.linalg.norm(part.T_parent_part[:3, 3])), by_name[part.parent]
    if not SHORTEST < length < LONGEST:
        valid = f"valid: {SHORTEST:g} to {LONGEST:g} m. Are these millimetres?"
        raise ModelError(f"from its first joint to {spec.tool_link!r} the arm is {length:.4g} m; {valid}", "arm_joints")
    if spec.reach > (most := length + float(np.linalg.norm(spec.T_link_tool[:3, 3]))):
        raise ModelError(f"reach is {spec.reach:g}; valid: up to {most:.3f}, the length of the arm", "reach")


def _with_fingers_measured(
    parts: tuple[RigidPart, ...], spec: AssemblySpec
) -> tuple[tuple[RigidPart, ...], tuple[str, str], float]:
    """The parts with the two finger joints, which have limits, at zero where the pads touch, and at half of the opening
    each when they are open, in whichever direction; the solids that are the pads; metres that the hand opens.
    ModelError for a hand of another kind, pads that do not move with the fingers, a tool frame that is not between the
    pads with x along the fingers, and another opening than is stated."""
    one, other = _joints(parts, spec.finger_joints)
    solids = _pads(parts, spec)
    m = mujoco.MjModel.from_xml_string(mjcf(parts, {"tool": (spec.tool_link, spec.T_link_tool)}, ()))
    d = mujoco.MjData(m)
    for name, value in zip(spec.arm_joints, spec.posture, strict=True):
        d.joint(name).qpos[0] = value
    mujoco.mj_kinematics(m, d)
    joints = [m.joint(one).id, m.joint(other).id]
    axes = d.xaxis[joints]
    _check_axes(axes, d.site("tool").xmat.reshape(3, 3)[:, 0])
    middles = np.array([np.mean([d.geom(g).xpos for g in each], axis=0) for each in solids])
    closing = np.sign(axes @ (middles[1] - middles[0])) * (1, -1)
    ranges = m.jnt_range[joints]
    ends: dict[str, tuple[float, float]] = {}  # closed, open
    for name, (low, high), sign in zip((one, other), ranges.tolist(), closing, strict=True):
        ends[name] = (low, high) if sign < 0 else (high, low)
    for name, (_, opened) in ends.items():
        d.joint(name).qpos[0] = opened
    mujoco.mj_kinematics(m, d)
    T_tool_world = inverse(pose(d.site("tool").xpos, d.site("tool").xmat.reshape(3, 3)))
    wide, pads, p_middle = _between(m, d, solids)
    travel = np.ptp(ranges, axis=1)
    if abs(travel[0] - travel[1]) > TOUCHING:
        raise ModelError(f"the fingers slide {travel[0]:g} and {travel[1]:g} m; valid: as far as each other", "ranges")
    _check_tool_point(moved(p_middle[None], T_tool_world)[0], _box(d, parts, pads, T_tool_world))
    if spec.opening is not None and abs(spec.opening - wide) > OPENING_ERROR:
        slides = ", ".join(f"{name} slides {abs(b - a):g} m" for name, (a, b) in ends.items())
        raise ModelError(
            f"gripper.opening is {spec.opening:g}; valid: {wide:.4f} m, how far the pads are apart at the ends of "
            f"their joints ({slides})",
            "gripper",
            "opening",
        )
    gap = wide - float(travel.sum())
    shut = abs(gap) <= TOUCHING
    zeroed = tuple(
        _zeroed(p, *ends[p.joint.name], 0.0 if shut else gap) if p.joint and p.joint.name in ends else p for p in parts
    )
    return zeroed, pads, min(spec.opening or wide, wide - gap if shut else wide)


def _zeroed(part: RigidPart, closed: float, opened: float, gap: float) -> RigidPart:
    """A finger whose joint is at zero where the pads would touch, that are `gap` metres apart when it is closed."""
    assert part.joint is not None
    zero = closed - float(np.sign(opened - closed)) * gap / 2
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


def watched_pairs(parts: tuple[RigidPart, ...], arm_joints: tuple[str, ...], posture: Array) -> tuple[Pair, ...]:
    """Pairs of solids: all but those of one link, of neighbours, which one joint is between, and of the two fingers,
    and those that touch in the posture (n,) or in nearly all random configurations."""
    links = _links(parts)
    above = {p.name: links[p.parent] if p.parent else None for p in parts if p.joint}
    arm = {p.name for p in parts if p.joint and p.joint.name in arm_joints} | {None}

    def may_touch(one: str | None, other: str | None) -> bool:
        near = one == other or above.get(one or "", "") == other or above.get(other or "", "") == one
        return near or (one not in arm and other not in arm)

    carries = {name: links[p.name] for p in parts for name in p.solids}
    always = _always_touching(parts, arm_joints, posture)
    return tuple(
        (a, b) for a, b in combinations(carries, 2) if not may_touch(carries[a], carries[b]) and (a, b) not in always
    )


def _always_touching(parts: tuple[RigidPart, ...], arm_joints: tuple[str, ...], posture: Array) -> set[Pair]:
    """Those that touch in the posture or nearly everywhere, in the order of the parts' solids."""
    m = mujoco.MjModel.from_xml_string(mjcf(parts, {}, ()))
    d, rng = mujoco.MjData(m), np.random.default_rng(0)
    addresses = [int(m.joint(name).qposadr[0]) for name in arm_joints]
    low, high = np.array([m.joint(name).range for name in arm_joints]).T
    order = {name: n for n, name in enumerate(name for p in parts for name in p.solids)}

    def touching(q: Array) -> set[Pair]:
        d.qpos[addresses] = q
        mujoco.mj_kinematics(m, d)
        mujoco.mj_collision(m, d)
        near = d.contact.geom[: d.ncon][d.contact.dist[: d.ncon] < 0].tolist()
        named = (sorted((m.geom(a).name, m.geom(b).name), key=order.__getitem__) for a, b in near)
        return {(a, b) for a, b in named}

    seen = Counter(pair for _ in range(SAMPLES) for pair in touching(rng.uniform(low, high)))
    return touching(posture) | {pair for pair, n in seen.items() if n > ALWAYS * SAMPLES}


def _links(parts: Iterable[RigidPart]) -> dict[str, str | None]:
    """The moving part that each part is of: itself, or the one that it is fixed to, or None for the base."""
    found: dict[str, str | None] = {}
    for part in parts:
        found[part.name] = part.name if part.joint else found.get(part.parent or "")
    return found


def _moving(parts: Iterable[RigidPart], name: str) -> list[str]:
    """The joints between the base and a part, the part's own included."""
    return joints_above({p.name: p for p in parts}, name)[::-1]


def _known(name: str, names: list[str], what: str, *at: str | int) -> None:
    if name not in names:
        near = difflib.get_close_matches(name, names, 3)
        valid = f"did you mean {' or '.join(map(repr, near))}?" if near else f"valid: {', '.join(names)}"
        raise ModelError(f"no {what} {name!r}; {valid}", *at)
