"""One episode: plan, refine, execute, look again; repair or give a reason.

The loop is the toolkit: symbols say what, geometry says how or why not, and every action is judged by what is
seen afterwards. It drives any backend that can be observed and commanded.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field

import numpy as np

from motion.lookahead import Lookahead
from motion.timing import Limits
from motion.world import World
from tamp.backends.backend import Backend
from tamp.execution.following import Command, Execution
from tamp.execution.motions import timed
from tamp.model.atoms import Atom, GroundAction
from tamp.model.domain import Domain
from tamp.model.goal import Goal
from tamp.model.scene import Perceiver, RobotState, Scene, jointed_parts, moving_parts, walls
from tamp.model.situation import Situation
from tamp.model.state import WorldState
from tamp.perception.predicates import observe
from tamp.planning.engine import Plan, Planner
from tamp.planning.refinement import Failure, Refined
from tamp.planning.search import NoSolution, Search
from tamp.runs.episode_log import EpisodeLog
from tamp.skills.base import Refinement, Skill

ATTEMPTS = 3
"""Executions of one action before the episode gives it up."""
REST_STEPS = 10
"""Control steps that things which are not where they were foreseen get to come to rest."""
AT_REST = 0.1
"""How little they move in a control step by then, as a share of what counts as elsewhere."""


@dataclass(frozen=True)
class Budget:
    """Control steps in all, and seconds of planning and refinement for one decision."""

    steps: int = 400
    seconds: float = 20.0


@dataclass
class Outcome:
    """How an episode ended. `stage` is where it failed: goal, perception, plan, refinement,
    execution, or none.

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
    seconds: dict[str, float] = field(default_factory=lambda: {"plan": 0.0, "refine": 0.0, "execute": 0.0})


class StepLimit(Exception):
    """The episode's control steps are used up."""


@dataclass(eq=False)
class Episode:
    """The state of one episode, between its decisions."""

    backend: Backend
    perceiver: Perceiver
    world: World
    domain: Domain
    skills: dict[str, Skill]
    planner: Planner
    budget: Budget
    log: EpisodeLog
    rng: np.random.Generator
    limits: Limits = field(default_factory=Limits)
    on_step: Callable[[], None] = lambda: None
    say: Callable[[str], None] = lambda line: None
    steps: int = 0
    acting: GroundAction | None = None
    outcome: Outcome = field(default_factory=Outcome)
    search: Search = field(init=False)

    def __post_init__(self) -> None:
        self.search = Search(
            world=self.world,
            domain=self.domain,
            skills=self.skills,
            planner=self.planner,
            rng=self.rng,
            budget=self.budget.seconds,
            log=self.log,
            seconds=self.outcome.seconds,
        )

    def run(self, *goals: Goal) -> Outcome:
        """Work towards the goals, one after the other, each until it is seen to hold, or a reason is found why it
        cannot: the rest is then left. However it ends, the backend is told to stop.

        Raises Refusal where the domain cannot say what is to be left alone.
        """
        try:
            return self._run(goals)
        finally:
            self.backend.stop()

    def _run(self, goals: tuple[Goal, ...]) -> Outcome:
        for number, goal in enumerate(goals, 1):
            before = self.outcome.plan
            try:
                self._pursue(goal)
            except StepLimit:
                self._fail("execution", f"step limit of {self.budget.steps} reached")
            self.outcome.plan = _one_after_the_other(before, self.search.first)
            if len(goals) > 1:
                self._milestone(number, goals)
            if self.outcome.reason is not None:
                return self.outcome
            self.search.next_goal()
        self.outcome.done = True
        return self.outcome

    def _milestone(self, number: int, goals: tuple[Goal, ...]) -> None:
        """Tell what became of one of several goals."""
        reached = self.outcome.reason is None
        self.log.event("milestone", number=number, goal=str(goals[number - 1]), reached=reached, steps=self.steps)
        self.say(f"goal {number} of {len(goals)} {'is seen to hold' if reached else 'is not reached'}")
        if not reached:
            self.outcome.reason = f"goal {number} of {len(goals)}, {goals[number - 1]}: {self.outcome.reason}"

    def look(self, doubted: frozenset[Atom] = frozenset()) -> tuple[Scene, WorldState, Situation]:
        """Perceive, and say it in symbols, but for what is doubted."""
        scene = self.perceiver.perceive()
        state = observe(scene, self.world, doubted)
        held = [a.args[0] for a in state.atoms if a.predicate == "holding"]
        return scene, state, Situation(scene, held[0] if held else None)

    def _pursue(self, goal: Goal) -> None:
        failures: dict[GroundAction, int] = {}
        doubted: frozenset[Atom] = frozenset()
        taken = goal
        while True:
            scene, state, situation = self.look(doubted)
            if lost := scene.unseen(goal.symbols):
                self._fail("perception", f"{' and '.join(lost)} {'is' if len(lost) == 1 else 'are'} not seen")
                return
            if not goal.missing(state):
                self.outcome.alternatives += [str(taken)] if taken != goal else []
                return
            decided = self.search.decide(goal, state, situation)
            if isinstance(decided, NoSolution):
                self._fail(decided.stage, decided.reason)
                return
            taken = decided.goal
            action, problem = self._execute(decided.plan, decided.refined)
            doubted = frozenset()
            if problem is None and action == decided.plan.actions[-1]:
                _, state, _ = self.look()
                unseen = goal.missing(state)
                problem = f"done, and still {' '.join(map(str, unseen))} is not seen to hold" if unseen else None
            if problem is not None:
                # What the action was for may look true by the predicates' tolerances: do it again all the same.
                doubted = self.domain.added_by(action) & frozenset(goal.atoms)
                failures[action] = failures.get(action, 0) + 1
                if failures[action] >= ATTEMPTS:
                    self._fail("execution", f"{action}: {problem} after {ATTEMPTS} attempts")
                    return

    def _execute(self, plan: Plan, refined: Refined) -> tuple[GroundAction, str | None]:
        """Execute the plan's actions; when what is seen is not what was foreseen, refine the rest again.

        Returns the last action executed, and what was wrong with it or None.
        """
        remaining, steps = plan.actions, refined.steps
        while True:
            done, problem = self._follow(remaining, steps)
            last, remaining = remaining[done - 1], remaining[done:]
            if problem is not None or not remaining:
                return last, problem
            _, _, situation = self.look()
            again = self.search.refine(Plan(remaining), situation, self.budget.seconds, steps[done:])
            if isinstance(again, Failure):
                return last, None
            steps = again.steps

    def _follow(self, actions: tuple[GroundAction, ...], steps: tuple[Refinement, ...]) -> tuple[int, str | None]:
        """Command the motions of several actions without a pause, and judge each action when it ends.

        Stops after the first that failed or left things other than foreseen. Returns how many ended, and what
        was wrong with the last, if anything was.
        """
        start = time.perf_counter()
        timeline = timed([s.segments for s in steps], self.world, self.limits)
        self.outcome.seconds["refine"] += time.perf_counter() - start
        period = self.backend.period
        watch = Lookahead(self.world, period)
        execution = Execution(timeline, self.backend.observe().opening, period, watch=watch)
        done, before, start = 0, self.steps, time.perf_counter()
        self._begin(actions[0], steps[0], watch)
        try:
            while True:
                command = execution.step(robot := self.backend.observe())
                if done < execution.finished or execution.halted:
                    problem, as_foreseen = self._judge(actions[done], steps[done], before, execution, watch)
                    if problem is not None:
                        self.search.failed.setdefault(actions[done], []).append(steps[done].note)
                        problem += f", the arm was halted since {execution.veto}" if execution.halted else ""
                    done, before = done + 1, self.steps
                    if problem is not None or not as_foreseen or done == len(actions) or execution.halted:
                        return done, problem
                    self._begin(actions[done], steps[done], watch)
                if command is not None:
                    self._command(command, execution, robot)
        finally:
            self.outcome.seconds["execute"] += time.perf_counter() - start

    def _begin(self, action: GroundAction, refinement: Refinement, watch: Lookahead) -> None:
        self.acting = action
        watch.ignore = moving_parts(refinement.after.scene, action.args) | refinement.displaced
        watch.held_ignore = walls(refinement.after.scene, action.args)
        self.log.event("action", action=str(action), note=refinement.note)

    def _command(self, command: Command, execution: Execution, robot: RobotState, stage: str | None = None) -> None:
        if self.steps >= self.budget.steps:
            raise StepLimit
        self.backend.command(*command)
        self.steps += 1
        if execution.veto is not None and not execution.halted:
            self.log.event("veto", step=self.steps, **asdict(execution.veto))
        if execution.working:
            self.outcome.steps = self.steps
        self.log.event(
            "command",
            step=self.steps,
            stage=stage or execution.stage,
            displacement=command.displacement,
            opening=round(command.opening, 4),
            q=robot.q,
            tool=robot.T_world_tool[:3, 3],
            fingers=round(robot.opening, 4),
        )
        self.on_step()

    def _judge(
        self, action: GroundAction, refinement: Refinement, before: int, execution: Execution, watch: Lookahead
    ) -> tuple[str | None, bool]:
        """What is missing of an action's postcondition, and whether things are as its refinement foresaw; `before` is
        the control step it began at.
        """
        scene, state, situation = self._settled(action, refinement, execution)
        watch.seen = jointed_parts(scene)  # within what is let pass, but not quite as foreseen
        missing = self._missing(action, scene, situation)
        difference = refinement.after.difference(situation)
        steps = self.steps - before
        self.outcome.executed.append(action)
        self.say(f"{action}: {missing or 'done'} ({steps} steps)")
        self.log.event(
            "result", success=missing is None, action=str(action), missing=missing, steps=steps, difference=difference
        )
        self.log.event("state", atoms=state.atoms)
        return missing, difference is None

    def _missing(self, action: GroundAction, scene: Scene, situation: Situation) -> str | None:
        """What is missing of an action's postcondition; of what is not seen nothing can be said."""
        if lost := scene.unseen(action.args):
            return f"{lost[0]} is not seen"
        return self.skills[action.name].achieved(action.args, scene, situation.held)

    def _settled(
        self, action: GroundAction, refinement: Refinement, execution: Execution
    ) -> tuple[Scene, WorldState, Situation]:
        """What is seen after an action; where that is not as foreseen, once what still falls or rolls is at rest."""
        seen = self.look()
        for _ in range(REST_STEPS):
            scene, _, situation = seen
            missing = self._missing(action, scene, situation)
            if missing is None and refinement.after.difference(situation) is None:
                break
            robot = self.backend.observe()
            self._command(execution.stand(robot), execution, robot, stage="wait")
            seen = self.look()
            if situation.difference(seen[2], AT_REST) is None:
                break
        return seen

    def _fail(self, stage: str, reason: str) -> None:
        self.outcome.stage, self.outcome.reason = stage, reason


def _one_after_the_other(before: Plan | None, after: Plan | None) -> Plan | None:
    return Plan(before.actions + after.actions) if before and after else before or after
