"""Named predicates: what a scene's geometry means in symbols, with the tolerances that decide it.

Where LIBERO has a predicate of the same meaning the same tolerance is used, so that what is planned for is
what is judged; `env.check_success()` alone is the judge.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tamp.model.atoms import Atom
from tamp.model.bodies import bodies_of, state_of
from tamp.model.scene import Region, Scene, SceneObject, contains
from tamp.model.state import WorldState
from tamp.perception.relations import standing

if TYPE_CHECKING:
    from motion.world import World

TOUCHING = 0.004
"""Metres between two bodies that count as touching."""
CENTRED = 0.03
"""Metres between the centres, seen from above, within which an item is *on* another (LIBERO: 0.03)."""
ABOVE_REGION = 0.10
"""Metres above a surface region within which an item may have its origin (LIBERO: 0.10)."""
BELOW_INTERIOR = 0.01
"""Metres by which an origin may lie under an interior's box (LIBERO: 0.01)."""
GRIPPED = 0.006
"""Metres between each finger pad and an item that is held."""
AROUND = 0.01
"""Metres further around the tool point than the fingers open, within which a held item must reach."""

SEEN = frozenset({"on", "in", "clear", "holding", "hand-empty", "open", "closed", "turned-on", "turned-off"})
"""The predicates that are looked at in every scene."""


def symbols_of(scene: Scene) -> dict[str, str]:
    """Symbol to type, for the tabletop vocabulary: items, surfaces, interiors by how they open, appliances. What can be
    carried comes first, whatever the order in which things were seen: a language model goes by what it reads first."""
    out: dict[str, str] = {}
    for o in sorted(scene, key=lambda o: not o.movable):
        if o.movable:
            out[o.name] = "item"
        for r in o.regions:
            if r.kind == "surface":
                out[r.name] = "surface"
            elif r.door is None:
                out[r.name] = "bin"
            else:
                out[r.name] = "drawer" if o.part(r.door).kind == "drawer" else "cupboard"
        if any(p.kind == "knob" for p in o.parts):
            out[o.name] = "appliance"
    fixtures = (o.name for o in scene if not o.movable and standing(o.name, scene) is not None)
    return {**out, **{name: "fixture" for name in fixtures if name not in out}}


def observe(scene: Scene, world: World, doubted: frozenset[Atom] = frozenset()) -> WorldState:
    """The atoms that hold in `scene`; `world` is its kinematic copy: it takes up what is new, drops what is gone, and
    is left at the scene's state.

    Those in `doubted` are left out, whatever they look like; an item that would then be nowhere is on the ground.
    """
    world.sync(bodies_of(scene))
    world.load(state_of(scene))
    said = (o for o in scene if o.name in (scene.in_hand or ()))
    held = _held(scene, world) if scene.in_hand is None else next(said, None)
    atoms = {Atom("hand-empty")} if held is None else {Atom("holding", (held.name,))}
    for item in scene:
        if item.movable and item is not held:
            atoms |= location(item, scene, world) - doubted or {Atom("on", (item.name, _ground(scene)))}
    symbols, nearly = symbols_of(scene), set[Atom]()
    covered = {a.args[1] for a in atoms if a.predicate == "on"}
    atoms |= {Atom("clear", (s,)) for s, kind in symbols.items() if kind in ("item", "surface") and s not in covered}
    for o, r in scene.regions():
        if r.kind == "interior":
            atoms |= _openness(o, r)
            joint = None if r.door is None else o.part(r.door).joint
            nearly |= set() if joint is None or joint.at_rest(joint.slack(scene.blur)) else {Atom("closed", (r.name,))}
        if o.movable:
            atoms.add(Atom("does-not-fit", (o.name, r.name)))  # nothing goes into itself
    for o in scene:
        for p in o.parts:
            if p.kind == "knob" and p.joint is not None:
                atoms |= {Atom("turned-on", (o.name,))} if p.joint.is_active else set()
                atoms |= {Atom("turned-off", (o.name,))} if p.joint.is_nearly_rest else set()
                nearly |= set() if p.joint.at_rest(p.joint.slack(scene.blur)) else {Atom("turned-off", (o.name,))}
    return WorldState(symbols, frozenset(atoms - doubted), scene.time, frozenset(nearly & atoms))


def held_in(state: WorldState) -> str | None:
    """The item that is in the hand."""
    return next((a.args[0] for a in state.atoms if a.predicate == "holding"), None)


def above(p_world: np.ndarray, region: Region, blur: float = 0.0) -> bool:
    """Whether a point (3,), known to `blur` metres, is over a surface region's rectangle, within reach of its plane."""
    d = region.T_world_region[:3, :3] @ (p_world - region.T_world_region[:3, 3])
    over = d[2] - region.half_extent[2]
    return bool(np.all(np.abs(d[:2]) < region.half_extent[:2]) and -0.005 - blur < over < ABOVE_REGION)


def location(item: SceneObject, scene: Scene, world: World) -> set[Atom]:
    """Where an item is: in an interior or on every region that carries it, and on every item that does; else on the
    ground."""
    p = item.position
    interiors = [
        r for o, r in scene.regions() if r.kind == "interior" and o is not item and contains(r, p, BELOW_INTERIOR)
    ]
    atoms = {Atom("in", (item.name, r.name)) for r in interiors}
    for o in scene:
        if o is item or not _near(item, o, scene.blur):
            continue
        touching = _touching(item, o, world, scene.blur)
        if touching and o.movable and is_centred_on(o, item, scene.blur):
            atoms.add(Atom("on", (item.name, o.name)))
        if not interiors:
            carrying = (r for r in o.regions if r.kind == "surface" and touching and above(p, r, scene.blur))
            atoms |= {Atom("on", (item.name, r.name)) for r in carrying}
    return atoms or {Atom("on", (item.name, _resting_on(item, scene, world)))}


def is_centred_on(below: SceneObject, item: SceneObject, blur: float) -> bool:
    """Whether an item that touches another is on it: above it, and their centres in line."""
    near = np.linalg.norm((below.position - item.position)[:2]) < CENTRED
    return bool(near) and is_under(below, item, blur)


def is_under(below: SceneObject, item: SceneObject, blur: float) -> bool:
    """Whether one item is the lower one: by its origin, as LIBERO has it, or where that is too blurred to say by the
    middle of the box around it."""
    rise = float(item.position[2] - below.position[2])
    if abs(rise) <= blur:
        (la, ha), (lb, hb) = below.bounds(), item.bounds()
        rise = 0.5 * float(lb[2] + hb[2] - la[2] - ha[2])
    return rise >= 0.0


def _resting_on(item: SceneObject, scene: Scene, world: World) -> str:
    """The nearest thing under an item that is centred on nothing: an item, else the largest surface."""
    under = [
        o
        for o in scene
        if o.movable and o is not item and is_under(o, item, scene.blur) and _touching(item, o, world, scene.blur)
    ]
    if under:
        return min(under, key=lambda o: float(np.linalg.norm((o.position - item.position)[:2]))).name
    return _ground(scene)


def _ground(scene: Scene) -> str:
    """The largest surface."""
    surfaces = [r for _, r in scene.regions() if r.kind == "surface"]
    return max(surfaces, key=lambda r: float(np.prod(r.half_extent[:2]))).name


def _near(a: SceneObject, b: SceneObject, blur: float) -> bool:
    (la, ha), (lb, hb) = a.bounds(), b.bounds()
    margin = TOUCHING + blur
    return bool(np.all(la - margin < hb) and np.all(lb - margin < ha))


def _touching(a: SceneObject, b: SceneObject, world: World, blur: float) -> bool:
    margin = TOUCHING + blur
    return any(world.distance(a.name, p.name, 2 * margin) < margin for p in b.parts if p.shapes)


def _openness(o: SceneObject, r: Region) -> set[Atom]:
    joint = None if r.door is None else o.part(r.door).joint
    if joint is None:
        return {Atom("open", (r.name,))}
    atoms = {Atom("open", (r.name,))} if joint.is_active else set()
    return atoms | ({Atom("closed", (r.name,))} if joint.is_nearly_rest else set())


def _held(scene: Scene, world: World) -> SceneObject | None:
    """The item between the fingers: both pads touch it, and none nearer."""
    p_tool, span = scene.robot.T_world_tool[:3, 3], world.robot.gripper.opening + AROUND
    found: list[tuple[float, SceneObject]] = []
    for o in scene:
        low, high = o.bounds()
        if o.movable and np.all(p_tool > low - span) and np.all(p_tool < high + span):
            found.append((max(world.pad_distances(o.name)), o))
    nearest = min(found, key=lambda f: f[0], default=(np.inf, None))
    return nearest[1] if nearest[0] < GRIPPED + scene.blur else None
