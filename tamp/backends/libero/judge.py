"""The verdicts on an episode, and what was touched on the way. Told to nobody who plans.

Two things are judged, both on the simulator's side: whether what was asked for holds, and whether LIBERO's own check of
the scene's task says yes. The two are the same question only where the task was what was asked for.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from tamp.backends.libero.contacts import ContactMonitor
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.video import Recorder
from tamp.model.goal import Goal
from tamp.model.scene import Perceiver, Scene
from tamp.perception.beliefs import Beliefs
from tamp.perception.sight import Sight
from tamp.runs.events import ActionEnded, Event, MilestoneEnded

HOLD_STEPS = 20
"""Control steps after the last action for which success must still hold to be called lasting."""


@dataclass(eq=False)
class Asked:
    """Whether goals hold, one after the other, by the simulator's state. `sight` says that state in symbols; its trail
    is its own, what is believed it takes from whoever acted."""

    goals: tuple[Goal, ...]
    perceiver: Perceiver
    sight: Sight
    held: list[bool] = field(default_factory=list)
    seconds: float = 0.0
    """What looking has taken while the robot was at work."""

    def heard(self, event: Event) -> None:
        """Look when one of several goals was worked on, and for observers that remember when an action has ended."""
        if isinstance(event, ActionEnded) and any(o.keeps for o in self.sight.observers.values()):
            start = time.perf_counter()
            self.sight.state(self.perceiver.perceive())
            self.seconds += time.perf_counter() - start
        if isinstance(event, MilestoneEnded) and event.number < len(self.goals):
            self.held.append(self._holds(self.goals[event.number - 1]))

    def reached(self, beliefs: Beliefs) -> bool:
        """Whether each of the goals held at its time, the last one now."""
        self.sight.beliefs.since |= {a: t for a, t in beliefs.since.items() if a.predicate in beliefs.rules}
        last = self._holds(self.goals[-1])
        return last and all(self.held) and len(self.held) == len(self.goals) - 1

    def _holds(self, goal: Goal) -> bool:
        return not goal.missing(self.sight.state(self.perceiver.perceive()))


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
