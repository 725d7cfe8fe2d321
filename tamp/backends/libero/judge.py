"""The verdicts on an episode, and what was touched on the way. Told to nobody who plans.

Two things are judged, both on the simulator's side: whether what was asked for holds, and whether LIBERO's own check of
the scene's task says yes. The two are the same question only where the task was what was asked for.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tamp.backends.libero.contacts import ContactMonitor
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.model.scene import Scene
from tamp.runs.goal_oracle import Asked
from tamp.runs.recorder import Recorder

HOLD_STEPS = 20
"""Control steps after the last action for which success must still hold to be called lasting."""


@dataclass(eq=False)
class Judge:
    """Asks LIBERO after every control step, and looks at what touches what. `success` is LIBERO's `check_success()`
    alone, after any control step within the step limit, as LIBERO's own evaluation has it."""

    environment: LiberoEnvironment
    scene: Scene
    asked: Asked
    recorder: Recorder | None = None
    success: bool = False
    monitor: ContactMonitor = field(init=False)

    def __post_init__(self) -> None:
        self.monitor = ContactMonitor(self.environment, self.scene)

    def after_step(self, operands: tuple[str, ...]) -> None:
        """Look, after a control step of an action with the given arguments."""
        self._ask()
        self.asked.sight.felt(self.environment.time, self.environment.robot_state())
        self.monitor.sample(operands)

    def hold(self) -> None:
        """Stand still for a while; these steps are not counted."""
        counted = self.environment.steps
        self._ask()
        for _ in range(HOLD_STEPS):
            self.environment.stop()
            self._ask()
        self.environment.steps = counted

    def _ask(self) -> None:
        if self.environment.steps <= self.environment.task.step_limit:
            self.success = self.success or self.environment.check_success()
        if self.recorder:
            self.recorder.step()
