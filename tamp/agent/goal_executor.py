"""Working towards goals: plan, refine, carry out, look again; repair or give a reason.

Symbols say what, geometry says how or why not, and every action is judged by what is seen afterwards. A pursuit is a
routine: it gives one command in each control period and never waits; while it thinks, it gives none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from tamp.agent.plan_executor import ATTEMPTS, GoalOutcome, PlanExecutor
from tamp.agent.session import Routine
from tamp.agent.tabletop import Periods, StepLimit, Tabletop
from tamp.model.atoms import Atom, GroundAction
from tamp.model.events import MilestoneEnded
from tamp.model.goal import Goal
from tamp.model.motions import timed
from tamp.model.situation import Situation
from tamp.model.state import WorldState, problem_of
from tamp.pddl.planner import Plan
from tamp.pddl.simulation import Course, Fault
from tamp.planning.deliberation import Decision
from tamp.planning.refinement import Failure
from tamp.planning.refusal import NoSolution
from tamp.skills.base import Refinement

PATIENCE = 6.0
"""Seconds in all, on the way to a goal, for which a disturbance is given time to be undone."""
GLANCE = 0.5
"""Seconds between two looks meanwhile."""


@dataclass(eq=False)
class GoalExecutor:
    """Works towards goals, or carries out given actions, with at most `steps` control steps."""

    table: Tabletop
    most_steps: int = 400
    outcome: GoalOutcome = field(default_factory=GoalOutcome)
    objected: Callable[[frozenset[Atom]], None] = lambda facts: None
    """Takes what geometry found out that keeps a single action from being done."""
    _patience: float = PATIENCE
    _regained: int = 0
    """How often an action had gone wrong when it was looked around last."""
    _unmended: tuple[str, int] | None = None
    """The last action that went wrong and what was wrong with it, and how many had been executed then."""
    _periods: Periods = field(init=False)
    _carrying: PlanExecutor = field(init=False)

    def __post_init__(self) -> None:
        self._periods = Periods(self.table, self.most_steps)
        self._carrying = PlanExecutor(self._periods, self.outcome)

    @property
    def _troubles(self) -> int:
        """How often an action went wrong, or was stopped, for the goal that is worked towards."""
        return sum(map(len, (*self._carrying.failures.values(), *self._carrying.stopped.values())))

    @property
    def steps(self) -> int:
        """Control steps so far."""
        return self._periods.steps

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
                self.outcome.fail("execution", f"step limit of {self.most_steps} reached")
            if before is not None and mind.first is not None:
                self.outcome.plan = Plan(before.actions + mind.first.actions)
            else:
                self.outcome.plan = before or mind.first
            reached = self.outcome.reason is None
            if len(goals) > 1:
                self.table.publish(MilestoneEnded(number, str(goal), reached, self.steps, len(goals)))
                if not reached:
                    self.outcome.reason = f"goal {number} of {len(goals)}, {goal}: {self.outcome.reason}"
            if not reached:
                break
            mind.next_goal()
        self.outcome.seconds = mind.seconds | {"execute": 0.0} | self.outcome.seconds
        self.outcome.done = self.outcome.reason is None
        return self.outcome.reason

    def do(self, action: GroundAction, goal: Goal | None = None) -> Routine[str | None]:
        """Carry out one action from where things are, once; so that it serves a goal, if there is one. Returns what
        was wrong with it."""
        self._carrying.stopped = {}
        self._carrying.wanted = frozenset(goal.symbols) if goal is not None else frozenset()
        try:
            _, state, situation = yield from self._periods.look()
            mind = self.table.mind
            if goal is None:
                thought = mind.refine(Plan((action,)), situation)
            else:
                thought = mind.first_of(action, goal, state, situation)
            found = yield from self._periods.thought(thought)
            if isinstance(found, Failure):
                self.objected(found.cause.facts)
                return found.cause.message or found.cause.reason
            last, problem = yield from self._carry_out(found)
        except StepLimit:
            return f"step limit of {self.most_steps} reached"
        return problem if last == action else problem or self._carrying.stopped.get(action, ["it was stopped"])[-1]

    def along(self, action: GroundAction, refinement: Refinement) -> Routine[str | None]:
        """Carry out motions that were chosen elsewhere, once. Returns what was wrong with it."""
        timeline = timed([refinement.segments], self.table.world)
        try:
            decided = Decision(Plan((action,)), (refinement,), timeline)
            followed = yield from self._carrying.follow(decided, watchful=False)
        except StepLimit:
            return f"step limit of {self.most_steps} reached"
        return followed.problem

    def repeat(self, action: GroundAction) -> Routine[str | None]:
        """Carry out an action again and again, until it goes wrong."""
        while True:
            self._periods.steps = 0
            if problem := (yield from self.do(action)):
                return problem
            yield None

    def _reach(self, goal: Goal) -> Routine[None]:
        carrying = self._carrying
        carrying.failures, carrying.stopped, carrying.wanted = {}, {}, frozenset(goal.symbols)
        self._patience, self._regained, self._unmended = PATIENCE, 0, None
        doubted: frozenset[Atom] = frozenset()
        taken = goal
        while True:
            scene, state, situation = yield from self._periods.look(doubted)
            if lost := scene.unseen(goal.symbols):
                if (yield from self._stays_lost(lost, situation)):
                    return
                continue
            if not goal.missing(state):
                self.outcome.alternatives += [str(taken)] if taken != goal else []
                return
            decided = yield from self._periods.thought(self.table.mind.decide(goal, state, situation))
            if isinstance(decided, NoSolution):
                if (yield from self._gives_up(decided, situation, goal)):
                    return
                continue
            taken = decided.goal or goal
            action, problem = yield from self._carry_out(decided)
            doubted = frozenset()
            if action is None:  # stopped before anything was done
                continue
            if problem is None and action == decided.plan.actions[-1]:
                _, state, _ = yield from self._periods.look()
                unseen = goal.missing(state)
                problem = f"done, and still {' '.join(map(str, unseen))} is not seen to hold" if unseen else None
            if problem is not None:
                failures = carrying.failures.setdefault(action, [])
                failures.append(problem)
                self._unmended = f"{action}: {problem}", len(self.outcome.executed)
                if len(failures) == ATTEMPTS:
                    self.outcome.fail("execution", f"{action}: {problem} after {ATTEMPTS} attempts")
                    return
                # What it was for is doubted where all of that looks true by the predicates' tolerances: it is done
                # again all the same. Where some of it is seen to be missing, it is planned for anyhow.
                added = self.table.domain.added_by(action)
                if added <= self.table.look()[1].atoms:
                    doubted = added & frozenset(goal.atoms)

    def _stays_lost(self, lost: list[str], situation: Situation) -> Routine[bool]:
        """Whether it is the end that things are not seen any more. It is looked around for them once each time that an
        action went wrong."""
        if self.table.regain is not None and self._troubles > self._regained:
            self._regained = self._troubles
            if (yield from self.table.regain(lost)):
                return False
        reason = f"{' and '.join(lost)} {'is' if len(lost) == 1 else 'are'} not seen"
        return (yield from self._gives_up(NoSolution("perception", reason), situation, None))

    def _gives_up(self, none: NoSolution, situation: Situation, goal: Goal | None) -> Routine[bool]:
        """Whether that is the end: not where things change before long after a disturbance."""
        while self._troubles and self._patience > 0.0:
            self._patience -= GLANCE
            yield from self._periods.wait(GLANCE)
            _, _, seen = yield from self._periods.look()
            if situation.difference(seen) is not None:
                return False
        stage, reason = none.stage, none.reason
        wrong, executed = self._unmended or ("", -1)
        if goal is not None and executed == len(self.outcome.executed):  # nothing was done since: that is the cause
            stage, reason = "execution", f"{wrong}; then {stage}: {reason}"
        self.outcome.fail(stage, reason, none.certificate)
        return True

    def _carry_out(self, decided: Decision) -> Routine[tuple[GroundAction | None, str | None]]:
        """Execute the plan's actions; when what is seen is not what was foreseen, refine the rest again.

        Returns the last action executed, None without one, and what was wrong with it or None.
        """
        last: GroundAction | None = None
        while True:
            followed = yield from self._carrying.follow(decided, watchful=True)
            done, remaining = followed.done, decided.plan.actions[followed.done :]
            last = decided.plan.actions[done - 1] if done else last
            if followed.back:
                yield from self._carrying.put_back(followed.back)
            if followed.problem is not None or not remaining:
                return last, followed.problem
            _, state, situation = yield from self._periods.look()
            if followed.stopped and not self._leads_on(remaining, state):
                return last, None
            again = yield from self._periods.thought(
                self.table.mind.refine(Plan(remaining), situation, decided.steps[done:])
            )
            if isinstance(again, Failure):
                return last, None
            decided = again

    def _leads_on(self, actions: tuple[GroundAction, ...], state: WorldState) -> bool:
        """Whether the rest of a plan can still be carried out, by the domain, with what is seen."""
        if not all(arg in state.symbols for action in actions for arg in action.args):
            return False
        course: Course | Fault = Course.of(problem_of(self.table.domain, state, ()))
        for action in actions:
            if isinstance(course, Course):
                course = course.follow(action)
        return isinstance(course, Course)
