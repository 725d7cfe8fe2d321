"""Working towards goals: plan, refine, carry out, look again; repair or give a reason.

Symbols say what, geometry says how or why not, and every action is judged by what is seen afterwards. A pursuit is a
routine: it gives one command in each control period and never waits; while it thinks, it gives none.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field

import numpy as np

from motion.lookahead import Lookahead
from motion.poses import error
from tamp.execution.activity import Doing, Routine, T
from tamp.execution.following import Command, Execution
from tamp.execution.monitor import Monitor
from tamp.execution.motions import timed
from tamp.execution.tabletop import STANDS_STILL, Tabletop
from tamp.model.atoms import Atom, GroundAction
from tamp.model.goal import Goal
from tamp.model.scene import RobotState, Scene, jointed_parts, moving_parts, walls
from tamp.model.situation import Situation
from tamp.model.state import WorldState, problem_of
from tamp.planning.deliberation import Decision, Thought
from tamp.planning.engine import Plan
from tamp.planning.refinement import Failure
from tamp.planning.search import NoSolution
from tamp.plans.validation import Course, Fault
from tamp.runs.events import (
    ActionBegun,
    ActionEnded,
    Commanded,
    Interrupted,
    MilestoneEnded,
    StateSeen,
    Vetoed,
)
from tamp.skills.base import Refinement

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


@dataclass
class Outcome:
    """What became of goals. `stage` is where it ended: goal, perception, plan, refinement, execution, or none.

    `steps` are control steps up to the last release or push; the hand's way out is not among them. `plan` is the first
    plan found, for a sequence of goals those of each that was not seen to hold by itself. `alternatives` are those that
    were taken of goals with `or`.
    """

    done: bool = False
    stage: str | None = None
    reason: str | None = None
    steps: int = 0
    plan: Plan | None = None
    alternatives: list[str] = field(default_factory=list)
    executed: list[GroundAction] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Followed:
    """How far a decision was followed: how many actions ended, and what was wrong with the last, if anything was;
    `stopped` in the middle of the next one."""

    done: int
    problem: str | None = None
    stopped: bool = False


class StepLimit(Exception):
    """The control steps are used up."""


@dataclass(eq=False)
class Pursuit:
    """Works towards goals, or carries out given actions, with at most `steps` control steps."""

    table: Tabletop
    most_steps: int = 400
    outcome: Outcome = field(default_factory=Outcome)
    steps: int = 0
    objected: Callable[[frozenset[Atom]], None] = lambda facts: None
    """Is told what geometry found out that keeps a single action from being done."""
    failures: dict[GroundAction, list[str]] = field(default_factory=dict)
    """What was wrong with actions when they were tried for the goal that is worked towards, the last one last."""
    watchful: bool = True
    """Whether actions are stopped at once when what they rely on is not so any more."""
    _stopped: dict[GroundAction, list[str]] = field(default_factory=dict)
    """Why actions were stopped in the middle, for the goal that is worked towards."""
    _before: WorldState = field(default_factory=lambda: WorldState({}, frozenset()))
    """How things were before the action that is going on."""

    def reach(self, *goals: Goal) -> Routine[str | None]:
        """Work towards the goals, one after the other, each until it is seen to hold, or a reason is found why it
        cannot: the rest is then left. Returns the reason.

        Raises Refusal where the domain cannot say what is to be left alone.
        """
        mind = self.table.mind
        for number, goal in enumerate(goals, 1):
            before = self.outcome.plan
            try:
                yield from self._reach(goal)
            except StepLimit:
                self._fail("execution", f"step limit of {self.most_steps} reached")
            self.outcome.plan = _one_after_the_other(before, mind.first)
            if len(goals) > 1:
                self._milestone(number, goals)
            if self.outcome.reason is not None:
                break
            mind.next_goal()
        self.outcome.seconds = mind.seconds | {"execute": 0.0} | self.outcome.seconds
        self.outcome.done = self.outcome.reason is None
        return self.outcome.reason

    def do(self, action: GroundAction, goal: Goal | None = None) -> Routine[str | None]:
        """Carry out one action from where things are, once; so that it serves a goal, if there is one. Returns what
        was wrong with it."""
        _, state, situation = self.table.look()
        mind = self.table.mind
        if goal is None:
            found = yield from self._await(mind.refine(Plan((action,)), situation))
        else:
            found = yield from self._await(mind.first_of(action, goal, state, situation))
        if isinstance(found, Failure):
            self.objected(found.cause.facts)
            return found.cause.message or found.cause.reason
        try:
            last, problem = yield from self._carry_out(found)
        except StepLimit:
            return f"step limit of {self.most_steps} reached"
        return problem if last == action else problem or self._stopped.get(action, ["it was stopped"])[-1]

    def along(self, action: GroundAction, refinement: Refinement) -> Routine[str | None]:
        """Carry out motions that were chosen elsewhere, once. Returns what was wrong with it."""
        timeline = timed([refinement.segments], self.table.world)
        try:
            followed = yield from self._follow(Decision(Plan((action,)), (refinement,), timeline), watchful=False)
        except StepLimit:
            return f"step limit of {self.most_steps} reached"
        return followed.problem

    def repeat(self, action: GroundAction) -> Routine[str | None]:
        """Carry out an action again and again, until it goes wrong."""
        while True:
            self.steps = 0
            if problem := (yield from self.do(action)):
                return problem
            yield None

    def _milestone(self, number: int, goals: tuple[Goal, ...]) -> None:
        """Tell what became of one of several goals."""
        goal, reached = goals[number - 1], self.outcome.reason is None
        self.table.publish(MilestoneEnded(number, str(goal), reached, self.steps, len(goals)))
        if not reached:
            self.outcome.reason = f"goal {number} of {len(goals)}, {goal}: {self.outcome.reason}"

    def _reach(self, goal: Goal) -> Routine[None]:
        self.failures, self._stopped = {}, {}
        doubted: frozenset[Atom] = frozenset()
        taken = goal
        while True:
            scene, state, situation = self.table.look(doubted)
            if lost := scene.unseen(goal.symbols):
                self._fail("perception", f"{' and '.join(lost)} {'is' if len(lost) == 1 else 'are'} not seen")
                return
            if not goal.missing(state):
                self.outcome.alternatives += [str(taken)] if taken != goal else []
                return
            decided = yield from self._await(self.table.mind.decide(goal, state, situation))
            if isinstance(decided, NoSolution):
                self._fail(decided.stage, decided.reason)
                return
            taken = decided.goal or goal
            action, problem = yield from self._carry_out(decided)
            doubted = frozenset()
            if action is None:  # stopped before anything was done
                continue
            if problem is None and action == decided.plan.actions[-1]:
                _, state, _ = self.table.look()
                unseen = goal.missing(state)
                problem = f"done, and still {' '.join(map(str, unseen))} is not seen to hold" if unseen else None
            if problem is not None:
                doubted = self._doubted(action, goal)
                self.failures.setdefault(action, []).append(problem)
                if len(self.failures[action]) >= ATTEMPTS:
                    self._fail("execution", f"{action}: {problem} after {ATTEMPTS} attempts")
                    return

    def _doubted(self, action: GroundAction, goal: Goal) -> frozenset[Atom]:
        """What an action that failed was for, where all of it looks true by the predicates' tolerances: it is done
        again all the same. Where some of it is seen to be missing, it is planned for anyhow, from how things are."""
        _, state, _ = self.table.look()
        added = self.table.domain.added_by(action)
        return added & frozenset(goal.atoms) if added <= state.atoms else frozenset()

    def _carry_out(self, decided: Decision) -> Routine[tuple[GroundAction | None, str | None]]:
        """Execute the plan's actions; when what is seen is not what was foreseen, refine the rest again.

        Returns the last action executed, None without one, and what was wrong with it or None.
        """
        last: GroundAction | None = None
        while True:
            followed = yield from self._follow(decided, self.watchful)
            done, remaining = followed.done, decided.plan.actions[followed.done :]
            last = decided.plan.actions[done - 1] if done else last
            if followed.problem is not None or not remaining:
                return last, followed.problem
            _, state, situation = self.table.look()
            if followed.stopped and not self._leads_on(remaining, state):
                return last, None
            again = yield from self._await(self.table.mind.refine(Plan(remaining), situation, decided.steps[done:]))
            if isinstance(again, Failure):
                return last, None
            decided = again

    def _await(self, thought: Thought[T]) -> Routine[T]:
        """What a thought comes to; nothing is commanded until then, and it is dropped when nobody waits any more."""
        try:
            while not thought.done():
                yield from self._pass(None)
        finally:
            if not thought.done():
                thought.cancel()
        return thought.result()

    def _pass(self, command: Command | None) -> Routine[None]:
        """One control period."""
        if self.steps >= self.most_steps:
            raise StepLimit
        yield command
        self.steps += 1

    def _leads_on(self, actions: tuple[GroundAction, ...], state: WorldState) -> bool:
        """Whether the rest of a plan can still be carried out, by the domain."""
        course: Course | Fault = Course.of(problem_of(self.table.domain, state, ()))
        for action in actions:
            if isinstance(course, Course):
                course = course.follow(action)
        return isinstance(course, Course)

    def _follow(self, decided: Decision, watchful: bool) -> Routine[Followed]:
        """Command the motions of several actions without a pause, and judge each action when it ends.

        Stops after the first that failed or left things other than foreseen, and being `watchful` in the middle of one
        that cannot go well any more.
        """
        table, actions, steps = self.table, decided.plan.actions, decided.steps
        watch = Lookahead(table.world, table.period)
        opening, gains = table.observed.robot.opening, table.world.robot.gains
        execution = Execution(decided.timeline, opening, table.period, gains, watch)
        done, before, start = 0, self.steps, time.perf_counter()
        monitor = Monitor(table)
        doing = self._begin(actions[0], steps[0], watch)
        monitor.begin(actions[0].args, steps[0], table.look()[2])
        try:
            while True:
                command = execution.step(robot := table.observed.robot)
                if done < execution.finished or execution.halted:
                    judged = yield from self._judge(actions[done], steps[done], before, execution, watch)
                    problem, as_foreseen, seen = judged
                    if problem is not None:
                        table.mind.disappointed(actions[done], steps[done].note)
                        problem += f", the arm was halted since {execution.why}" if execution.halted else ""
                    done, before = done + 1, self.steps
                    if problem is not None or not as_foreseen or done == len(actions) or execution.halted:
                        return Followed(done, problem)
                    doing = self._begin(actions[done], steps[done], watch)
                    monitor.begin(actions[done].args, steps[done], seen)
                acts = execution.timeline.acts[done]
                if watchful and (why := monitor.violation(execution, acts)) and self._may_stop(actions[done], why):
                    yield from self._brake()
                    return Followed(done, stopped=True)
                if command is not None:
                    self._tell_stage(doing, done, execution, self._went_wrong(actions[done]))
                    yield from self._command(command, execution, robot)
        except StepLimit:
            cut = f"not finished, the step limit of {self.most_steps} is reached"
            table.publish(ActionEnded(False, str(actions[done]), cut, self.steps - before, None))
            raise
        finally:
            table.doing = None
            taken = self.outcome.seconds
            taken["execute"] = taken.get("execute", 0.0) + time.perf_counter() - start

    def _may_stop(self, action: GroundAction, why: str) -> bool:
        """Whether an action is stopped because of what is seen: what never comes to rest is put up with in the end."""
        reasons = self._stopped.setdefault(action, [])
        if len(reasons) >= STOPS:
            return False
        reasons.append(why)
        self.table.publish(Interrupted(str(action), why, self.steps))
        return True

    def _brake(self) -> Routine[None]:
        """Come to rest."""
        for _ in range(round(BRAKING / self.table.period)):
            before = self.table.observed.robot.T_world_tool
            yield from self._pass(None)
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

    def _tell_stage(self, doing: Doing, number: int, execution: Execution, went_wrong: str) -> None:
        """Which stage the action is in, and what holds it up or did so before."""
        doing.stage = "acting" if execution.index >= execution.timeline.acts[number] else "moving"
        doing.now, doing.waits_for = self.table.observed.time, execution.hindrance or went_wrong

    def _went_wrong(self, action: GroundAction) -> str:
        """Why it is not the first time that an action is tried."""
        problems = self.failures.get(action, [])
        return f"tried {len(problems)} of {ATTEMPTS} times: {problems[-1]}" if problems else ""

    def _command(
        self, command: Command, execution: Execution, robot: RobotState, stage: str | None = None
    ) -> Routine[None]:
        yield from self._pass(command)
        if execution.veto is not None and not execution.halted:
            self.table.publish(Vetoed(self.steps, **asdict(execution.veto)))
        if execution.working:
            self.outcome.steps = self.steps
        self.table.publish(
            Commanded(
                step=self.steps,
                stage=stage or execution.stage,
                displacement=command.displacement,
                opening=round(command.opening, 4),
                q=robot.q,
                tool=robot.T_world_tool[:3, 3],
                fingers=round(robot.opening, 4),
            )
        )

    def _judge(
        self, action: GroundAction, refinement: Refinement, before: int, execution: Execution, watch: Lookahead
    ) -> Routine[tuple[str | None, bool, Situation]]:
        """What is missing of an action's postcondition, whether things are as its refinement foresaw, and how they are;
        `before` is the control step it began at.
        """
        table = self.table
        scene, state, situation = yield from self._settled(action, refinement, execution)
        watch.seen = jointed_parts(scene)  # within what is let pass, but not quite as foreseen
        missing = table.missing(action, scene, situation, self._before)
        if missing is None and table.sight.carried_out(action, self._before, scene.time):
            state = table.sight.state(scene)
        difference = refinement.after.difference(situation)
        self.outcome.executed.append(action)
        table.publish(ActionEnded(missing is None, str(action), missing, self.steps - before, difference))
        table.publish(StateSeen(state.atoms))
        return missing, difference is None, situation

    def _settled(
        self, action: GroundAction, refinement: Refinement, execution: Execution
    ) -> Routine[tuple[Scene, WorldState, Situation]]:
        """What is seen after an action; where that is not as foreseen, once what still falls or rolls is at rest."""
        table, rest = self.table, round(REST / self.table.period)
        seen = table.look()
        for waited in range(rest):
            scene, _, situation = seen
            missing = table.missing(action, scene, situation, self._before)
            if missing is None and refinement.after.difference(situation) is None:
                break
            robot = table.observed.robot
            yield from self._command(execution.stand(robot), execution, robot, stage="wait")
            if table.looks_cost and waited + 1 < rest:
                continue
            seen = table.look()
            if situation.difference(seen[2], AT_REST * table.period) is None:
                break
        return seen

    def _fail(self, stage: str, reason: str) -> None:
        self.outcome.stage, self.outcome.reason = stage, reason


def _one_after_the_other(before: Plan | None, after: Plan | None) -> Plan | None:
    return Plan(before.actions + after.actions) if before and after else before or after
