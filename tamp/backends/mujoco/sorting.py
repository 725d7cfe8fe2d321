"""Which bodies of an MJCF scene are things, which are fixtures, and which nothing but what all stand on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import mujoco

from motion.cavities import cavity
from motion.poses import inverse
from tamp.backends.mujoco.declared import MjcfScene
from tamp.backends.mujoco.mjcf_file import FREE, MjcfFile
from tamp.backends.mujoco.objects import body_pose, shapes_of, subtree
from tamp.model.goal_syntax import NAME, nearest_name, valid

GROUND = "table"
"""The symbol of what all stand on."""
TAKEN = (GROUND, "world", "robot", "item", "surface", "bin", "drawer", "cupboard", "appliance", "object")


@dataclass(frozen=True, eq=False)
class Sorted:
    """Bodies by the names of the things that they are: `movable` can be carried, `fixed` stand still but for their
    drawers and doors."""

    movable: Mapping[str, int]
    fixed: Mapping[str, int]

    @property
    def roots(self) -> dict[str, int]:
        """All of them."""
        return {**self.movable, **self.fixed}


def sort_bodies(read: MjcfFile, scene: MjcfScene, data: mujoco.MjData) -> Sorted:
    """The things of a scene. InputError, with file and line, where nothing can be carried, for a name that no goal can
    have, and for something said of a thing that there is not."""
    m = read.model
    free = [b for b in range(1, m.nbody) if m.body_jntnum[b] and m.jnt_type[m.body_jntadr[b]] == FREE]
    if not free:
        raise read.wrong("no body has a free joint, so nothing can be carried; valid: <freejoint/> in bodies of things")
    fixed = _fixtures(m, {name for name in scene.said}, data)
    found = Sorted({_name(read, b): b for b in free}, {_name(read, b): b for b in fixed})
    for name in scene.said:
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


def _fixtures(m: mujoco.MjModel, said: set[str], d: mujoco.MjData) -> list[int]:
    """Bodies that carry drawers or doors, have places of their own, are hollow, or are spoken of."""
    still = [b for b in range(1, m.nbody) if m.body_weldid[b] == 0]
    moving = [b for b in range(1, m.nbody) if m.body_jntnum[b] and m.jnt_type[m.body_jntadr[b]] != FREE]
    wanted = {int(m.body_parentid[b]) for b in moving}
    boxes = m.site_type == mujoco.mjtGeom.mjGEOM_BOX
    wanted |= {int(b) for b in m.site_bodyid[boxes] if m.body_weldid[b] == 0}
    wanted |= {b for b in still if m.body(b).name in said}
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
