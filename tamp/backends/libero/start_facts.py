"""Whether a drawn scene, once at rest, shows what its files say of the start."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tamp.backends.libero.bddl import locate
from tamp.backends.libero.goals import PREDICATES, atom_of
from tamp.backends.libero.oracle import OraclePerceiver
from tamp.errors import InputError
from tamp.model.atoms import Atom
from tamp.model.bodies import world_of
from tamp.model.scene import Scene
from tamp.model.state import WorldState
from tamp.perception.predicates import observe

if TYPE_CHECKING:
    from tamp.backends.libero.environment import LiberoEnvironment

REMEDY = "valid: another --seed, or a place where it stays"
SLACK = 0.02
"""Metres by which a fact may fail: LIBERO's region on its microwave is 13 mm above a bowl that stands there."""
FALLEN = 0.1
"""Metres below the ground of the scene at which an item fell off it."""


def check_start(environment: LiberoEnvironment, seed: int) -> None:
    """InputError, with file and line, for the first start fact that does not hold in the scene drawn by `seed`.

    Of a region of the ground only that the item did not fall off: LIBERO draws positions beyond its edges.
    """
    task, facts = environment.task, _facts(environment)
    lowest = environment.domain.workspace_offset[2] - FALLEN
    for fact in environment.domain.parsed_problem["initial_state"]:
        if len(fact) > 2 and fact[1] in environment.domain.objects_dict and environment.pose_of(fact[1])[2, 3] < lowest:
            raise _wrong(environment, fact, seed, f"{fact[1]} falls off {environment.domain.workspace_name}; {REMEDY}")
    if not facts and not task.start:
        return
    scene = replace(OraclePerceiver(environment).perceive(), blur=SLACK)
    state = observe(scene, world_of(scene, environment.robot_model()))
    for item, region in task.start.items():
        if (why := _unmet(_placed(item, region, scene), state)) is not None:
            assert task.file is not None
            raise task.file.wrong(f"{item} does not stay there in the scene of seed {seed}: {why}", "start", item)
    for fact in facts:
        if (why := _unmet(atom_of(fact, scene), state)) is not None:
            raise _wrong(environment, fact, seed, why)


def _wrong(environment: LiberoEnvironment, fact: list[str], seed: int, why: str) -> InputError:
    assert environment.task.bddl is not None
    place, text = locate(environment.task.bddl, fact)
    return InputError(f"{place}: {text} does not hold in the scene of seed {seed}: {why}")


def _facts(environment: LiberoEnvironment) -> list[list[str]]:
    """The start facts of the BDDL file about places that are not on the ground, and about joints."""
    domain, start = environment.domain, environment.task.start
    regions, ground = domain.parsed_problem["regions"], domain.workspace_name

    def checked(predicate: str, thing: str = "", *place: str) -> bool:
        if predicate not in PREDICATES or not place:
            return predicate in PREDICATES
        target = regions[place[0]]["target"] if place[0] in regions else place[0]
        return thing in domain.objects_dict and thing not in start and target != ground

    return [fact for fact in domain.parsed_problem["initial_state"] if checked(*fact)]


def _placed(item: str, region: str, scene: Scene) -> Atom:
    interior = any(r.name == region and r.kind == "interior" for _, r in scene.regions())
    return Atom("in" if interior else "on", (item, region))


def _unmet(atom: Atom, state: WorldState) -> str | None:
    """What holds instead of an atom; None where it holds, or the scene has no such symbol."""
    if atom in state.atoms or not set(atom.args) <= state.symbols.keys():
        return None
    about = sorted(str(a) for a in state.atoms if a.args[:1] == atom.args[:1] and len(a.args) == len(atom.args))
    return f"{', '.join(about) or f'not {atom}'}; {REMEDY}"
