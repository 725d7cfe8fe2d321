"""`make bench-repairs`: how often `tamp validate` repairs a plan with several mistakes, and how long it takes.

Plans are random walks through the problems of this repository, each with some random mistakes; seed 0. Seconds are of
a processor, of this process and of those that it starts.
"""

from __future__ import annotations

import random
import resource
from collections.abc import Iterator
from itertools import product

from tamp.api.judging import RepairBudget, judged
from tamp.files.source import Source
from tamp.pddl.edits import Repair
from tamp.pddl.judges import PlanJudge, judge_of
from tamp.pddl.plan_file import BadPlan
from tests.bench import ROOT, Row
from tests.mutations import Plan
from tests.walked_plans import problems, spoilt, walked


def bench(
    plans: int = 10, mistakes: int = 2, lengths: tuple[int, ...] = (8, 20), seconds: float = 2.0, part: str = ""
) -> Iterator[Row]:
    """A row a plan that is not valid all the same; `plans` of each problem (with `part` in its path) and length."""
    for (domain, file), length, n in product(problems(), lengths, range(plans)):
        if part not in str(file):
            continue
        rng = random.Random(f"{file.parent.name} {file.name} {length} {n}")
        problem, good = walked(domain, file, length, rng)
        if len(good) < 2 or not problem.goals:
            continue
        plan, made = spoilt(good, problem, mistakes, rng)
        judge, before = judge_of(problem), _work()
        valid, repair = _judged(plan, judge, seconds)
        if valid:
            continue
        values = {"s": _work() - before, "steps": len(plan)}
        repaired = bool(repair.words) and judged(
            Source("repair", "".join(f"{s}\n" for s in repair.steps) or "; none\n"), judge
        )
        name = file.relative_to(ROOT).parent / ("" if file.name == "problem.pddl" else file.stem)
        yield Row(str(name), bool(repaired), values, repair.why_none, f"{length} steps, {n}: {', '.join(made)}")


def _work() -> float:
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def _judged(plan: Plan, judge: PlanJudge, seconds: float) -> tuple[bool, Repair]:
    """Whether a plan is valid, and what repairs it otherwise."""
    source = Source("plan", "".join(f"{act}\n" for act in plan) or "; none\n")
    try:
        verdict = judged(source, judge, budget=RepairBudget(seconds)).verdict
        return verdict.valid, verdict.repair
    except BadPlan as e:
        return False, e.repair
