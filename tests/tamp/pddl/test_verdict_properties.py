"""What holds of any problem and any plan: texts keep their meaning, engines' plans are valid, causes are found."""

from __future__ import annotations

import itertools
import tempfile
import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

from tamp.errors import InputError
from tamp.files.source import Source
from tamp.pddl.conditions import written
from tamp.pddl.judges import judge_of, verdict_on
from tamp.pddl.plan_formats import read_plan
from tamp.pddl.planner import PlanStatus, solve_problem
from tamp.pddl.reading import parse
from tamp.pddl.verdict import Verdict
from tests.random_pddl import Operator, Task, tasks
from tests.val import validate

pytestmark = pytest.mark.process

SLOW: Any = {
    "deadline": None,
    "derandomize": True,
    "phases": (Phase.generate, Phase.shrink),
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.filter_too_much],
}


def read(domain: str, problem: str) -> Any:
    return parse(Source("domain.pddl", domain), Source("problem.pddl", problem))


def parsed(task: Task) -> Any:
    """unified-planning's Problem. A task whose effects contradict each other, which it refuses, is passed over."""
    try:
        return read(task.domain, task.problem)
    except InputError as e:
        assume("in conflict" not in str(e))
        raise


def verdict(problem: Any, plan: str) -> Verdict:
    return verdict_on(read_plan(Source("plan.txt", f"; {plan.count(chr(10))} steps\n{plan}")), judge_of(problem))


def written_again(task: Task, problem: Any) -> tuple[str, str]:
    """The task with its conditions as tamp writes them."""
    conditions = [f"(and {' '.join(map(written, a.preconditions))})" for a in problem.actions]
    operators = [replace(o, precondition=c) for o, c in zip(task.operators, conditions, strict=True)]
    again = replace(task, operators=tuple(operators), goal=f"(and {' '.join(map(written, problem.goals))})")
    return again.domain, again.problem


@dataclass(frozen=True)
class Walk:
    """A problem that is followed step by step, with names for everything."""

    problem: Any
    simulator: Any
    state: Any

    @classmethod
    def begin(cls, problem: Any) -> Walk:
        from unified_planning.engines import UPSequentialSimulator

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            simulator = UPSequentialSimulator(problem, error_on_failed_checks=False)
        return cls(problem, simulator, simulator.get_initial_state())

    def values(self) -> set[str]:
        from unified_planning.model.fluent import get_all_fluent_exp

        every = itertools.chain.from_iterable(get_all_fluent_exp(self.problem, f) for f in self.problem.fluents)
        return {f"{fluent} {self.state.get_value(fluent)}" for fluent in every}

    def at_goal(self) -> bool:
        return bool(self.simulator.is_goal(self.state))

    def next(self) -> dict[str, Walk]:
        """What can be done, and where it leads; an action that contradicts itself here leads nowhere."""
        from unified_planning.exceptions import UPException

        found = {}
        for action, arguments in self.simulator.get_applicable_actions(self.state):
            try:
                after = self.simulator.apply_unsafe(self.state, action(*arguments))
            except UPException:
                continue
            found[f"({' '.join((action.name, *map(str, arguments)))})"] = replace(self, state=after)
        return found


@settings(max_examples=30, **SLOW)
@given(task=tasks(), data=st.data())
def test_what_is_written_and_read_back_means_the_same(task: Task, data: st.DataObject) -> None:
    problem = parsed(task)
    one, other = Walk.begin(problem), Walk.begin(read(*written_again(task, problem)))
    for _ in range(4):
        assert one.values() == other.values()
        assert one.at_goal() == other.at_goal()
        mine, theirs = one.next(), other.next()
        assert mine.keys() == theirs.keys()
        if not mine:
            break
        step = data.draw(st.sampled_from(sorted(mine)))
        one, other = mine[step], theirs[step]


@settings(max_examples=40, **SLOW)
@given(task=tasks(numeric=False), data=st.data())
def test_val_says_the_same_of_any_walk(task: Task, data: st.DataObject) -> None:
    problem = parsed(task)
    here, plan = Walk.begin(problem), ""
    for _ in range(data.draw(st.integers(0, 4))):
        doable = here.next()
        any_step = [
            f"({' '.join((a.name, *map(str, some)))})"
            for a in problem.actions
            for some in itertools.product(*([o.name for o in problem.objects(p.type)] for p in a.parameters))
        ]
        step = data.draw(st.sampled_from(sorted(doable) or any_step) | st.sampled_from(any_step))
        plan += f"{step}\n"
        if step not in doable:
            break
        here = doable[step]
    said = verdict(problem, plan)
    assert valid_for_val(task, plan) == ("valid" if said.valid else "invalid"), said


def valid_for_val(task: Task, plan: str) -> str:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = folder / "domain.pddl", folder / "problem.pddl", folder / "plan.txt"
        for file, text in zip(files, (task.domain, task.problem, plan or "; no steps\n"), strict=True):
            file.write_text(text)
        return validate(*files).word


@pytest.mark.parametrize("engine", ["fast-downward", "pyperplan"])
@settings(max_examples=8, **SLOW)
@given(task=tasks(numeric=False))
def test_a_plan_of_any_engine_is_valid(engine: str, task: Task) -> None:
    problem = parsed(task)
    found = solve_problem(problem, engine, timeout=20)
    assume(found.status not in (PlanStatus.UNSUPPORTED, PlanStatus.UNSOLVABLE))
    assert found.status is PlanStatus.FOUND, found.message
    assert verdict(problem, str(found.plan)).valid
    assert valid_for_val(task, str(found.plan)) == "valid"


FACTS = ("(done)", "(full s1)", "(sealed c1)", "(at b1 s1)", "(at c1 s1)")


@dataclass(frozen=True)
class Step:
    """A step of a causal chain: the facts that it needs, takes away, and gives, which are numbers."""

    needs: frozenset[int]
    takes: frozenset[int]
    gives: frozenset[int]


@st.composite
def chains(draw: st.DrawFn) -> list[Step]:
    """Steps that can be done one after the other, each with something that it gives; nothing is true before them."""
    steps: list[Step] = []
    true: frozenset[int] = frozenset()
    for _ in range(draw(st.integers(1, 8))):
        some = st.frozensets(st.sampled_from(sorted(true)), max_size=3) if true else st.just(frozenset())
        gives = draw(st.frozensets(st.integers(0, len(FACTS) - 1), min_size=1, max_size=2))
        steps.append(Step(draw(some), draw(some) - gives, gives))
        true = (true - steps[-1].takes) | gives
    return steps


def chain_task(steps: list[Step], goal: frozenset[int]) -> Task:
    def all_of(numbers: frozenset[int]) -> str:
        return f"(and {' '.join(FACTS[n] for n in sorted(numbers))})"

    operators = [
        Operator(
            f"step{n}",
            {},
            all_of(s.needs),
            (*(f"(not {FACTS[t]})" for t in s.takes), *(FACTS[g] for g in s.gives)),
        )
        for n, s in enumerate(steps)
    ]
    return Task(tuple(operators), (), all_of(goal))


def followed(steps: list[Step], goal: frozenset[int]) -> tuple[int | None, dict[str, int | None]]:
    """The number of the step that cannot be done, and what is missing with the number of the step that took it."""
    true: frozenset[int] = frozenset()
    taken: dict[int, int] = {}
    for number, step in enumerate(steps, 1):
        if step.needs - true:
            return number, {FACTS[f]: taken.get(f) for f in step.needs - true}
        taken |= dict.fromkeys(step.takes & true, number)
        true = (true - step.takes) | step.gives
    return None, {FACTS[f]: taken.get(f) for f in goal - true}


@settings(max_examples=50, **SLOW)
@given(steps=chains(), data=st.data())
def test_a_missing_link_of_a_causal_chain_is_told_at_the_step_that_needs_it(
    steps: list[Step], data: st.DataObject
) -> None:
    goal = steps[-1].gives
    problem = read((task := chain_task(steps, goal)).domain, task.problem)
    numbers = range(len(steps))
    assert verdict(problem, "".join(f"(step{n})\n" for n in numbers)).valid
    without = data.draw(st.sampled_from(numbers))
    left = [n for n in numbers if n != without]
    said = verdict(problem, "".join(f"(step{n})\n" for n in left))
    failed_at, missing = followed([steps[n] for n in left], goal)
    assert said.valid == (not missing)
    assert said.failed_at == failed_at
    assert {u.literal: u.lost_at for u in said.unmet} == missing
