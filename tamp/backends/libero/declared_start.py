"""How a declared scene starts: everything is put where it was drawn, comes to rest, and has to be there still."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from motion.poses import to_quat
from tamp.backends.libero.arranging import arranged
from tamp.backends.libero.contacts import owners_of_bodies
from tamp.backends.libero.declared_relations import unmet
from tamp.backends.libero.oracle import OraclePerceiver
from tamp.backends.libero.scene_description import Declaration, Thing
from tamp.model.bodies import world_of
from tamp.model.scene import Scene
from tamp.perception.predicates import observe

if TYPE_CHECKING:
    from tamp.backends.libero.environment import LiberoEnvironment

SETTLED = 8
"""Draws of which one has to stay as it is declared."""
DEEP = 0.008
"""Metres that one thing may be inside another as it is put: shapes are coarser than things."""


def start(environment: LiberoEnvironment, declared: Declaration, seed: int) -> None:
    """Draw a declared scene by `seed`, and let it come to rest. `environment` was just reset.

    Raises InputError, with file and line, for a thing without room, or one that does not stay where it is declared.
    """
    rng, robot = np.random.default_rng(seed), environment.robot_model()
    before = environment.sim.get_state()
    scene = OraclePerceiver(environment, level=declared.arena.height).perceive()
    wrong = None
    for _ in range(SETTLED):
        environment.sim.set_state(before)
        wanted = arranged(declared, scene, robot, rng)
        _put(environment, wanted)
        if (wrong := _overlap(environment, declared, wanted)) is not None:
            continue
        environment.settle()
        seen = OraclePerceiver(environment).perceive()
        wrong = unmet(declared, wanted, seen, observe(seen, world_of(seen, robot)))
        if wrong is None:
            return
    assert wrong is not None
    raise declared.table.wrong(wrong[1], "things", wrong[0].name)


def _put(environment: LiberoEnvironment, scene: Scene) -> None:
    """Put everything of a scene where it is there, at rest."""
    sim, domain = environment.sim, environment.domain
    for o in scene:
        T = o.T_world_object
        placed = np.concatenate([T[:3, 3], to_quat(T[:3, :3])])
        if o.name in domain.objects_dict:
            sim.data.set_joint_qpos(domain.objects_dict[o.name].joints[-1], placed)
        elif o.name in domain.fixtures_dict:
            body = sim.model.body_name2id(domain.fixtures_dict[o.name].root_body)
            sim.model.body_pos[body], sim.model.body_quat[body] = placed[:3], placed[3:]
            _set_joints(sim, o)
    sim.data.qvel[:] = 0.0
    sim.forward()


def _overlap(environment: LiberoEnvironment, declared: Declaration, wanted: Scene) -> tuple[Thing, str] | None:
    """A thing that is inside another as it was put, and by how much; None where there is none."""
    model, contacts = environment.sim.model._model, environment.sim.data._data.contact
    owners = owners_of_bodies(environment, wanted)
    things = {t.name: t for t in declared.things}
    for n in np.flatnonzero(contacts.dist < -DEEP):
        names = {owners[int(model.geom_bodyid[g])] for g in contacts.geom[n]} & things.keys()
        if len(names) == 2:
            last, other = sorted(names, key=list(things).index, reverse=True)
            deep = -1000 * contacts.dist[n]
            return things[last], f"{last} is {deep:.0f} mm inside {other}; put one of them elsewhere"
    return None


def _set_joints(sim: Any, o: Any) -> None:
    model = sim.model._model
    for part in o.parts:
        if part.joint is not None:
            sim.data.qpos[model.jnt_qposadr[model.body(part.name).jntadr[0]]] = part.joint.value
