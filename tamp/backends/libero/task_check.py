"""LIBERO's own check of a scene's task, and what the robot touched besides. Nothing of it reaches whoever plans."""

from __future__ import annotations

from dataclasses import dataclass, field

from tamp.backends.libero.contacts import ContactMonitor
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.goals import is_the_tasks
from tamp.model.atoms import Atom
from tamp.model.goal import Goal
from tamp.model.scene import Scene


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
