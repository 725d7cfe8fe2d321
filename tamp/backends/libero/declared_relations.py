"""Whether the things of a declared scene, once at rest, are where they are declared to be."""

from __future__ import annotations

import numpy as np

from motion.poses import Array
from tamp.backends.libero.openings import far_open
from tamp.backends.libero.scene_description import Declaration, Thing
from tamp.model.atoms import Atom
from tamp.model.scene import Scene, SceneObject
from tamp.model.state import WorldState

FELL = np.radians(20.0)
"""Radians of tilt, against how it was put down, from which a thing has fallen over."""
NEXT_TO = 0.08
"""Metres between two things up to which one is beside the other."""
OFF = 0.03
"""Metres beyond its region, or from its spot, that a thing may come to rest."""
STAYS = 0.01
"""Metres, or radians, that a part may be off how far open it is declared to be."""


def unmet(declared: Declaration, wanted: Scene, seen: Scene, state: WorldState) -> tuple[Thing, str] | None:
    """A thing that is not as it is declared, and what to say of it; None when all are.

    `wanted` is how everything was put down, `seen` how it is at rest, `state` the same in symbols.
    """
    for thing in declared.things:
        if (why := _unmet(declared, thing, wanted, seen, state)) is not None:
            return thing, why
    return None


def _unmet(declared: Declaration, thing: Thing, wanted: Scene, seen: Scene, state: WorldState) -> str | None:
    now = seen.object(thing.name)
    if thing.category.fixed:
        return _wrong_joint(thing, now)
    return _elsewhere(thing, declared.support(thing.name), state) or _wrong_pose(thing, wanted, seen)


def _elsewhere(thing: Thing, support: Thing, state: WorldState) -> str | None:
    if Atom(support.relation, (thing.name, support.target)) in state.atoms:
        return None
    where = [str(a) for a in sorted(state.atoms, key=str) if a.args[:1] == (thing.name,) and len(a.args) == 2]
    told = f", but {where[0]}" if where else ""
    return f"{thing.name} does not stay {support.where}{told}; put it somewhere else, or something else there"


def _wrong_pose(thing: Thing, wanted: Scene, seen: Scene) -> str | None:
    name, now = thing.name, seen.object(thing.name)
    if thing.relation != "in" and _tilt(wanted.object(name), now) > FELL:
        return f"{name} falls over {thing.where}; put it somewhere flatter, or something else there"
    if thing.relation == "beside" and _distance(now, seen.object(thing.target)) > NEXT_TO:
        return f"{name} does not stay beside {thing.target}; put it somewhere else"
    if (moved := _off(thing, now.position[:2])) > OFF:
        return f"{name} comes to rest {100 * moved:.0f} cm from where it is declared; put it somewhere else"
    return None


def _wrong_joint(thing: Thing, now: SceneObject) -> str | None:
    for part in now.parts:
        if part.joint is None:
            continue
        far = thing.opened.get(part.name)
        moved = not part.joint.is_active if far is None else abs(far_open(part.joint) - far) > STAYS
        if part.name in thing.opened and moved:
            return f"{part.name} of {thing.name} does not stay as it is declared: something is in the way"
        if part.name not in thing.opened and not part.joint.is_nearly_rest:
            return f"{part.name} of {thing.name} does not stay closed: what is in it, or before it, is in the way"
    return None


def _tilt(before: SceneObject, now: SceneObject) -> float:
    """Radians that a thing is tilted against how it was put down; a turn about the vertical is none."""
    up = before.T_world_object[:3, :3].T[:, 2]
    return float(np.arccos(np.clip((now.T_world_object[:3, :3] @ up)[2], -1.0, 1.0)))


def _distance(a: SceneObject, b: SceneObject) -> float:
    """Metres between the boxes around two things, seen from above."""
    (a_low, a_high), (b_low, b_high) = a.bounds(), b.bounds()
    apart = np.maximum(np.maximum(a_low - b_high, b_low - a_high)[:2], 0.0)
    return float(np.linalg.norm(apart))


def _off(thing: Thing, p: Array) -> float:
    """Metres (seen from above) from where a thing is declared to be."""
    if thing.at is not None:
        return float(np.linalg.norm(p - thing.at[:2]))
    if thing.region is not None:
        return float(np.linalg.norm(p - np.clip(p, thing.region[:2], thing.region[2:])))
    return 0.0
