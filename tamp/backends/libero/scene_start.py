"""How a drawn scene starts: at rest, and as its file says, be it BDDL or a `scene.toml`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from motion.poses import to_quat
from tamp.backends.libero.arranging import arranged
from tamp.backends.libero.bddl import locate
from tamp.backends.libero.goals import PREDICATES, atom_of
from tamp.backends.libero.oracle import OraclePerceiver
from tamp.backends.libero.scene_description import Declaration, DeclaredThing
from tamp.errors import InputError
from tamp.model.atoms import Atom
from tamp.model.bodies import world_of
from tamp.model.scene import Scene, SceneObject
from tamp.model.state import WorldState
from tamp.perception.predicates import observe

if TYPE_CHECKING:
    from tamp.backends.libero.environment import LiberoEnvironment

SETTLED = 8
"""Draws of which one has to stay as it is declared."""
FELL = np.radians(20.0)
"""Radians of tilt, against how it was put down, from which a thing has fallen over."""
ROLLED = 0.1
"""Share of its height by which a thing that has only rolled is higher or lower."""
NEXT_TO = 0.08
"""Metres between two things up to which one is beside the other."""
OFF = 0.03
"""Metres beyond its region, or from its spot, that a thing may come to rest."""
REMEDY = "valid: another --seed, or a place where it stays"
SLACK = 0.02
"""Metres by which a fact may fail: LIBERO's region on its microwave is 13 mm above a bowl that stands there."""
FALLEN = 0.1
"""Metres below the ground of the scene at which an item fell off it."""


def start_declared(environment: LiberoEnvironment, declared: Declaration, seed: int) -> None:
    """Draw a declared scene by `seed`, and let it come to rest. `environment` was just reset.

    Raises InputError, with file and line, for a thing without room, or one that does not stay where it is declared.
    """
    rng, robot = np.random.default_rng(seed), environment.robot_model()
    before = environment.sim.get_state()
    scene = OraclePerceiver(environment, level=declared.arena.height).perceive()
    for _ in range(SETTLED):
        environment.sim.set_state(before)
        wanted = arranged(declared, scene, robot, rng)
        _put(environment, wanted)
        environment.settle()
        now = OraclePerceiver(environment).perceive()
        state = observe(now, world_of(now, robot))
        wrong = ((thing.name, _why_not(declared, thing, wanted, now, state)) for thing in declared.things)
        name, why = next(((name, why) for name, why in wrong if why), ("", ""))
        if not why:
            return
    raise declared.table.wrong(why, "things", name)


def _put(environment: LiberoEnvironment, scene: Scene) -> None:
    """Put everything of a scene where it is there, at rest."""
    sim, domain, model = environment.sim, environment.domain, environment.sim.model._model
    for o in scene:
        T = o.T_world_object
        placed = np.concatenate([T[:3, 3], to_quat(T[:3, :3])])
        if o.name in domain.objects_dict:
            sim.data.set_joint_qpos(domain.objects_dict[o.name].joints[-1], placed)
        elif o.name in domain.fixtures_dict:
            body = sim.model.body_name2id(domain.fixtures_dict[o.name].root_body)
            sim.model.body_pos[body], sim.model.body_quat[body] = placed[:3], placed[3:]
            for part in o.parts:
                if part.joint is not None:
                    sim.data.qpos[model.jnt_qposadr[model.body(part.name).jntadr[0]]] = part.joint.value
    sim.data.qvel[:] = 0.0
    sim.forward()


def _why_not(declared: Declaration, thing: DeclaredThing, wanted: Scene, now: Scene, state: WorldState) -> str:
    """Why a thing is not as it is declared; "" where it is. `wanted` is how everything was put down, `now` how it is at
    rest, `state` the same in symbols."""
    name, o = thing.name, now.object(thing.name)
    if thing.category.fixed:
        return _wrong_joint(thing, o)
    ground = declared.arena.symbol
    expected = ("on", ground) if thing.relation == "beside" else (thing.relation, thing.target)
    if Atom(expected[0], (name, expected[1])) not in state.atoms:
        where = [str(a) for a in sorted(state.atoms, key=str) if a.args[:1] == (name,) and len(a.args) == 2]
        instead = f", but {where[0]}" if where else ""
        return f"{name} does not stay {' '.join(expected)}{instead}; put it somewhere else, or something else there"
    up = wanted.object(name).T_world_object[:3, :3].T[:, 2]
    tilt = np.arccos(np.clip((o.T_world_object[:3, :3] @ up)[2], -1.0, 1.0))  # a turn about the vertical is none
    sunk = abs(now.object(name).position[2] - wanted.object(name).position[2]) > ROLLED * o.extent[2]
    if thing.relation != "in" and tilt > FELL and (sunk or tilt > 0.5 * np.pi):
        return f"{name} falls over {thing.where}; put it somewhere flatter, or something else there"
    if thing.relation == "beside":
        (low, high), (other_low, other_high) = o.bounds(), now.object(thing.target).bounds()
        if np.linalg.norm(np.maximum(np.maximum(low - other_high, other_low - high)[:2], 0.0)) > NEXT_TO:
            return f"{name} does not stay beside {thing.target}; put it somewhere else"
    p, moved = o.position[:2], 0.0
    if thing.at is not None:
        moved = float(np.linalg.norm(p - thing.at))
    elif thing.region is not None:
        moved = float(np.linalg.norm(p - np.clip(p, thing.region[:2], thing.region[2:])))
    if moved > OFF:
        return f"{name} comes to rest {100 * moved:.0f} cm from where it is declared; put it somewhere else"
    return ""


def _wrong_joint(thing: DeclaredThing, now: SceneObject) -> str:
    for part in now.parts:
        if part.joint is None:
            continue
        if part.name in thing.opened and not part.joint.is_active:
            return f"{part.name} of {thing.name} does not stay as it is declared: something is in the way"
        if part.name not in thing.opened and not part.joint.is_nearly_rest:
            return f"{part.name} of {thing.name} does not stay closed: what is in it, or before it, is in the way"
    return ""


def check_start(environment: LiberoEnvironment, seed: int) -> None:
    """InputError, with file and line, for the first start fact that does not hold in the scene drawn by `seed`.

    Of a region of the ground only that the item did not fall off: LIBERO draws positions beyond its edges.
    """
    facts = _facts(environment)
    lowest = environment.domain.workspace_offset[2] - FALLEN
    for fact in environment.domain.parsed_problem["initial_state"]:
        if len(fact) > 2 and fact[1] in environment.domain.objects_dict and environment.pose_of(fact[1])[2, 3] < lowest:
            raise _fact_error(
                environment, fact, seed, f"{fact[1]} falls off {environment.domain.workspace_name}; {REMEDY}"
            )
    if not facts:
        return
    scene = replace(OraclePerceiver(environment).perceive(), blur=SLACK)
    state = observe(scene, world_of(scene, environment.robot_model()))
    for fact in facts:
        atom = atom_of(fact, scene)
        if atom not in state.atoms and set(atom.args) <= state.symbols.keys():
            about = (a for a in state.atoms if a.args[:1] == atom.args[:1] and len(a.args) == len(atom.args))
            instead = ", ".join(sorted(map(str, about))) or f"not {atom}"
            raise _fact_error(environment, fact, seed, f"{instead}; {REMEDY}")


def _fact_error(environment: LiberoEnvironment, fact: list[str], seed: int, why: str) -> InputError:
    assert environment.task.bddl is not None
    place, text = locate(environment.task.bddl, fact)
    return InputError(f"{place}: {text} does not hold in the scene of seed {seed}: {why}")


def _facts(environment: LiberoEnvironment) -> list[list[str]]:
    """The start facts of the BDDL file about places that are not on the ground, and about joints."""
    domain = environment.domain
    regions, ground = domain.parsed_problem["regions"], domain.workspace_name

    def checked(predicate: str, thing: str = "", *place: str) -> bool:
        if predicate not in PREDICATES or not place:
            return predicate in PREDICATES
        target = regions[place[0]]["target"] if place[0] in regions else place[0]
        return thing in domain.objects_dict and target != ground

    return [fact for fact in domain.parsed_problem["initial_state"] if checked(*fact)]
