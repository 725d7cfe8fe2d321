"""What to do and how, decided before anything moves: plan, refine, tell the planner what geometry says, plan again.

It needs no backend: a scene in symbols and its kinematic copy are enough. An episode decides so, and so does a
measurement of planning alone.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace

import numpy as np

from motion.world import World
from tamp import ties
from tamp.atoms import Atom
from tamp.domain import Domain
from tamp.episode import EpisodeLog
from tamp.goal import Goal
from tamp.planning import Plan, Planner, PlanStatus, untold
from tamp.refinement import Failed, Failure, Purse, Refined, refine
from tamp.situation import Situation
from tamp.skills.base import Refinement, Skill, Tools
from tamp.state import WorldState, problem_of, problem_text

SKELETONS = 12
"""Plans tried for one situation before refinement gives up."""
REASONS = 4
"""Reasons that are told at most."""
SHARE = 0.35
"""How much of what is left one plan may take: another plan may do better."""

LATE_SHARE = 0.6
"""How much of what is left at the end goes to a plan that did not come to an end before."""


@dataclass(frozen=True, eq=False)
class Decided:
    """A plan with motions for all of it."""

    plan: Plan
    refined: Refined


@dataclass(frozen=True)
class Undecided:
    """Why there is none. `stage` is where it ended: plan or refinement. `proven` when there can be no plan."""

    stage: str
    reason: str
    proven: bool = False


@dataclass(eq=False)
class Search:
    """Decides with one world, domain and planner; `budget` is in seconds of refinement for one decision.

    Counts over all decisions: `seconds` of planning and refinement, `skeletons` planned and `samples` drawn.
    `first` is the first plan found. `failed` has the notes of refinements that were executed and failed: others are
    preferred.
    """

    world: World
    domain: Domain
    skills: dict[str, Skill]
    planner: Planner
    rng: np.random.Generator
    budget: float = 20.0
    log: EpisodeLog | None = None
    seconds: dict[str, float] = field(default_factory=lambda: {"plan": 0.0, "refine": 0.0})
    skeletons: int = 0
    samples: int = 0
    first: Plan | None = None
    failed: Failed = field(default_factory=dict)
    _took: float = 0.0

    def decide(self, goal: Goal, state: WorldState, situation: Situation) -> Decided | Undecided:
        """A plan with motions for all of it. Geometry's objections go back to the planner as facts."""
        purse, thought = Purse.of(self.world, self.budget), self.seconds["plan"]
        decided = self._decide_by(purse, goal, state, situation)
        purse = purse.later(self.seconds["plan"] - thought)
        if isinstance(decided, Undecided) and self.failed and not purse.spent():
            self.failed.clear()  # better the same again than nothing
            decided = self._decide_by(purse, goal, state, situation)
        return decided

    def _decide_by(self, purse: Purse, goal: Goal, state: WorldState, situation: Situation) -> Decided | Undecided:
        facts: frozenset[Atom] = frozenset()
        failures: list[Failure] = []
        late: list[Plan] = []
        unplanned: str | None = None
        for _ in range(SKELETONS):
            thought = self.seconds["plan"]
            plan = self._plan(goal, state.with_facts(facts))
            purse = purse.later(self.seconds["plan"] - thought)
            if isinstance(plan, Undecided):
                if not failures:
                    return plan
                unplanned = None if plan.proven else plan.reason
                break
            result = self._refine(plan, situation, purse.part(SHARE))
            if isinstance(result, Failure):
                blamed = self._blamed(result, plan, goal, situation)
                result = replace(result, cause=replace(result.cause, facts=blamed))
            self._tell(result)
            if isinstance(result, Refined):
                return Decided(plan, result)
            failures.append(result)
            late += [plan] if result.timeout else []
            if result.cause.facts <= facts or purse.spent():
                break
            facts |= result.cause.facts
        if late and not purse.spent():  # nothing is known against it but that its share was too small
            result = self._refine(late[0], situation, purse.part(LATE_SHARE))
            self._tell(result)
            if isinstance(result, Refined):
                return Decided(late[0], result)
        return Undecided("refinement", _why(failures, self._advice(failures[0], situation), unplanned))

    def refine(
        self, plan: Plan, situation: Situation, seconds: float, hints: tuple[Refinement, ...] = ()
    ) -> Refined | Failure:
        """Motions for a plan, or why there are none, within `seconds`; counted and logged."""
        result = self._refine(plan, situation, Purse.of(self.world, seconds), hints)
        self._tell(result)
        return result

    def _refine(
        self, plan: Plan, situation: Situation, purse: Purse, hints: tuple[Refinement, ...] = ()
    ) -> Refined | Failure:
        start = time.perf_counter()
        result = refine(plan, situation, self.skills, Tools(self.world, self.rng), purse, hints, self.failed)
        self._took = time.perf_counter() - start
        self.seconds["refine"] += self._took
        self.samples += result.samples
        return result

    def _blamed(self, failure: Failure, plan: Plan, goal: Goal, situation: Situation) -> frozenset[Atom]:
        """A failure's facts, except that what an earlier action of the plan has put in the way is that action's
        fault, unless the goal asks for it: nothing is wrong with where the thing stands now. Nor with a placement
        that only the grasp rules out, when the thing is already in the hand.
        """
        facts = failure.cause.facts
        first = next((i for i, a in enumerate(plan.actions) if a.args[:1] == (situation.held,)), None)
        if first == failure.index and not failure.cause.whatever_grasp:
            facts = frozenset(Atom("misheld", f.args) if f.predicate == "does-not-fit" else f for f in facts)
        if failure.cause.reason == "crowded":  # whatever takes the room, it is the order that may be wrong
            return facts
        wanted = {a.args for a in goal.atoms}
        last = {a.args[0]: a for a in plan.actions[: failure.index] if a.args}
        last = {name: a for name, a in last.items() if a.args not in wanted and name not in failure.action.args}
        at_fault = [last[name] for f in facts for name in f.args[1:] if name in last]
        kept = frozenset(f for f in facts if not set(f.args[1:]) & set(last))
        return kept.union(*(self.skills[a.name].facts(a.args, [], situation.scene) for a in at_fault))

    def _tell(self, result: Refined | Failure) -> None:
        log, took = self.log, self._took
        if log is None:
            return
        if isinstance(result, Failure):
            log.event(
                "infeasible",
                action=str(result.action),
                reason=result.cause.reason,
                blockers=result.cause.blockers,
                message=result.cause.message,
                facts=result.cause.facts,
                causes=result.causes,
                seconds=round(took, 3),
            )
        else:
            log.event("refined", seconds=round(took, 3), notes=[s.note for s in result.steps])

    def _plan(self, goal: Goal, state: WorldState) -> Plan | Undecided:
        start = time.perf_counter()
        names = ties.names(state, goal.atoms, self.domain) if self.planner.ties_by_name else ties.Names({})
        problem = problem_of(self.domain, names.state(state), names.atoms(goal.atoms))
        result = self.planner.solve(problem, self.log.event if self.log is not None else untold)
        self.seconds["plan"] += time.perf_counter() - start
        self.skeletons += 1
        found = names.plan(result.plan) if result.status is PlanStatus.FOUND and result.plan else None
        if self.log is not None:
            told = None if found is None else str(found).split("\n")[:-1]
            self.log.event("plan", status=result.status.value, plan=told)
            if self.first is None:
                self.log.write("problem.pddl", problem_text(self.domain, state, str(goal)))
                if found is not None:
                    self.log.write("plan.txt", str(found))
        self.first = self.first or found
        return found or Undecided("plan", result.message, result.status is PlanStatus.UNSOLVABLE)

    def _advice(self, failure: Failure, situation: Situation) -> str | None:
        """What it would take to make the first plan's failed action feasible."""
        tools = Tools(self.world, self.rng)
        return self.skills[failure.action.name].advice(failure.action.args, situation, tools)


def _why(failures: list[Failure], *more: str | None) -> str:
    """Why each plan that was tried cannot be refined, the first one first, without repetition."""
    late = " (time budget spent)"
    told = [f"{f.action}: {f.cause.message or f.cause.reason}{late if f.timeout else ''}" for f in failures]
    return "; ".join([*list(dict.fromkeys(told))[:REASONS], *filter(None, more)])
