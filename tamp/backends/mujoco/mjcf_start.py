"""Read an MJCF scene: refuse what nothing here can use, find its things and places, and let it come to rest."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np

from motion.cavities import Box, cavity
from motion.poses import Array, inverse, pose, rotation_about, to_quat
from motion.robot_files import parsed
from motion.robot_parts import ModelError
from motion.shapes import Shape, bounds
from motion.xml_document import mujoco_error
from tamp.backends.mujoco.mjcf_scene import MjcfScene, check_names
from tamp.backends.mujoco.model_objects import (
    FLAT,
    NARROW,
    Ends,
    ObjectReader,
    ThingKind,
    body_pose,
    carriers,
    ground,
    shapes_of,
    subtree,
    top_of,
)
from tamp.errors import InputError
from tamp.files.quantities import FARTHEST, not_metres
from tamp.model.goal_syntax import NAME, nearest_name, valid
from tamp.model.scene import RobotState, Scene

HINGE, SLIDE, FREE = (int(getattr(mujoco.mjtJoint, f"mjJNT_{kind}")) for kind in ("HINGE", "SLIDE", "FREE"))
ACTUATORS = ("motor", "position", "velocity", "general", "intvelocity", "damper", "cylinder", "muscle", "adhesion")
GROUND = "table"
"""The symbol of what all stand on."""
TAKEN = (GROUND, "world", "robot", "item", "surface", "bin", "drawer", "cupboard", "appliance", "object")
SETTLING = 1.0
"""Seconds in which things come to rest."""
DRAWS = 20
STAYS = 0.02
"""Metres by which a thing may move until it rests, where it was put down."""
OPENED, CLOSED = 0.8, 0.03
"""Shares of the way of a drawer or door, from its closed end, from which it is open, and up to which closed."""
THIN = 0.001
"""Half-height (metres) of a surface."""
STRAIGHT = 0.99
"""Vertical component of a body's z axis from which places are along its own axes, else along the world's."""

Roots = dict[str, int]
"""Bodies by the names of the things that they are."""


def mjcf_start(scene: MjcfScene, seed: int) -> tuple[Scene, mujoco.MjSpec]:
    """A scene as a seed has it, and the model that it is made of, with a box site for each place; no robot is in
    either. Names of things, and of parts that move, are those of their bodies.

    InputError, with file and line where there is one, for whatever is wrong in the file, and where its things do not
    stay where they are.
    """
    read = read_mjcf(scene.file)
    data = at_start(read.model)
    movable = _movable(read)
    roots = movable | _fixtures(read, scene, data)
    for name in scene.notes:
        if name not in roots:
            known = [read.model.body(b).name for b in range(1, read.model.nbody)]
            raise scene.table.wrong(f"no thing {name!r} in {scene.file.name}; {valid(name, known)}", "things", name)
    _add_places(read, roots, movable, data)
    model = read.spec.compile()
    data = _settled(read, model, scene, movable, np.random.default_rng(seed))
    seen = _look(model, data, scene, roots, movable)
    for key in list(read.spec.keys):
        key.delete()
    _check_names(scene, seen)
    return seen, read.spec


@dataclass(frozen=True, eq=False)
class MjcfFile:
    """A scene as MuJoCo reads it. `model` is compiled from `spec`."""

    path: Path
    spec: mujoco.MjSpec
    model: mujoco.MjModel
    lines: dict[tuple[str, str], str]
    """`FILE:LINE` of elements by tag and name, of bodies by their number too, those of included files, too."""

    def wrong(self, message: str, tag: str = "", name: str = "") -> InputError:
        """The error about an element, with its file and line."""
        return InputError(f"{self.lines.get((tag, name), self.path)}: {message}")


def read_mjcf(path: Path) -> MjcfFile:
    """The scene in a file. InputError, with file and line where there is one, for what MuJoCo does not compile, for
    motors, flexible things and joints that nothing here can use, and for lengths that no arm can work with."""
    try:
        document = parsed(path, "mjcf")
    except ModelError as e:
        raise InputError(str(e)) from e
    try:
        spec = mujoco.MjSpec.from_file(str(path))
        model = spec.compile()
    except ValueError as e:
        raise InputError(mujoco_error(e, document)) from e
    lines = {(e.tag, name): document.at(e) for e in document.root.iter() if (name := e.get("name"))}
    bodies = list(document.root.iter("body"))  # in MuJoCo's order, but for those that it repeats
    lines |= {("body", f" {n}"): document.at(e) for n, e in enumerate(bodies, 1) if len(bodies) == model.nbody - 1}
    read = MjcfFile(path, spec, model, lines)
    _check_motors(read)
    for j in range(model.njnt):
        _check_joint(read, j)
    _check_lengths(read)
    return read


def at_start(model: mujoco.MjModel) -> mujoco.MjData:
    """The start that the file states: its first keyframe, where it has one."""
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    return data


def _check_motors(read: MjcfFile) -> None:
    if read.spec.actuators:
        name = read.spec.actuators[0].name
        tag = next((t for t, n in read.lines if n == name and t in ACTUATORS), "")
        what = f"the actuator {name!r} moves something, and only tamp's own robot does"
        advice = "take the robot out, base = [x, y, z] in scene.toml says where tamp puts one"
        raise read.wrong(f"{what}; valid: {advice}", tag, name)
    if read.model.nflex:
        raise read.wrong("something in it is flexible; valid: rigid bodies")


def _check_joint(read: MjcfFile, j: int) -> None:
    m = read.model
    kind, body = int(m.jnt_type[j]), int(m.jnt_bodyid[j])
    if kind == FREE:
        return
    name, on = m.joint(j).name, _called(m, body)
    joint = f"the joint {name!r} of {on}" if name else f"a joint of {on}"
    up = int(m.body_parentid[body])
    carrier = up
    while carrier and not m.body_jntnum[carrier]:
        carrier = int(m.body_parentid[carrier])
    wrong = ""
    if kind not in (HINGE, SLIDE):
        wrong = f"{joint} is a ball; valid: slide (a drawer), hinge (a door), free (what can be carried)"
    elif m.body_jntnum[body] > 1:
        wrong = f"{on} moves on {m.body_jntnum[body]} joints; valid: one joint a body"
    elif up == 0:
        wrong = f"{joint} is on nothing; valid: {on} in a body that stands still, as a drawer is in its cabinet"
    elif carrier and int(m.jnt_type[m.body_jntadr[carrier]]) == FREE:
        wrong = f"{joint} is on {_called(m, carrier)}, which can be carried; valid: without the joint"
    elif carrier:
        wrong = f"{joint} is on {_called(m, carrier)}, which moves itself; valid: one joint after the other"
    elif not m.body(body).name:
        wrong = f'{joint} moves, and has none; valid: name="top_drawer"'
    elif not m.jnt_limited[j]:
        wrong = f'{joint} has no limits; valid: range="CLOSED OPEN", or the other way round'
    if wrong:
        raise read.wrong(wrong, *(("joint", name) if name else ("body", m.body(body).name)))


def _called(model: mujoco.MjModel, body: int) -> str:
    name = model.body(body).name
    return f"the body {name!r}" if name else "a body without a name"


def _check_lengths(read: MjcfFile) -> None:
    """InputError for a body that is somewhere, or has shapes as large as, no arm can work: as numbers of a mistake."""
    m, data = read.model, at_start(read.model)
    for b in range(1, m.nbody):
        first, count = m.body_geomadr[b], m.body_geomnum[b]
        ends = data.geom_xpos[first : first + count] - data.xpos[b]
        most = m.geom_rbound[first : first + count] + np.linalg.norm(ends, axis=1)
        for what, values in (("where it is (m)", data.xpos[b]), ("its size (m)", most)):
            if why := not_metres([float(v) for v in values], FARTHEST):
                name = m.body(b).name
                raise read.wrong(f"the body {name!r}: {what}, valid: {why}", "body", name)


def _movable(read: MjcfFile) -> Roots:
    """What can be carried. InputError, with file and line, where there is nothing."""
    m = read.model
    free = [b for b in range(1, m.nbody) if m.body_jntnum[b] and m.jnt_type[m.body_jntadr[b]] == FREE]
    if not free:
        raise read.wrong("no body has a free joint, so nothing can be carried; valid: <freejoint/> in bodies of things")
    return {_name(read, b): b for b in free}


def _fixtures(read: MjcfFile, scene: MjcfScene, d: mujoco.MjData) -> Roots:
    """Bodies that stand still and carry drawers or doors, have places of their own, are hollow, or are in notes."""
    m = read.model
    still = [b for b in range(1, m.nbody) if m.body_weldid[b] == 0]
    moving = [b for b in range(1, m.nbody) if m.body_jntnum[b] and m.jnt_type[m.body_jntadr[b]] != FREE]
    wanted = {int(m.body_parentid[b]) for b in moving}
    boxes = m.site_type == mujoco.mjtGeom.mjGEOM_BOX
    wanted |= {int(b) for b in m.site_bodyid[boxes] if m.body_weldid[b] == 0}
    wanted |= {b for b in still if m.body(b).name in scene.notes}
    jointed = {b for root in wanted for b in subtree(m, root)}
    hollow = (b for b in still if b not in jointed and m.body(b).name and m.body_geomnum[b])
    wanted |= {b for b in hollow if cavity(shapes_of(m, d, [b], inverse(body_pose(d, b))), body_pose(d, b))}
    named = {_with_name(m, b) for b in wanted if b}
    outermost = [b for b in named if not any(b != other and b in subtree(m, other) for other in named)]
    return {_name(read, b): b for b in sorted(outermost)}


def _with_name(m: mujoco.MjModel, body: int) -> int:
    """The nearest body at or above one that has a name, or itself."""
    up = body
    while up and not m.body(up).name:
        up = int(m.body_parentid[up])
    return up or body


def _name(read: MjcfFile, body: int) -> str:
    """The name of a thing. InputError, with file and line, for one that no goal can have."""
    name = str(read.model.body(body).name)
    if not name:
        message = 'this body can be carried, or has a drawer, and has no name; valid: name="mug_1"'
        raise read.wrong(message, "body", f" {body}")
    if not NAME.fullmatch(name):
        better = f"valid: a-z, 0-9 and _, as {nearest_name(name)!r}"
        raise read.wrong(f"{name!r} is no name in a goal; {better}", "body", name)
    if name in TAKEN and read.model.body_weldid[body]:
        other = f"{name}_1"
        raise read.wrong(f"the name {name!r} means something else in goals; valid: another, as {other!r}", "body", name)
    return name


def _add_places(read: MjcfFile, roots: Roots, movable: Roots, d: mujoco.MjData) -> None:
    """Give the bodies of things a box site for each place that they have none for yet. InputError, with file and line,
    for a site that no goal can name."""
    m = read.model
    sites = [s for s in range(m.nsite) if m.site_type[s] == mujoco.mjtGeom.mjGEOM_BOX]
    with_sites = {int(m.site_bodyid[s]) for s in sites}
    of_things = {b for root in roots.values() for b in subtree(m, root)}
    for name in (m.site(s).name for s in sites if int(m.site_bodyid[s]) in of_things):
        if not NAME.fullmatch(name) or name in roots or name == GROUND:
            why = "is the name of something else, too" if NAME.fullmatch(name) else "is no name in a goal"
            raise read.wrong(f"the box site {name!r} {why}; valid: a-z, 0-9 and _, as 'shelf_region'", "site", name)
    for name, root in roots.items():
        carried = carriers(m, root, name in movable)
        for body in dict.fromkeys(carried.values()):
            own = [b for b, carrier in carried.items() if carrier == body]
            inside = cavity(shapes_of(m, d, own, inverse(_frame(d, body))), np.eye(4))
            if inside is not None and not with_sites & set(own):
                _add_site(read, d, _interior_name(name, m.body(body).name), body, inside)
        own = [b for b, carrier in carried.items() if carrier == root]
        top = _top(shapes_of(m, d, own, np.eye(4)))
        if top is not None and name not in movable and root not in with_sites:
            _add_site(read, d, f"{name}_top_side", root, top)


def _add_site(read: MjcfFile, d: mujoco.MjData, name: str, body: int, box: Box) -> None:
    """Add a box in the body's frame, or in the world's where it is flat, as a site of the body."""
    T_world_box = np.eye(4) if box[1][2] - box[0][2] < FLAT else _frame(d, body)
    T = inverse(body_pose(d, body)) @ T_world_box @ pose(0.5 * (box[0] + box[1]))
    at = {"pos": T[:3, 3], "quat": to_quat(T[:3, :3]), "size": np.maximum(0.5 * (box[1] - box[0]), THIN)}
    read.spec.body(read.model.body(body).name).add_site(name=name, type=mujoco.mjtGeom.mjGEOM_BOX, **at)


def _interior_name(name: str, part: str) -> str:
    """What the inside of a part is called: the one of the thing itself as LIBERO calls a basket's."""
    if part == name:
        return f"{name}_contain_region"
    words = [w for w in part.removeprefix(name).split("_") if w and w != "drawer"]
    return "_".join([name, *words, "region"]).lower()


def _frame(d: mujoco.MjData, body: int) -> Array:
    """A frame (4, 4) in the world with z up, at a body and along its axes where it stands upright."""
    R = d.xmat[body].reshape(3, 3).copy()
    return pose(d.xpos[body].copy(), R if R[2, 2] > STRAIGHT else np.eye(3))


def _top(shapes: tuple[Shape, ...]) -> Box | None:
    """The level rectangle (world axes) on top of shapes; None where it is too narrow for anything to stand on it."""
    tops = [float(bounds((s,), np.eye(4))[1][2]) for s in shapes]
    if not tops:
        return None
    low, high = top_of(shapes, [max(tops)])
    return (low, high) if min((high - low)[:2]) > NARROW and abs(high[2] - max(tops)) < FLAT else None


def _settled(
    read: MjcfFile, model: mujoco.MjModel, scene: MjcfScene, movable: Roots, rng: np.random.Generator
) -> mujoco.MjData:
    """The scene at rest, drawn until everything stays about where it was put."""
    scattered = max(scene.scatter) > 0
    moved = ""
    for _ in range(DRAWS if scattered else 1):
        data = at_start(model)
        if scattered:
            _scatter(model, data, movable, scene.scatter, rng)
        before = {name: data.xpos[b].copy() for name, b in movable.items()}
        while data.time < SETTLING:
            mujoco.mj_step(model, data)
        mujoco.mj_forward(model, data)
        away = {name: float(np.linalg.norm(data.xpos[b] - before[name])) for name, b in movable.items()}
        moved = max(away, key=lambda name: away[name])
        if not np.isfinite(away[moved]) or away[moved] > 1.0:
            break
        if away[moved] <= STAYS or not scattered:
            return data
    if scattered and away[moved] <= 1.0:
        raise scene.table.wrong(f"{moved} does not stay where it is put, in {DRAWS} draws; valid: less", "scatter")
    raise read.wrong(f"{moved} falls, or flies away: it is not there any more after {SETTLING:g} s", "body", moved)


def _scatter(
    m: mujoco.MjModel, d: mujoco.MjData, movable: Roots, scatter: tuple[float, float], rng: np.random.Generator
) -> None:
    metres, radians = scatter
    for body in movable.values():
        i = int(m.jnt_qposadr[m.body_jntadr[body]])
        d.qpos[i : i + 2] += rng.uniform(-metres, metres, 2)
        turned = rotation_about(np.array([0.0, 0.0, 1.0]), float(rng.uniform(-radians, radians)))
        d.qpos[i + 3 : i + 7] = to_quat(turned @ d.xmat[body].reshape(3, 3))
    mujoco.mj_forward(m, d)


def _look(m: mujoco.MjModel, d: mujoco.MjData, scene: MjcfScene, roots: Roots, movable: Roots) -> Scene:
    """The scene as the model's state has it. A thing's category is its name without a number, unless noted."""
    noted = {name: notes.category for name, notes in scene.notes.items()}
    kinds = {name: ThingKind(noted.get(name) or re.sub(r"_?\d+$", "", name), _ends) for name in roots}
    reader = ObjectReader(m, kinds, roots, set(movable))
    objects = [reader.read(name, d) for name in roots]
    taken = {b for root in roots.values() for b in subtree(m, root)}
    table = ground(m, d, taken, GROUND, [float(o.bounds()[0][2]) for o in objects if o.movable])
    no_robot = RobotState(np.zeros(0), 0.0, np.eye(4))
    return Scene((*objects, table), no_robot, confidence={o.name: 1.0 for o in objects})


def _ends(m: mujoco.MjModel, j: int) -> Ends:
    """Joint values from which a drawer or a door is open, and closed: it is closed at the end of its range that is
    nearest to where the model has it."""
    low, high = m.jnt_range[j].tolist()
    at = float(m.qpos0[m.jnt_qposadr[j]])
    closed, opened = (low, high) if abs(at - low) <= abs(at - high) else (high, low)
    return closed + OPENED * (opened - closed), closed + CLOSED * (opened - closed)


def _check_names(scene: MjcfScene, seen: Scene) -> None:
    """InputError, with file and line, for names of what no goal can be about."""
    known = [o.name for o in seen if o.movable] + [r.name for _, r in seen.regions()]
    for name, notes in scene.notes.items():
        if notes.names and name not in known:
            places = ", ".join(r.name for r in seen.object(name).regions)
            better = f'[names] with its places: "{notes.names[0]}" = one of {places}'
            raise scene.table.wrong(f"{name} cannot be carried; valid: {better}", "things", name, "names")
    check_names(scene.table, known)
