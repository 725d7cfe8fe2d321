"""Valid plans by chance: walks through problems of this repository, with what they change for a goal; and mistakes."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tamp.pddl.conditions import shown
from tamp.pddl.judges import judge_of
from tamp.pddl.reading import read_problem
from tamp.pddl.verdict import Judge
from tests.mutations import MUTATIONS, Act, Plan, with_words

ROOT = Path(__file__).parents[1]
MOST_TRIES = 2000
"""Ground actions that are tried for one step."""


def problems() -> list[tuple[str, Path]]:
    """Domain and problem: all of this repository that are judged in order, and have at least three things."""
    patterns = ("problems/**/problem.pddl", "problems/xarm/*.pddl", "tests/walks/*.pddl")
    named = [(domain_of(file), file) for file in sorted(file for each in patterns for file in ROOT.glob(each))]
    read = [(domain, file, read_problem(domain, file)[2]) for domain, file in named]
    return [(d, f) for d, f, p in read if isinstance(judge_of(p), Judge) and len(list(p.all_objects)) > 2]


def domain_of(file: Path) -> str:
    if (file.parent / "domain.pddl").exists():
        return str(file.parent)
    if (case := file.parent / "case.toml").exists():
        return str(tomllib.loads(case.read_text()).get("domain", "tabletop"))
    return file.parent.name if (ROOT / "domains" / file.parent.name).is_dir() else "tabletop"


def walked(domain: str, file: Path, length: int, rng: random.Random) -> tuple[Any, Plan]:
    """A problem with another goal, what of its facts a walk of at most so many steps has changed, and the walk."""
    problem = read_problem(domain, file)[2].clone()
    manager, judge = problem.environment.expression_manager, Judge.of(problem)
    states, plan = [judge.simulator.initial()], list[Act]()
    while len(plan) < length and (step := _step(problem, judge, states, rng)):
        plan.append(step)
    problem.clear_goals()
    first, last = states[0], states[-1]
    for atom in problem.initial_values:
        if atom.type.is_bool_type() and first.get_value(atom) != (value := last.get_value(atom)):
            problem.add_goal(atom if value.is_true() else manager.Not(atom))
    return problem, tuple(plan)


def _step(problem: Any, judge: Judge, states: list[Any], rng: random.Random) -> Act | None:
    """An action by chance that can be done and leads to where the walk has not been; the state after it is added."""
    from unified_planning.plans import ActionInstance

    manager = problem.environment.expression_manager
    for _ in range(MOST_TRIES):
        operator = rng.choice(problem.actions)
        choices = [list(problem.objects(p.type)) for p in operator.parameters]
        if not all(choices):
            continue
        action = ActionInstance(operator, tuple(manager.ObjectExp(rng.choice(some)) for some in choices))
        after = judge.simulator.after(states[-1], action)
        if after is not None and after not in states:
            states.append(after)
            return Act(tuple(shown(action).strip("()").split()))
    return None


def misspelt(plan: Plan, problem: Any, rng: random.Random) -> Plan:
    """A word with a letter too few, too many, or two exchanged."""
    index = rng.randrange(len(plan))
    words = list(plan[index].words)
    place = rng.randrange(len(words))
    word = words[place]
    at = rng.randrange(max(1, len(word) - 1))
    two = word[at : at + 2]
    words[place] = word[:at] + rng.choice((two[1:], two[:1] + two, two[::-1])) + word[at + 2 :] or word * 2
    return with_words(plan, index, tuple(words))


SLIPS = {"misspelt": misspelt} | {
    name: MUTATIONS[name] for name in ("drop", "swap", "repeat", "other_argument", "missing_argument", "random_action")
}


def spoilt(plan: Plan, problem: Any, times: int, rng: random.Random) -> tuple[Plan, Sequence[str]]:
    """A plan with so many mistakes, and what they are called."""
    made = list[str]()
    while len(made) < times and plan:
        name = rng.choice(sorted(SLIPS))
        try:
            after = SLIPS[name](plan, problem, rng)
        except (StopIteration, IndexError):  # what comes after a misspelt operator is unknown
            continue
        if after is not None and after != plan:
            plan = after
            made.append(name)
    return plan, made
