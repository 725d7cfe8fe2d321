"""Reads an MJCF scene, and reports everything in it that this toolkit cannot handle."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np

from motion.cavities import Box, cavity
from motion.poses import Array, inverse, pose, to_quat
from motion.robot_files import parsed
from motion.robot_parts import ModelError
from motion.shapes import Shape, bounds
from motion.xml_document import mujoco_error
from tamp.backends.mujoco.mjcf_scene import MjcfScene
from tamp.backends.mujoco.model_objects import FLAT, NARROW, body_pose, carriers, shapes_of, subtree, top_of
from tamp.errors import InputError
from tamp.model.goal_syntax import NAME, nearest_name, valid

HINGE, SLIDE, FREE = (int(getattr(mujoco.mjtJoint, f"mjJNT_{kind}")) for kind in ("HINGE", "SLIDE", "FREE"))


@dataclass(frozen=True, eq=False)
class MjcfFile:
    """A scene as MuJoCo reads it. `model` is compiled from `spec`, at the first keyframe where it has one."""

    path: Path
    spec: mujoco.MjSpec
    model: mujoco.MjModel
    lines: dict[tuple[str, str], str]
    """`FILE:LINE` of elements by tag and name, those of included files, too."""

    def wrong(self, message: str, tag: str = "", name: str = "") -> InputError:
        """The error about an element, with its file and line."""
        return InputError(f"{self.lines.get((tag, name), self.path)}: {message}")


def read_mjcf(path: Path) -> MjcfFile:
    """The scene in a file. InputError, with file and line where there is one, for what MuJoCo does not compile, and
    for a robot, motors, flexible things and joints that nothing here can use."""
    try:
        document = parsed(path, "mjcf")
    except ModelError as e:
        raise InputError(str(e)) from e
    try:
        spec = mujoco.MjSpec.from_file(str(path))
        model = spec.compile()
    except ValueError as e:
        raise InputError(mujoco_error(e, document)) from e
    names = ((e.tag, name, document.at(e)) for e in document.root.iter() if (name := e.get("name")))
    lines = {(tag, name): at for tag, name, at in names}
    read = MjcfFile(path, spec, model, lines)
    _check_motors(read)
    for j in range(model.njnt):
        _check_joint(read, j)
    return read


def _check_motors(read: MjcfFile) -> None:
    advice = "take the robot out, base = [x, y, z] in scene.toml says where tamp puts one"
    if read.spec.actuators:
        name = read.spec.actuators[0].name
        tag = next((t for t, n in read.lines if n == name and t in ACTUATORS), "")
        what = f"the actuator {name!r} moves something, and only tamp's own robot does"
        raise read.wrong(f"{what}; valid: {advice}", tag, name)
    if read.model.nflex:
        raise read.wrong("something in it is flexible; valid: rigid bodies")


ACTUATORS = ("motor", "position", "velocity", "general", "intvelocity", "damper", "cylinder", "muscle", "adhesion")


def _check_joint(read: MjcfFile, j: int) -> None:
    m = read.model
    kind, body = int(m.jnt_type[j]), int(m.jnt_bodyid[j])
    name, on = m.joint(j).name, called(m, body)
    joint = f"the joint {name!r} of {on}" if name else f"a joint of {on}"
    at = ("joint", name) if name else ("body", m.body(body).name)
    if kind == FREE:
        return
    if kind not in (HINGE, SLIDE):
        raise read.wrong(f"{joint} is a ball; valid: slide (a drawer), hinge (a door), free (what can be carried)", *at)
    if m.body_jntnum[body] > 1:
        raise read.wrong(f"{on} moves on {m.body_jntnum[body]} joints; valid: one joint a body", *at)
    up = int(m.body_parentid[body])
    if up == 0:
        valid = "in a body that stands still, as a drawer is in its cabinet"
        raise read.wrong(f"{joint} is on nothing; valid: {on} {valid}", *at)
    while up and not m.body_jntnum[up]:
        up = int(m.body_parentid[up])
    if up:
        free = int(m.jnt_type[m.body_jntadr[up]]) == FREE
        what = "can be carried; valid: without the joint" if free else "moves itself; valid: one joint after the other"
        raise read.wrong(f"{joint} is on {called(m, up)}, which {what}", *at)
    if not m.body(body).name:
        raise read.wrong(f'{joint} moves, and has none; valid: name="top_drawer"', *at)
    if not m.jnt_limited[j]:
        raise read.wrong(f'{joint} has no limits; valid: range="CLOSED OPEN", or the other way round', *at)


def called(model: mujoco.MjModel, body: int) -> str:
    """What messages call a body."""
    name = model.body(body).name
    return f"the body {name!r}" if name else "a body without a name"


GROUND = "table"
"""The symbol of what all stand on."""
TAKEN = (GROUND, "world", "robot", "item", "surface", "bin", "drawer", "cupboard", "appliance", "object")


@dataclass(frozen=True, eq=False)
class SortedBodies:
    """Bodies by the names of the things that they are: `movable` can be carried, `fixed` stand still but for their
    drawers and doors."""

    movable: Mapping[str, int]
    fixed: Mapping[str, int]

    @property
    def roots(self) -> dict[str, int]:
        """All of them."""
        return {**self.movable, **self.fixed}


def sort_bodies(read: MjcfFile, scene: MjcfScene, data: mujoco.MjData) -> SortedBodies:
    """The things of a scene. InputError, with file and line, where nothing can be carried, for a name that no goal can
    have, and for notes about a thing that does not exist."""
    m = read.model
    free = [b for b in range(1, m.nbody) if m.body_jntnum[b] and m.jnt_type[m.body_jntadr[b]] == FREE]
    if not free:
        raise read.wrong("no body has a free joint, so nothing can be carried; valid: <freejoint/> in bodies of things")
    fixed = _fixtures(m, {name for name in scene.notes}, data)
    found = SortedBodies({_name(read, b): b for b in free}, {_name(read, b): b for b in fixed})
    for name in scene.notes:
        if name not in found.roots:
            known = [m.body(b).name for b in range(1, m.nbody)]
            raise scene.table.wrong(f"no thing {name!r} in {scene.file.name}; {valid(name, known)}", "things", name)
    return found


def _name(read: MjcfFile, body: int) -> str:
    name = str(read.model.body(body).name)
    if not name:
        raise read.wrong(f'body {body} of it can be carried, or has a drawer, and has no name; valid: name="mug_1"')
    if not NAME.fullmatch(name):
        better = f"valid: a-z, 0-9 and _, as {nearest_name(name)!r}"
        raise read.wrong(f"{name!r} is no name in a goal; {better}", "body", name)
    if name in TAKEN and read.model.body_weldid[body]:
        other = f"{name}_1"
        raise read.wrong(f"the name {name!r} means something else in goals; valid: another, as {other!r}", "body", name)
    return name


def _fixtures(m: mujoco.MjModel, notes: set[str], d: mujoco.MjData) -> list[int]:
    """Bodies that carry drawers or doors, have places of their own, are hollow, or are spoken of."""
    still = [b for b in range(1, m.nbody) if m.body_weldid[b] == 0]
    moving = [b for b in range(1, m.nbody) if m.body_jntnum[b] and m.jnt_type[m.body_jntadr[b]] != FREE]
    wanted = {int(m.body_parentid[b]) for b in moving}
    boxes = m.site_type == mujoco.mjtGeom.mjGEOM_BOX
    wanted |= {int(b) for b in m.site_bodyid[boxes] if m.body_weldid[b] == 0}
    wanted |= {b for b in still if m.body(b).name in notes}
    jointed = {b for root in wanted for b in subtree(m, root)}
    hollow = (b for b in still if b not in jointed and m.body(b).name and m.body_geomnum[b])
    wanted |= {b for b in hollow if cavity(shapes_of(m, d, [b], inverse(body_pose(d, b))), body_pose(d, b))}
    return sorted(_outermost(m, (_with_name(m, b) for b in wanted if b)))


def _with_name(m: mujoco.MjModel, body: int) -> int:
    """The nearest body at or above one that has a name, or itself."""
    up = body
    while up and not m.body(up).name:
        up = int(m.body_parentid[up])
    return up or body


def _outermost(m: mujoco.MjModel, bodies: Iterable[int]) -> set[int]:
    """Those that are in no other of them."""
    found = set(bodies)
    return {b for b in found if not any(b != other and b in subtree(m, other) for other in found)}


THIN = 0.001
"""Half-height (metres) of a surface."""
STRAIGHT = 0.99
"""Vertical component of a body's z axis from which places are along its own axes, else along the world's."""


@dataclass(frozen=True, eq=False)
class MjcfPlace:
    """A box site that a body gets: `T_body_place` (4, 4) and half-extents (3,)."""

    name: str
    body: int
    T_body_place: Array
    half: Array


def add_places(read: MjcfFile, scene: MjcfScene, things: SortedBodies, d: mujoco.MjData) -> None:
    """Give the bodies of a scene a box site for each place that it has none for yet. InputError, with file and line,
    for a site that no goal can name, and for notes about a body that does not exist."""
    m = read.model
    own = {m.site(s).name: int(m.site_bodyid[s]) for s in range(m.nsite) if m.site_type[s] == mujoco.mjtGeom.mjGEOM_BOX}
    taken = {b for root in things.roots.values() for b in subtree(m, root)}
    _check_sites(read, {name for name, body in own.items() if body in taken}, things)
    places = [p for name in things.roots for p in _places(read, scene, things, name, set(own.values()), d)]
    for p in places:
        at = {"pos": p.T_body_place[:3, 3], "quat": to_quat(p.T_body_place[:3, :3])}
        read.spec.body(m.body(p.body).name).add_site(name=p.name, type=mujoco.mjtGeom.mjGEOM_BOX, size=p.half, **at)


def _check_sites(read: MjcfFile, names: set[str], things: SortedBodies) -> None:
    for name in names:
        if not NAME.fullmatch(name) or name in things.roots or name == GROUND:
            why = "is the name of something else, too" if NAME.fullmatch(name) else "is no name in a goal"
            raise read.wrong(f"the box site {name!r} {why}; valid: a-z, 0-9 and _, as 'shelf_region'", "site", name)


def _places(
    read: MjcfFile, scene: MjcfScene, things: SortedBodies, name: str, with_sites: set[int], d: mujoco.MjData
) -> Iterator[MjcfPlace]:
    """The places of one thing that it has no sites for."""
    m, notes, root, movable = read.model, scene.notes.get(name), things.roots[name], name in things.movable
    carried = carriers(m, root, movable)
    told = dict(notes.interiors) if notes else {}
    known = [m.body(b).name for b in carried]
    if (wrong := next((body for body in told if body not in known), None)) is not None:
        at = ("things", name, "interior", wrong)
        raise scene.table.wrong(f"{name} has no body {wrong!r}; {valid(wrong, known)}", *at)
    for body in dict.fromkeys(carried.values()):
        own = [b for b, carrier in carried.items() if carrier == body]
        called = m.body(body).name
        if called in told:
            low, high = told[called]
            yield MjcfPlace(_interior_name(name, called), body, pose(0.5 * (low + high)), 0.5 * (high - low))
        elif not with_sites & set(own) and (found := _hollow(m, d, own, body)) is not None:
            yield _placed(_interior_name(name, called), m, d, body, found)
    own = [b for b, carrier in carried.items() if carrier == root]
    if not movable and root not in with_sites and (top := _top(shapes_of(m, d, own, np.eye(4)))) is not None:
        yield _placed(f"{name}_top_side", m, d, root, top)


def _interior_name(name: str, part: str) -> str:
    """What the inside of a part is called: the one of the thing itself as LIBERO calls a basket's."""
    if part == name:
        return f"{name}_contain_region"
    words = [w for w in part.removeprefix(name).split("_") if w and w != "drawer"]
    return "_".join([name, *words, "region"]).lower()


def _frame(m: mujoco.MjModel, d: mujoco.MjData, body: int) -> Array:
    """A frame (4, 4) in the world with z up, at a body and along its axes where it stands upright."""
    R = d.xmat[body].reshape(3, 3).copy()
    return pose(d.xpos[body].copy(), R if R[2, 2] > STRAIGHT else np.eye(3))


def _hollow(m: mujoco.MjModel, d: mujoco.MjData, bodies: list[int], body: int) -> Box | None:
    """The hollow of some bodies, along the axes of the frame of one of them."""
    T_frame_world = inverse(_frame(m, d, body))
    return cavity(shapes_of(m, d, bodies, T_frame_world), np.eye(4))


def _placed(name: str, m: mujoco.MjModel, d: mujoco.MjData, body: int, box: Box) -> MjcfPlace:
    T_body_world = inverse(body_pose(d, body))
    flat = box[1][2] - box[0][2] < FLAT
    T_world_frame = np.eye(4) if flat else _frame(m, d, body)
    half = 0.5 * (box[1] - box[0])
    T = T_body_world @ T_world_frame @ pose(0.5 * (box[0] + box[1]))
    return MjcfPlace(name, body, T, np.maximum(half, THIN))


def _top(shapes: tuple[Shape, ...]) -> Box | None:
    """The level rectangle (world axes) on top of shapes; None where it is too narrow for anything to stand on it."""
    tops = [float(bounds((s,), np.eye(4))[1][2]) for s in shapes]
    if not tops:
        return None
    low, high = top_of(shapes, [max(tops)])
    return (low, high) if min((high - low)[:2]) > NARROW and abs(high[2] - max(tops)) < FLAT else None
