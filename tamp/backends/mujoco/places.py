"""Places of an MJCF scene where something can be put: its box sites, and those that shapes alone show."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import mujoco
import numpy as np

from motion.cavities import Box, cavity
from motion.poses import Array, inverse, pose, to_quat
from motion.shapes import Shape, bounds
from tamp.backends.mujoco.declared import MjcfScene
from tamp.backends.mujoco.mjcf_file import MjcfFile
from tamp.backends.mujoco.objects import FLAT, NARROW, body_pose, carriers, shapes_of, subtree, top_of
from tamp.backends.mujoco.sorting import GROUND, Sorted
from tamp.model.goal_syntax import NAME, valid

THIN = 0.001
"""Half-height (metres) of a surface."""
STRAIGHT = 0.99
"""Vertical component of a body's z axis from which places are along its own axes, else along the world's."""


@dataclass(frozen=True, eq=False)
class Place:
    """A box site that a body gets: `T_body_place` (4, 4) and half-extents (3,)."""

    name: str
    body: int
    T_body_place: Array
    half: Array


def add_places(read: MjcfFile, scene: MjcfScene, things: Sorted, d: mujoco.MjData) -> None:
    """Give the bodies of a scene a box site for each place that it has none for yet. InputError, with file and line,
    for a site that no goal can name, and for what is said of a body that there is not."""
    m = read.model
    own = {m.site(s).name: int(m.site_bodyid[s]) for s in range(m.nsite) if m.site_type[s] == mujoco.mjtGeom.mjGEOM_BOX}
    taken = {b for root in things.roots.values() for b in subtree(m, root)}
    _check_sites(read, {name for name, body in own.items() if body in taken}, things)
    places = [p for name in things.roots for p in _places(read, scene, things, name, set(own.values()), d)]
    for p in places:
        at = {"pos": p.T_body_place[:3, 3], "quat": to_quat(p.T_body_place[:3, :3])}
        read.spec.body(m.body(p.body).name).add_site(name=p.name, type=mujoco.mjtGeom.mjGEOM_BOX, size=p.half, **at)


def _check_sites(read: MjcfFile, names: set[str], things: Sorted) -> None:
    for name in names:
        if not NAME.fullmatch(name) or name in things.roots or name == GROUND:
            why = "is the name of something else, too" if NAME.fullmatch(name) else "is no name in a goal"
            raise read.wrong(f"the box site {name!r} {why}; valid: a-z, 0-9 and _, as 'shelf_region'", "site", name)


def _places(
    read: MjcfFile, scene: MjcfScene, things: Sorted, name: str, with_sites: set[int], d: mujoco.MjData
) -> Iterator[Place]:
    """The places of one thing that it has no sites for."""
    m, said, root, movable = read.model, scene.said.get(name), things.roots[name], name in things.movable
    carried = carriers(m, root, movable)
    told = dict(said.interiors) if said else {}
    known = [m.body(b).name for b in carried]
    if (wrong := next((body for body in told if body not in known), None)) is not None:
        at = ("things", name, "interior", wrong)
        raise scene.table.wrong(f"{name} has no body {wrong!r}; {valid(wrong, known)}", *at)
    for body in dict.fromkeys(carried.values()):
        own = [b for b, carrier in carried.items() if carrier == body]
        called = m.body(body).name
        if called in told:
            low, high = told[called]
            yield Place(_interior_name(name, called), body, pose(0.5 * (low + high)), 0.5 * (high - low))
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


def _placed(name: str, m: mujoco.MjModel, d: mujoco.MjData, body: int, box: Box) -> Place:
    T_body_world = inverse(body_pose(d, body))
    flat = box[1][2] - box[0][2] < FLAT
    T_world_frame = np.eye(4) if flat else _frame(m, d, body)
    half = 0.5 * (box[1] - box[0])
    T = T_body_world @ T_world_frame @ pose(0.5 * (box[0] + box[1]))
    return Place(name, body, T, np.maximum(half, THIN))


def _top(shapes: tuple[Shape, ...]) -> Box | None:
    """The level rectangle (world axes) on top of shapes; None where it is too narrow for anything to stand on it."""
    tops = [float(bounds((s,), np.eye(4))[1][2]) for s in shapes]
    if not tops:
        return None
    low, high = top_of(shapes, [max(tops)])
    return (low, high) if min((high - low)[:2]) > NARROW and abs(high[2] - max(tops)) < FLAT else None
