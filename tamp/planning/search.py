"""What to do and how, decided before anything moves: plan, refine, tell the planner what geometry says, plan again.

It needs no backend: a scene in symbols and its kinematic copy are enough. An episode decides so, and so does a
measurement of planning alone.
"""

from __future__ import annotations

import math
import re
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace

import numpy as np

from motion.world import OutOfBudget, World
from tamp.model.atoms import Atom, GroundAction
from tamp.model.domain import Domain
from tamp.model.events import Journal
from tamp.model.formula import Not, literals
from tamp.model.goal import Goal
from tamp.model.situation import Situation
from tamp.model.state import WorldState, problem_of, problem_text, wanted
from tamp.pddl.engines import usual
from tamp.pddl.planner import Plan, Planner, PlanResult, PlanStatus, unlogged
from tamp.perception import relations
from tamp.planning import tie_breaking
from tamp.planning.counterfactual import without
from tamp.planning.refinement import Failed, Failure, Refined, SearchBudget, never, refine
from tamp.planning.refusal import Certificate, NoSolution, Proof, gave_up, purpose_of, reasons_of
from tamp.skills.base import Refinement, Skill, Tools

SKELETONS = 12
"""Plans tried for one situation before refinement gives up."""
SHARE = 0.35
"""How much of what is left one plan may take: another plan may do better."""

SECONDS = 20.0
"""Of planning and refinement for one decision."""
EXPLAINING = 0.1
"""Share of them that is kept for finding out why nothing was found."""
NOR_SO = "none either"
"""How an advice ends that found out that a change does not help."""
LATE_SHARE = 0.6
"""How much of what is left at the end goes to a plan that did not come to an end before."""


@dataclass(frozen=True, eq=False)
class Solution:
    """A plan with motions for all of it; `goal` is the alternative that it reaches, of a goal with several."""

    plan: Plan
    refined: Refined
    goal: Goal


@dataclass(frozen=True)
class Skeleton:
    """A plan without motions, and the alternative of the goal that it reaches."""

    plan: Plan
    goal: Goal


@dataclass(eq=False)
class Search:
    """Decides with one world, domain and planner; `budget` is in seconds for one decision, planning by an engine and
    finding out why there is no solution included. A language model that plans takes the time that it takes.

    Counts over all decisions: `seconds` of planning and refinement, `skeletons` planned and `samples` drawn.
    `first` is the first plan found for the goal, which is the `milestone`th of the episode. `failed` has the notes of
    refinements that were executed and failed, with what was wrong as `failed`: others are preferred.
    """

    world: World
    domain: Domain
    skills: dict[str, Skill]
    planner: Planner
    rng: np.random.Generator
    budget: float = SECONDS
    log: Journal | None = None
    seconds: dict[str, float] = field(default_factory=lambda: {"plan": 0.0, "refine": 0.0})
    skeletons: int = 0
    samples: int = 0
    first: Plan | None = None
    milestone: int = 1
    failed: Failed = field(default_factory=dict)
    meant: Goal | None = None
    """The goal, without alternatives, that was refined for last."""
    cancelled: Callable[[], bool] = never
    """Whether nobody wants an answer any more."""
    _took: float = 0.0
    _budget: SearchBudget = field(init=False)

    def __post_init__(self) -> None:
        self._begin()

    def decide(
        self, goal: Goal, state: WorldState, situation: Situation, seconds: float = math.inf
    ) -> Solution | NoSolution:
        """A plan with motions for all of it, within the budget and `seconds`. Geometry's objections go back to the
        planner as facts.

        Raises Refusal where the domain cannot say what is to be left alone.
        """
        state = state.with_facts(goal.rules(self.domain, state))
        self._begin(seconds)
        learnt = self._learnt(state, situation)
        decided = self._decide_by(goal, state.with_facts(learnt), situation)
        if isinstance(decided, NoSolution) and learnt and not self._budget.spent():
            decided = self._decide_by(goal, state, situation)  # no other plan, but perhaps another way to do the same
        if isinstance(decided, NoSolution) and self.failed and not self._budget.spent():
            self.failed.clear()  # better the same again than nothing
            decided = self._decide_by(goal, state, situation)
        if isinstance(decided, Solution) and decided.goal != goal and self.log is not None:
            self.log.event("alternative", goal=str(decided.goal), of=str(goal), actions=len(decided.plan.actions))
        return decided

    def next_goal(self) -> None:
        """Get ready for the next one of a sequence of goals."""
        self.first, self.milestone = None, self.milestone + 1

    def _begin(self, seconds: float = math.inf) -> None:
        """Begin a decision with the whole budget, or `seconds` where that is less."""
        self._budget = SearchBudget.of(self.world, min(self.budget, seconds), self.cancelled, EXPLAINING)

    def _learnt(self, state: WorldState, situation: Situation) -> frozenset[Atom]:
        """The facts of what was executed and ended the same way twice: a third try is to be another."""
        noted = ((a, n["failed"]) for a, notes in self.failed.items() for n in notes if "failed" in n)
        counted = Counter((a, re.sub(r"[\d.]+", "", problem)) for a, problem in noted)
        twice = {a for (a, _), times in counted.items() if times > 1 and state.symbols.keys() >= {*a.args}}
        return frozenset().union(*(self.skills[a.name].facts(a.args, [], situation.scene) for a in twice))

    def _decide_by(self, goal: Goal, state: WorldState, situation: Situation) -> Solution | NoSolution:
        facts: frozenset[Atom] = frozenset()
        failures: list[tuple[Failure, Plan]] = []
        late: list[tuple[Skeleton, tuple[Refinement, ...]]] = []
        unplanned, no_more_plans = None, False
        goals = list(goal.alternatives())
        for _ in range(SKELETONS):
            found = self._shortest(goals, goal, state.with_facts(facts))
            if isinstance(found, NoSolution):
                if not failures:
                    return self._explained(found, goal, state)
                unplanned, no_more_plans = found.because if found.proven else found.reason, found.proven
                break
            self.meant = found.goal
            result = self._refine(found.plan, situation, self._budget.part(SHARE))
            if isinstance(result, Failure):
                blamed = self._blamed(result, found, situation, facts)
                purpose = purpose_of(result, found.plan, [f for f, _ in failures])
                result = replace(result, cause=replace(result.cause, facts=blamed), purpose=purpose)
            self._tell(result)
            if isinstance(result, Refined):
                return Solution(found.plan, result, found.goal)
            failures.append((result, found.plan))
            late += [(found, result.begun)] if result.timeout else []
            if result.cause.facts <= facts:
                goals.remove(found.goal)
            facts |= result.cause.facts
            if not goals or self._budget.spent():
                break
        if late and not self._budget.spent():  # nothing is known against it but that its share was too small
            found, begun = max(late, key=lambda f: len(f[1]) - len(f[0].plan.actions))
            self.meant = found.goal
            result = self._refine(found.plan, situation, self._budget.part(LATE_SHARE), begun)
            self._tell(result)
            if isinstance(result, Refined):
                return Solution(found.plan, result, found.goal)
        advice = self._advice(*failures[0], situation)
        ended = gave_up(self._budget) if late or self._budget.spent() else ""
        bound = no_more_plans and all(f.proven for f, _ in failures)
        proof: Proof = "time" if ended else "bound" if bound else "samples"
        change = None if advice is None or advice.endswith(NOR_SO) else advice
        samples = sum(f.samples for f, _ in failures)
        first = failures[0][0]
        cause = f"{first.action.name}: {first.cause.reason}"
        certificate = Certificate(proof, facts, len(failures), samples, change, cause)
        return NoSolution("refinement", ended + reasons_of(failures, advice, unplanned), certificate=certificate)

    def refine(
        self, plan: Plan, situation: Situation, seconds: float, hints: tuple[Refinement, ...] = ()
    ) -> Refined | Failure:
        """Motions for a plan, or why there are none, within `seconds`; counted and logged."""
        self._begin(seconds)
        result = self._refine(plan, situation, self._budget, hints)
        self._tell(result)
        return result

    def first_of(
        self, action: GroundAction, goal: Goal, state: WorldState, situation: Situation, seconds: float = math.inf
    ) -> Refined | Failure:
        """Motions for one action that leave it possible to go on to the goal, where a plan that has it can be refined:
        a grasp that the placement can use. Else motions for it alone."""
        state = state.with_facts(goal.rules(self.domain, state))
        self.meant = goal.alternatives()[0]
        self._begin(seconds)
        planned = self._plan(self.meant, state)
        if isinstance(planned, Plan) and action in planned.actions:
            rest = tuple(a for a in planned.actions if a != action)
            found = self._refine(Plan((action, *rest)), situation, self._budget.part(SHARE))
            self._tell(found)
            if isinstance(found, Refined):
                return replace(found, steps=found.steps[:1])
        alone = Plan((action,))
        found = self._refine(alone, situation, self._budget)
        self._tell(found)
        if isinstance(found, Failure):
            blamed = self._blamed(found, Skeleton(alone, goal), situation)
            return replace(found, cause=replace(found.cause, facts=blamed))
        return found

    def _refine(
        self, plan: Plan, situation: Situation, budget: SearchBudget, hints: tuple[Refinement, ...] = ()
    ) -> Refined | Failure:
        start = time.perf_counter()
        result = refine(plan, situation, self.skills, self._tools(self.rng), budget, hints, self.failed)
        self._took = time.perf_counter() - start
        self.seconds["refine"] += self._took
        self.samples += result.samples
        return result

    def _tools(self, rng: np.random.Generator) -> Tools:
        """What skills work with, for the goal that is meant."""
        mine, parts = relations.known(self.domain), literals(self.meant.formula) if self.meant is not None else ()
        wanted = (x for x in parts if (x.atom if isinstance(x, Not) else x).predicate in mine)
        return Tools(self.world, rng, wanted=tuple(wanted))

    def _blamed(
        self, failure: Failure, found: Skeleton, situation: Situation, known: frozenset[Atom] = frozenset()
    ) -> frozenset[Atom]:
        """A failure's facts, except that what an earlier action of the plan has put in the way is that action's
        fault, unless the goal asks for it: nothing is wrong with where the thing stands now. Nor with a placement
        that only the grasps rule out of a thing that was not put down anew. Those that hold only while something is
        open come before those that hold for good, where the domain has them and the planner does not know them yet.
        """
        moved = [self.skills[a.name].spec.moved(a.args) for a in found.plan.actions]
        depends = failure.while_open
        if depends and {f.predicate for f in depends} <= self.domain.predicates.keys() and not depends <= known:
            about = next(iter(depends)).args[0]
            put = [a for a, m in zip(found.plan.actions[: failure.index], moved, strict=False) if m == about]
            if put or not failure.in_way:
                return self.skills[put[-1].name].facts(put[-1].args, [], situation.scene) if put else depends
        else:
            depends = frozenset()
        facts = failure.cause.facts
        spec = self.skills[failure.action.name].spec
        brought = (self.skills[a.name].spec.brought(a.args) for a in found.plan.actions[: failure.index])
        put_before = moved[failure.index] in {b[0] for b in brought if b is not None}
        if not put_before and not failure.cause.whatever_grasp:
            of_grasp = frozenset(Atom(spec.of_grasp.get(f.predicate, f.predicate), f.args) for f in facts)
            facts = facts if of_grasp <= known else of_grasp
        if failure.cause.reason in spec.of_order:
            return facts
        before = zip(moved[: failure.index], found.plan.actions, strict=False)
        last = {name: a for name, a in before if name is not None and name not in failure.action.args}
        last = {name: a for name, a in last.items() if not self.domain.added_by(a) & frozenset(found.goal.atoms)}
        at_fault = [last[name] for f in facts for name in f.args[1:] if name in last]
        kept = frozenset(f for f in facts if not set(f.args[1:]) & set(last))
        return kept.union(depends, *(self.skills[a.name].facts(a.args, [], situation.scene) for a in at_fault))

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
                **({"purpose": result.purpose} if result.purpose else {}),
                seconds=round(took, 3),
            )
        else:
            log.event("refined", seconds=round(took, 3), notes=[s.note for s in result.steps])

    def _shortest(self, goals: list[Goal], goal: Goal, state: WorldState) -> Skeleton | NoSolution:
        """The shortest of the plans for the alternatives `goals` of a goal, of equal ones the first.

        What is proven to have none is taken out of `goals`: more facts do not help it.
        """
        answers = [(g, self._plan(g, state)) for g in goals]
        plans = [Skeleton(a, g) for g, a in answers if isinstance(a, Plan)]
        none = [(g, a) for g, a in answers if isinstance(a, NoSolution)]
        impossible = [g for g, a in none if a.proven]
        goals[:] = [g for g in goals if g not in impossible]
        best = min(plans, key=lambda s: len(s.plan.actions), default=None)
        self._record(goal, state, best.plan if best else None)
        if best is not None:
            return best
        return next((a for _, a in none if not a.proven), None) or self._because(none[0][1], impossible, state)

    def _plan(self, goal: Goal, state: WorldState) -> Plan | NoSolution:
        result = self.ask(goal, state, self._budget.left)
        if self.log is not None:
            steps = None if result.plan is None else str(result.plan).split("\n")[:-1]
            self.log.event("plan", status=result.status.value, plan=steps)
        self.skeletons += 1
        return result.plan or NoSolution("plan", result.message, result.status is PlanStatus.UNSOLVABLE)

    def ask(self, goal: Goal, state: WorldState, seconds: float = math.inf) -> PlanResult:
        """What the planner says to a goal without `or`, in the scene's names, within so many seconds."""
        state = state.without(state.nearly & frozenset(goal.mentioned))
        start = time.perf_counter()
        by_name = self.planner.ties_by_name
        carried = frozenset().union(*(s.spec.carried for s in self.skills.values()))
        meant = tie_breaking.names(state, goal.mentioned, self.domain, carried)
        names = meant if by_name else tie_breaking.Names({})
        problem = problem_of(self.domain, names.state(state), names.formulas(goal.parts))
        tell = self.log.event if self.log is not None else unlogged
        result = self.planner.solve(problem, tell, seconds)
        took = time.perf_counter() - start
        self.seconds["plan"] += took
        self._budget = self._budget.after(result.worked if self.planner.timed else -took)
        found = result.status is PlanStatus.FOUND and result.plan
        return replace(result, plan=names.plan(found) if found else None)

    def _record(self, goal: Goal, state: WorldState, plan: Plan | None) -> None:
        """Keep the first plan, and write it down with its problem."""
        if self.log is not None and self.first is None:
            number = f"-{self.milestone}" if self.milestone > 1 else ""
            known = state.with_facts(wanted(self.domain, goal.parts))
            self.log.write(f"problem{number}.pddl", problem_text(self.domain, known, str(goal)))
            if plan is not None:
                self.log.write(f"plan{number}.txt", str(plan))
        self.first = self.first or plan

    def _because(self, impossible: NoSolution, goals: list[Goal], state: WorldState) -> NoSolution:
        """That no plan reaches any of the goals, and what must not be touched where there is a plan that does."""
        rules = goals[0].rules(self.domain, state)
        tried = [frozenset({r}) for r in sorted(rules)] + [rules] * (len(rules) > 1)
        for some in tried:
            if any(self.ask(g, state.without(some), self._budget.left).plan is not None for g in goals):
                because = f"{' and '.join(r.args[0] for r in sorted(some))} must not be touched, else there is a plan"
                return replace(impossible, reason=f"{impossible.reason}: {because}", because=because)
        return impossible

    def _explained(self, none: NoSolution, goal: Goal, state: WorldState) -> NoSolution:
        """What is proven to have no plan with the reason why, unless that is in it already."""
        none = replace(none, certificate=Certificate("plan" if none.proven else "time", plans=1))
        if not none.proven or none.because is not None:
            return none
        start = time.perf_counter()
        reason = self.why(goal, state, self._budget.left)
        self.seconds["plan"] += time.perf_counter() - start
        return replace(none, reason=reason)

    def why(self, goal: Goal, state: WorldState, seconds: float = math.inf) -> str:
        """That there is no plan and why, in one line: of a goal with several alternatives, for the first of them."""
        from tamp.pddl import unsolvable

        first, *others = goal.alternatives()
        problem = problem_of(self.domain, state, first.parts)
        reason = unsolvable.in_words(problem, usual(), min(unsolvable.SECONDS, seconds))
        return f"{reason} (of {first}, the first of {1 + len(others)} alternatives)" if others else reason

    def _advice(self, failure: Failure, plan: Plan, situation: Situation) -> str | None:
        """What it would take to make the first plan's failed action feasible; logged."""
        tools, advice = self._tools(self.rng), self._without_it(failure, plan, situation)
        with suppress(OutOfBudget), self.world.limited(self._budget.explaining().empty):
            advice = advice or self.skills[failure.action.name].advice(failure.action.args, situation, tools)
        if advice is not None and self.log is not None:
            self.log.event("hint", action=str(failure.action), reason=failure.cause.reason, message=advice)
        return advice

    def _without_it(self, failure: Failure, plan: Plan, situation: Situation) -> str | None:
        """Whether there is a motion for a failed action were not there what is in its way, as far as a short look
        tells; None where it does not, or where the plan moves it before."""
        names = sorted({n for f in failure.in_way for n in f.args[1:]} & {o.name for o in situation.scene})
        first = Plan(plan.actions[: failure.index + 1])
        if not names or any({*names} & {*a.args} for a in first.actions):
            return None
        tools = self._tools(np.random.default_rng(0))  # what is decided next is not to depend on it
        found = refine(first, without(situation, names), self.skills, tools, self._budget.explaining())
        if isinstance(found, Failure) and found.timeout:
            return None
        return f"without {' and '.join(names)} there is {'a motion' if isinstance(found, Refined) else NOR_SO}"
