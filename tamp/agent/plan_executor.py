"""One decision carried out: commands period by period, watched while they are given, and every action judged."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, field

import numpy as np

from motion.lookahead import Lookahead
from motion.poses import error
from tamp.agent.monitor import Monitor
from tamp.agent.session import Doing, Routine
from tamp.agent.tabletop import STANDS_STILL, Periods, StepLimit, Tabletop
from tamp.agent.trajectory_tracker import TrajectoryTracker
from tamp.model.atoms import GroundAction
from tamp.model.backend import Command
from tamp.model.events import ActionBegun, ActionEnded, Commanded, Interrupted, StateSeen, Vetoed
from tamp.model.motions import Segment, timed
from tamp.model.scene import RobotState, Scene, jointed_parts, joints_of, moving_parts, poses_of, walls
from tamp.model.situation import Situation
from tamp.model.state import WorldState
from tamp.pddl.planner import Plan
from tamp.planning.deliberation import Decision
from tamp.planning.refusal import Certificate
from tamp.skills.base import Refinement


@dataclass
class GoalOutcome:
    """What became of goals. `stage` is where it ended: goal, perception, plan, refinement, execution, or none.

    `steps` are control steps up to the last release or push; the hand's way out is not among them. `plan` is the first
    plan found, for a sequence of goals those of each that was not seen to hold by itself. `alternatives` are those that
    were taken of goals with `or`. `certificate` is what a refusal rests on.
    """

    done: bool = False
    stage: str | None = None
    reason: str | None = None
    steps: int = 0
    plan: Plan | None = None
    alternatives: list[str] = field(default_factory=list)
    executed: list[GroundAction] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    certificate: Certificate | None = None

    def fail(self, stage: str, reason: str, certificate: Certificate | None = None) -> None:
        """It ended there, and why."""
        self.stage, self.reason, self.certificate = stage, reason, certificate


ATTEMPTS = 3
"""Executions of one action before it is given up."""
STOPS = 5
"""Times that one action is stopped in the middle before it is carried out whatever is seen."""
BRAKING = 0.5
"""Seconds in which the arm comes to rest."""
REST = 0.5
"""Seconds that things which are not where they were foreseen get to come to rest."""
AT_REST = 2.0
"""How little they move in a second by then, in multiples of what counts as elsewhere."""


@dataclass(frozen=True)
class Followed:
    """How far a decision was followed: how many actions ended, and what was wrong with the last, if anything was;
    `stopped` in the middle of the next one. `back` is the way back where the last took up more than it was to."""

    done: int
    problem: str | None = None
    stopped: bool = False
    back: tuple[Segment, ...] = ()


@dataclass(eq=False)
class PlanExecutor:
    """Carries out decisions. `outcome` counts steps and actions. For the goal that is worked towards, `failures` has
    what was wrong with actions, the last one last, and `stopped` why they were stopped in the middle."""

    periods: Periods
    outcome: GoalOutcome
    failures: dict[GroundAction, list[str]] = field(default_factory=dict)
    stopped: dict[GroundAction, list[str]] = field(default_factory=dict)
    wanted: frozenset[str] = frozenset()
    """The symbols of the goal that is worked towards."""
    _before: WorldState = field(default_factory=lambda: WorldState({}, frozenset()))
    """How things were before the action that is going on."""

    @property
    def table(self) -> Tabletop:
        """Where it happens."""
        return self.periods.table

    def follow(self, decided: Decision, watchful: bool) -> Routine[Followed]:
        """Command the motions of several actions without a pause, and judge each action when it ends.

        Stops after the first that failed or left things other than foreseen, and being `watchful` in the middle of one
        that cannot go well any more.
        """
        table, actions, steps = self.table, decided.plan.actions, decided.steps
        watch = Lookahead(table.world, table.period)
        opening, gains = table.observed.robot.opening, table.world.robot.gains
        execution = TrajectoryTracker(decided.timeline, opening, table.period, gains, watch)
        done, before, start = 0, self.periods.steps, time.perf_counter()
        monitor = Monitor(table, self.wanted)
        doing = self._begin(actions[0], steps[0], watch)
        try:
            seen = (yield from self.periods.look())[2]
            monitor.begin(actions, steps[0], seen, seen)
            while True:
                command = execution.step(robot := table.observed.robot)
                if done < execution.finished or execution.halted:
                    judged = yield from self._judge(actions[done], steps[done], before, execution, watch)
                    problem, as_foreseen, seen = judged
                    if problem is not None:
                        table.mind.report_failure(actions[done], steps[done].note | {"failed": problem})
                        problem += f", the arm was halted since {execution.why}" if execution.halted else ""
                    done, before = done + 1, self.periods.steps
                    if problem is not None or not as_foreseen or done == len(actions) or execution.halted:
                        more = problem is not None and steps[done - 1].after.come_along(seen) is not None
                        return Followed(done, problem, back=steps[done - 1].back(seen) if more else ())
                    doing = self._begin(actions[done], steps[done], watch)
                    monitor.begin(actions[done:], steps[done], seen, steps[done - 1].after)
                    execution.correction.leave()
                acts = execution.timeline.acts[done]
                why = monitor.violation(execution, acts) if watchful else None
                if why and self._may_stop(actions[done], why):
                    yield from self._brake()
                    return Followed(done, stopped=True)
                if command is not None:
                    doing.stage = "acting" if execution.index >= acts else "moving"
                    doing.now = table.observed.time
                    doing.waits_for = execution.hindrance or self._went_wrong(actions[done])
                    yield from self._command(command, execution, robot)
        except StepLimit:
            cut = f"not finished, the step limit of {self.periods.most} is reached"
            table.publish(ActionEnded(False, str(actions[done]), cut, self.periods.steps - before, None))
            raise
        finally:
            table.doing = None
            taken = self.outcome.seconds
            taken["execute"] = taken.get("execute", 0.0) + time.perf_counter() - start

    def put_back(self, segments: tuple[Segment, ...]) -> Routine[None]:
        """Go along motions that no action of the domain stands for."""
        table, robot = self.table, self.table.observed.robot
        watch = Lookahead(table.world, table.period)
        timeline = timed([segments], table.world)
        execution = TrajectoryTracker(timeline, robot.opening, table.period, table.world.robot.gains, watch)
        while (command := execution.step(robot := table.observed.robot)) is not None and not execution.halted:
            yield from self._command(command, execution, robot)

    def _may_stop(self, action: GroundAction, why: str) -> bool:
        """Whether an action is stopped because of what is seen: what never comes to rest is put up with in the end."""
        reasons = self.stopped.setdefault(action, [])
        if len(reasons) >= STOPS:
            return False
        reasons.append(why)
        self.table.publish(Interrupted(str(action), why, self.periods.steps))
        return True

    def _brake(self) -> Routine[None]:
        """Come to rest."""
        for _ in range(round(BRAKING / self.table.period)):
            before = self.table.observed.robot.T_world_tool
            yield from self.periods.pass_one(None)
            e = error(before, self.table.observed.robot.T_world_tool)
            if float(np.linalg.norm(e[:3])) < STANDS_STILL * self.table.period:
                return

    def _begin(self, action: GroundAction, refinement: Refinement, watch: Lookahead) -> Doing:
        table = self.table
        watch.ignore = moving_parts(refinement.after.scene, action.args) | refinement.displaced | refinement.touched
        watch.held_ignore = walls(refinement.after.scene, action.args)
        now = table.observed.time
        self._before = table.sight.known
        table.doing = Doing(str(action), now, now, action.args, waits_for=self._went_wrong(action))
        table.publish(ActionBegun(str(action), refinement.note))
        return table.doing

    def _went_wrong(self, action: GroundAction) -> str:
        """Why it is not the first time that an action is tried."""
        problems = self.failures.get(action, [])
        return f"tried {len(problems)} of {ATTEMPTS} times: {problems[-1]}" if problems else ""

    def _command(
        self, command: Command, execution: TrajectoryTracker, robot: RobotState, stage: str | None = None
    ) -> Routine[None]:
        yield from self.periods.pass_one(command)
        if execution.veto is not None and not execution.halted:
            self.table.publish(Vetoed(self.periods.steps, **asdict(execution.veto)))
        if execution.working:
            self.outcome.steps = self.periods.steps
        self.table.publish(
            Commanded(
                step=self.periods.steps,
                stage=stage or execution.stage,
                displacement=command.displacement,
                opening=round(command.opening, 4),
                q=robot.q,
                tool=robot.T_world_tool[:3, 3],
                fingers=round(robot.opening, 4),
            )
        )

    def _judge(
        self, action: GroundAction, refinement: Refinement, before: int, execution: TrajectoryTracker, watch: Lookahead
    ) -> Routine[tuple[str | None, bool, Situation]]:
        """What is missing of an action's postcondition, whether things are as its refinement foresaw, and how they are;
        `before` is the control step it began at.
        """
        table = self.table
        scene, state, situation = yield from self._settled(action, refinement, execution)
        watch.seen = jointed_parts(scene)  # within what is let pass, but not quite as foreseen
        missing = table.missing(action, scene, situation, self._before)
        looked = missing is not None and table.clarify is not None and (yield from table.clarify(action.args))
        if looked:  # again, from elsewhere, at what the action was about, of which little is seen
            scene, state, situation = yield from self.periods.look()
            missing = table.missing(action, scene, situation, self._before)
        if missing is None and table.sight.carried_out(action, self._before, scene.time):
            state = table.sight.state(scene)
        if missing is None and (other := refinement.after.come_along(situation)):
            missing = f"{other} came up with {situation.held}"
        difference = refinement.after.difference(situation)
        self.outcome.executed.append(action)
        table.publish(ActionEnded(missing is None, str(action), missing, self.periods.steps - before, difference))
        table.publish(StateSeen(state.atoms, poses_of(scene), joints_of(scene)))
        return missing, difference is None and not looked, situation

    def _settled(
        self, action: GroundAction, refinement: Refinement, execution: TrajectoryTracker
    ) -> Routine[tuple[Scene, WorldState, Situation]]:
        """What is seen after an action; where that is not as foreseen, once what still falls or rolls is at rest."""
        table, rest = self.table, round(REST / self.table.period)
        seen = yield from self.periods.look()
        for waited in range(rest):
            scene, _, situation = seen
            missing = table.missing(action, scene, situation, self._before)
            if missing is None and refinement.after.difference(situation) is None:
                break
            robot = table.observed.robot
            yield from self._command(execution.stand(robot), execution, robot, stage="wait")
            if table.looks_cost and waited + 1 < rest:
                continue
            seen = yield from self.periods.look()
            if situation.difference(seen[2], AT_REST * table.period) is None:
                break
        return seen
