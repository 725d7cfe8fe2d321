"""LIBERO's own check of a scene's task, and what the robot touched unintentionally. The planner never sees it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import mujoco
import numpy as np

from tamp.backends.libero.environment import ROBOT, LiberoEnvironment
from tamp.backends.libero.goals import is_the_tasks
from tamp.model.atoms import Atom
from tamp.model.goal import Goal
from tamp.model.scene import Scene, objects_of

FORCE = 0.1
"""Newtons from which a contact counts."""


@dataclass(eq=False)
class TaskCheck:
    """Asks LIBERO after every control step, and looks at what touches what. `success` is LIBERO's `check_success()`
    alone, after any control step within the step limit, as LIBERO's own evaluation has it."""

    environment: LiberoEnvironment
    scene: Scene
    success: bool = False
    monitor: ContactMonitor = field(init=False)

    def __post_init__(self) -> None:
        self.monitor = ContactMonitor(self.environment, self.scene)

    @property
    def touched(self) -> dict[str, int]:
        """The control steps in which something was touched that the action was not about."""
        return dict(self.monitor.touched.most_common())

    def after_step(self, operands: tuple[str, ...]) -> None:
        """Look, after a control step of an action with the given arguments."""
        self.look()
        self.monitor.sample(operands)

    def look(self) -> None:
        """Ask LIBERO now."""
        if self.environment.steps <= self.environment.task.step_limit:
            self.success = self.success or self.environment.check_success()

    def holds(self) -> bool:
        """What LIBERO says now, whatever the step limit."""
        return self.environment.check_success()

    def is_about(self, goals: tuple[Goal, ...], true: frozenset[Atom]) -> bool:
        """Whether what is asked for, where exactly the atoms `true` hold, is the task that LIBERO checks."""
        return self.environment.task.is_checked and is_the_tasks(goals, self.environment, true)


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
        bodies, roots = self.environment.owners(), self.environment.root_bodies()
        rest = next(o.name for o in self.scene if o.name not in roots)
        self._owners = [bodies[int(b)] or rest for b in model.geom_bodyid]
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
