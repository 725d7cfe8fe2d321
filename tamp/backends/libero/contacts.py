"""What the robot touches that it was not asked to: measured in the simulation, told to nobody who plans."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import mujoco
import numpy as np

from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.panda import ROBOT_PREFIXES
from tamp.model.scene import Scene, objects_of

FORCE = 0.1
"""Newtons from which a contact counts."""
ROBOT = "robot"


@dataclass(eq=False)
class ContactMonitor:
    """Counts, at the end of each control step, contacts of the robot, or of the item between its pads, with
    anything that is not an operand of the action. `touched` has the steps for each thing touched."""

    environment: LiberoEnvironment
    scene: Scene
    touched: Counter[str] = field(default_factory=Counter)
    _owners: list[str] = field(init=False)
    _pads: frozenset[int] = field(init=False)

    def __post_init__(self) -> None:
        model = self.environment.sim.model._model
        bodies = owners_of_bodies(self.environment, self.scene)
        self._owners = [bodies[int(b)] for b in model.geom_bodyid]
        pads = self.environment.robot_model().pad_geoms
        self._pads = frozenset(int(model.geom(name).id) for name in pads)

    def sample(self, operands: tuple[str, ...]) -> None:
        """Look at the contacts now, during an action with the given arguments."""
        pairs = self.pairs()
        held = self._held(pairs)
        ours, allowed = {ROBOT, *held}, {ROBOT, *held, *objects_of(self.scene, operands)}
        names = {b if a in ours else a for _, _, a, b in pairs if (a in ours) != (b in ours)}
        self.touched.update(names - allowed)

    def pairs(self) -> list[tuple[int, int, str, str]]:
        """Geoms and owners of every contact with force."""
        m, d = self.environment.sim.model._model, self.environment.sim.data._data
        force, out = np.zeros(6), []
        for i in range(d.ncon):
            g1, g2 = int(d.contact.geom1[i]), int(d.contact.geom2[i])
            a, b = self._owners[g1], self._owners[g2]
            if a == b:
                continue
            mujoco.mj_contactForce(m, d, i, force)
            if np.linalg.norm(force[:3]) > FORCE:
                out.append((g1, g2, a, b))
        return out

    def _held(self, pairs: list[tuple[int, int, str, str]]) -> set[str]:
        """Items that both pads press on."""
        pads: dict[str, set[int]] = {}
        for g1, g2, a, b in pairs:
            if g1 in self._pads:
                pads.setdefault(b, set()).add(g1)
            if g2 in self._pads:
                pads.setdefault(a, set()).add(g2)
        movable = {o.name for o in self.scene if o.movable}
        return {name for name, touching in pads.items() if len(touching) > 1 and name in movable}


def owners_of_bodies(environment: LiberoEnvironment, scene: Scene) -> list[str]:
    """Name of the object that each body of the simulation belongs to: the robot, an object, or the rest."""
    model = environment.sim.model._model
    roots = environment.root_bodies()
    rest = next(o.name for o in scene if o.name not in roots)
    by_root = {model.body(root).id: name for name, root in roots.items()}
    owners: list[str] = []
    for b in range(model.nbody):
        parent = int(model.body_parentid[b])
        inherited = owners[parent] if b and owners[parent] != rest else rest
        robot = model.body(b).name.startswith(ROBOT_PREFIXES)
        owners.append(by_root.get(b, ROBOT if robot else inherited))
    return owners
