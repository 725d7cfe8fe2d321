"""Carries out the steps of an action plan on an arm, and says what became of each.

All that can be known is checked before anything moves; then a session on the arm runs the plan to its end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tamp.agent.clock import run
from tamp.agent.session import Session
from tamp.backends.xarm.arm_backend import ArmBackend
from tamp.backends.xarm.arm_faults import ArmFault
from tamp.backends.xarm.arm_result import ArmResult
from tamp.backends.xarm.arm_steps import Step
from tamp.backends.xarm.arm_stop import ArmStop
from tamp.backends.xarm.driver import Driver
from tamp.backends.xarm.hand import HandController, HandEvent
from tamp.backends.xarm.motion_planner import MotionPlanner
from tamp.backends.xarm.performing import ArmPerformer
from tamp.backends.xarm.rehearsal import rehearse
from tamp.backends.xarm.step_targets import StepTargets
from tamp.model.events import Event
from tamp.pddl.planner import Tell


@dataclass(eq=False)
class Executor:
    """Runs plans on one arm."""

    driver: Driver
    ways: MotionPlanner
    targets: StepTargets
    stop: ArmStop
    tell: Tell
    hand: HandController | None = None
    check_twice: bool = True

    def run(self, steps: Sequence[Step | HandEvent]) -> ArmResult:
        """Carry out the steps. Does not raise for what an arm does: the result says it."""
        try:
            q = self.driver.condition().q
            rehearse(steps, q, self.ways, self.targets, self.stop, self.tell, self.check_twice)
        except ArmFault as e:
            return ArmResult(False, failed=e.step, kind=e.kind, reason=str(e))
        backend = ArmBackend(self.driver, self.ways.cell.T_flange_tool)
        on_arm = ArmPerformer(backend, self.ways, self.targets, self.stop, self.tell, self.hand, self.check_twice)
        session = Session(on_arm, self._publish, ends_when_idle=True)
        session.begin(on_arm.plan(steps))
        try:
            run(session, backend, self._publish, "real")
        except ArmFault:  # of the stop after the end; the verdict has what went before
            pass
        except KeyboardInterrupt:
            return on_arm.verdict if on_arm.verdict.kind else ArmResult(False, kind="stopped")
        return on_arm.verdict

    def _publish(self, event: Event) -> None:
        self.tell(event.kind, **event.data())
