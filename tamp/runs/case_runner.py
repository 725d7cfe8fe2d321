"""Running a case: what was expected, what came out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tamp.errors import InputError
from tamp.files.source import Source, read
from tamp.model.goal_syntax import Node
from tamp.pddl import engines
from tamp.pddl.ask import Question, ask
from tamp.pddl.judges import PlanJudge, in_order, judge_of, verdict_on
from tamp.pddl.plan_file import PlanFile
from tamp.pddl.plan_formats import read_plan
from tamp.pddl.planner import PlanStatus
from tamp.pddl.reading import locate, parse
from tamp.pddl.tree import tree
from tamp.pddl.verdict import Verdict
from tamp.runs.cases import Case, ExpectedPlan


@dataclass(frozen=True)
class CaseOutcome:
    """One thing that a case expects, as words, and what came out."""

    what: str
    expected: str
    found: str

    @property
    def agrees(self) -> bool:
        """Whether it came out as expected."""
        return self.expected == self.found


def run(case: Case) -> list[CaseOutcome]:
    """Everything that a case expects. InputError when its domain or its problem cannot be read."""
    domain, problem = read(locate(case.domain)), read(case.problem)
    parsed = parse(domain, problem)
    return list(_outcomes(case, domain, problem, parsed))


def _outcomes(case: Case, domain: Source, problem: Source, parsed: Any) -> Iterator[CaseOutcome]:
    if case.goal is not None:
        goal = next((n.parts[1] for n in tree(problem).parts if n.head == ":goal"), None)
        expected = _meant(tree(Source(f"{case.name}: goal", case.goal)))
        yield CaseOutcome("goal", _shown(expected), _shown(_meant(goal)) if goal else "none")
    if case.findings is not None:
        from tamp.skills.folder_check import check

        codes = sorted({f.code for f in check(domain.name, [case.problem], run_python=False).findings})
        yield CaseOutcome("findings", ", ".join(case.findings) or "none", ", ".join(codes) or "none")
    if case.solvable is not None:
        yield CaseOutcome("problem", "solvable" if case.solvable else "unsolvable", _solved(case, parsed))
    if case.plans:
        judge = judge_of(parsed)
        for plan in case.plans:
            yield _judged(case, plan, judge)


def _solved(case: Case, parsed: Any) -> str:
    engines.check(case.planner)
    answer = ask(parsed, Question(case.planner, seconds=case.timeout))
    if answer.plan is not None:
        return "solvable"
    proven = answer.status is PlanStatus.UNSOLVABLE
    return answer.status.value if proven else f"{answer.status.value}: {answer.message}"


def _meant(goal: Node) -> frozenset[str]:
    """The conjuncts of a formula, each in one way of writing."""
    if goal.head == "and":
        return frozenset[str]().union(*map(_meant, goal.parts[1:]))
    return frozenset({str(goal)})


def _shown(conjuncts: frozenset[str]) -> str:
    return " ".join(sorted(conjuncts))


def _judged(case: Case, plan: ExpectedPlan, judge: PlanJudge) -> CaseOutcome:
    expected = _expected(plan)
    try:
        verdict = verdict_on(in_order(_steps(case, plan)), judge)
    except InputError as e:
        return CaseOutcome(plan.name, expected, f"cannot be read: {e}")
    return CaseOutcome(plan.name, expected, _found(plan, verdict))


def _steps(case: Case, plan: ExpectedPlan) -> PlanFile:
    if plan.steps is None:
        return read_plan(read(case.folder / plan.name))
    return read_plan(Source(f"{case.name}: {plan.name}", "\n".join(plan.steps) or "; no steps"))


def _expected(plan: ExpectedPlan) -> str:
    if plan.good:
        return "valid" + ("" if plan.cost is None else f", cost {plan.cost:g}")
    at = "" if plan.step is None else f" at {_place(plan.step)}"
    return f"invalid{at}" + ("" if plan.unmet is None else f", unmet {_literal(plan.unmet)}")


def _found(plan: ExpectedPlan, verdict: Verdict) -> str:
    """The verdict, as far as something is expected of it; all of it when it is another."""
    if verdict.valid:
        has_cost = plan.cost is not None or not plan.good
        return "valid" + (f", cost {verdict.cost:g}" if has_cost and verdict.cost is not None else "")
    unmet = [_literal(u.literal) for u in verdict.unmet]
    at = "" if not plan.good and plan.step is None else f" at {_place(verdict.failed_at or 0)}"
    if plan.good or (plan.unmet is not None and _literal(plan.unmet) not in unmet):
        return f"invalid{at}, unmet {' '.join(unmet)}"
    return f"invalid{at}" + ("" if plan.unmet is None else f", unmet {_literal(plan.unmet)}")


def _place(step: int) -> str:
    return f"step {step}" if step else "the goal"


def _literal(text: str) -> str:
    return " ".join(text.lower().replace("(", " ( ").replace(")", " ) ").split()).replace("( ", "(").replace(" )", ")")
