"""What an MJCF scene is at its start: read, its things moved by a seed, let come to rest, and looked at."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import mujoco
import numpy as np

from motion.poses import rotation_about, to_quat
from tamp.backends.mujoco.mjcf_file import GROUND, MjcfFile, SortedBodies, add_places, read_mjcf, sort_bodies
from tamp.backends.mujoco.mjcf_scene import MjcfScene, ThingNotes, check_names
from tamp.backends.mujoco.model_objects import Ends, ObjectReader, ThingKind, ground, subtree
from tamp.files.quantities import FARTHEST, not_metres
from tamp.model.scene import RobotState, Scene

SETTLING = 1.0
"""Seconds in which things come to rest."""
DRAWS = 20
STAYS = 0.02
"""Metres by which a thing may move until it rests, where it was put down."""
OPENED, CLOSED = 0.8, 0.03
"""Shares of the way of a drawer or door, from its closed end, from which it is open, and up to which closed."""
NOBODY = RobotState(np.zeros(0), 0.0, np.eye(4))


@dataclass(frozen=True, eq=False)
class MjcfStart:
    """A scene at its start, and the model that it is made of, with a box site for each place; no robot is in either.
    Names of things, and of parts that move, are those of their bodies."""

    scene: Scene
    spec: mujoco.MjSpec


def mjcf_start(scene: MjcfScene, seed: int) -> MjcfStart:
    """A scene as a seed has it. InputError, with file and line where there is one, for whatever is wrong in the file,
    and where its things do not stay where they are."""
    read = read_mjcf(scene.file)
    data = _begun(read.model)
    _check_lengths(read, data)
    things = sort_bodies(read, scene, data)
    add_places(read, scene, things, data)
    model = read.spec.compile()
    data = _settled(read, model, scene, things, np.random.default_rng(seed))
    seen = _look(model, data, things, scene.notes)
    for key in list(read.spec.keys):
        key.delete()
    _check_names(scene, seen)
    return MjcfStart(seen, read.spec)


def _begun(model: mujoco.MjModel) -> mujoco.MjData:
    """The start that the file says: its first keyframe, where it has one."""
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    return data


def _check_lengths(read: MjcfFile, data: mujoco.MjData) -> None:
    """InputError for a body that is somewhere, or has shapes as large as, no arm can work: as numbers of a mistake."""
    m = read.model
    for b in range(1, m.nbody):
        first, count = m.body_geomadr[b], m.body_geomnum[b]
        ends = data.geom_xpos[first : first + count] - data.xpos[b]
        most = m.geom_rbound[first : first + count] + np.linalg.norm(ends, axis=1)
        for what, values in (("where it is (m)", data.xpos[b]), ("its size (m)", most)):
            if why := not_metres([float(v) for v in values], FARTHEST):
                name = m.body(b).name
                raise read.wrong(f"the body {name!r}: {what}, valid: {why}", "body", name)


def _settled(
    read: MjcfFile, model: mujoco.MjModel, scene: MjcfScene, things: SortedBodies, rng: np.random.Generator
) -> mujoco.MjData:
    """The scene at rest, drawn until everything stays about where it was put."""
    scattered = max(scene.scatter) > 0
    moved = ""
    for _ in range(DRAWS if scattered else 1):
        data = _begun(model)
        if scattered:
            _scatter(model, data, things, scene.scatter, rng)
        before = {name: data.xpos[b].copy() for name, b in things.movable.items()}
        while data.time < SETTLING:
            mujoco.mj_step(model, data)
        mujoco.mj_forward(model, data)
        away = {name: float(np.linalg.norm(data.xpos[b] - before[name])) for name, b in things.movable.items()}
        moved = max(away, key=lambda name: away[name])
        if not np.isfinite(away[moved]) or away[moved] > 1.0:
            break
        if away[moved] <= STAYS or not scattered:
            return data
    if scattered and away[moved] <= 1.0:
        raise scene.table.wrong(f"{moved} does not stay where it is put, in {DRAWS} draws; valid: less", "scatter")
    raise read.wrong(f"{moved} falls, or flies away: it is not there any more after {SETTLING:g} s", "body", moved)


def _scatter(
    m: mujoco.MjModel, d: mujoco.MjData, things: SortedBodies, scatter: tuple[float, float], rng: np.random.Generator
) -> None:
    metres, radians = scatter
    for body in things.movable.values():
        i = int(m.jnt_qposadr[m.body_jntadr[body]])
        d.qpos[i : i + 2] += rng.uniform(-metres, metres, 2)
        turned = rotation_about(np.array([0.0, 0.0, 1.0]), float(rng.uniform(-radians, radians)))
        d.qpos[i + 3 : i + 7] = to_quat(turned @ d.xmat[body].reshape(3, 3))
    mujoco.mj_forward(m, d)


def _look(m: mujoco.MjModel, d: mujoco.MjData, things: SortedBodies, notes: Mapping[str, ThingNotes]) -> Scene:
    """The scene as the model's state has it."""
    kinds = {name: ThingKind(_category(name, notes.get(name)), _ends) for name in things.roots}
    reader = ObjectReader(m, kinds, things.roots, set(things.movable))
    objects = [reader.read(name, d) for name in things.roots]
    taken = {b for root in things.roots.values() for b in subtree(m, root)}
    table = ground(m, d, taken, GROUND, [float(o.bounds()[0][2]) for o in objects if o.movable])
    return Scene((*objects, table), NOBODY, confidence={o.name: 1.0 for o in objects})


def _category(name: str, notes: ThingNotes | None) -> str:
    """A thing's category: its name without a number."""
    return notes.category if notes and notes.category else re.sub(r"_?\d+$", "", name)


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
