"""Two changes of a plan by simulation alone, for problems of which no engine can be asked: with numbers, or none there.

The second one is looked for where the plan gets further after the first. So not every pair is tried.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from tamp.pddl.conditions import given_to, unheld
from tamp.plans.edits import Edit, Mend
from tamp.plans.meant import meant
from tamp.plans.mends import LONGEST, Follow, kinds, mend
from tamp.plans.repair import shown
from tamp.plans.steps import PlanFile

FIRST_TRIES = 400
"""Steps that are simulated for the first change, of each kind."""
SECOND_TRIES = 200
"""Steps that are simulated for the second one, of each kind and after each first one."""


class Course(NamedTuple):
    """A plan as far as it can be followed: the state before each step that could be done, and after the last one; what
    is false in it that `step` needs, or without it the goal."""

    states: list[Any]
    unmet: list[Any]
    step: Any = None


def twice(problem: Any, follow: Follow, initial: Any, plan: PlanFile, actions: Sequence[Any], seconds: float) -> Mend:
    """Changes after which a plan is valid, which is not, or whose steps that are None cannot be read: these become the
    actions that are written most alike, and then two more changes are looked for. Empty when none are found in time."""
    deadline, read = time.monotonic() + seconds, _read(problem, plan, actions)
    if read is None or len(read) > LONGEST:
        return Mend()
    given = [str(step) if action is None else shown(action) for step, action in zip(plan.steps, actions, strict=True)]
    meaning = [shown(action) for action in read]
    course = _course(problem, follow, read, [initial])
    if course.step is None and not course.unmet:
        return Mend.of(edits_between(given, meaning, meaning), given)
    misspelt = [tuple(read)] if None in actions else []
    for changed in itertools.chain(misspelt, _further(problem, follow, read, course, deadline)):
        there = _course(problem, follow, changed, [initial])
        found = mend(problem, follow, changed, *there, tries=SECOND_TRIES)
        if found.words:
            return Mend.of(edits_between(given, meaning, found.steps), given)
        if time.monotonic() > deadline:
            break
    return Mend()


def edits_between(steps: Sequence[str], read: Sequence[str], after: Sequence[str]) -> list[Edit]:
    """The fewest changes, without moves, that make a plan of `steps`, which mean the actions `read`, another one."""
    n, m = len(read), len(after)
    least = [[0] * (m + 1) for _ in range(n + 1)]
    for i, j in itertools.product(range(n, -1, -1), range(m, -1, -1)):
        if i == n or j == m:
            least[i][j] = n - i + m - j
        else:
            kept = least[i + 1][j + 1] + (read[i] != after[j])
            least[i][j] = min(kept, 1 + least[i + 1][j], 1 + least[i][j + 1])
    return list(_edits(steps, read, after, least))


def _edits(
    steps: Sequence[str], read: Sequence[str], after: Sequence[str], least: Sequence[Sequence[int]]
) -> Iterator[Edit]:
    """`least[i][j]` is the number of changes from the steps from `i` on to the actions from `j` on, both from 0."""
    i, j = 0, 0
    while i < len(read) or j < len(after):
        both = i < len(read) and j < len(after)
        if both and least[i][j] == least[i + 1][j + 1] + (read[i] != after[j]):
            if steps[i] != after[j]:
                yield Edit("replace", i + 1, after[j])
            i, j = i + 1, j + 1
        elif j < len(after) and least[i][j] == 1 + least[i][j + 1]:
            yield Edit("add", None, after[j], i + 1)
            j += 1
        else:
            yield Edit("leave out", i + 1)
            i += 1


def _read(problem: Any, plan: PlanFile, actions: Sequence[Any]) -> list[Any] | None:
    """The actions with what is written most like each step that cannot be read; None where nothing is."""
    read = list[Any]()
    for step, action in zip(plan.steps, actions, strict=True):
        alike = [(0.0, action)] if action is not None else meant(problem, step) if step.name else []
        if not alike:
            return None
        read.append(alike[0][1])
    return read


def _course(problem: Any, follow: Follow, actions: Sequence[Any], states: Sequence[Any]) -> Course:
    """A plan followed from the last of some states, which its first steps lead through."""
    reached = list(states)
    for action in actions[len(reached) - 1 :]:
        after = follow(reached[-1], action)
        if after is None:
            needs = [c.substitute(given_to(action)) for c in action.action.preconditions]
            return Course(reached, unheld(problem, needs, reached[-1]), action)
        reached.append(after)
    return Course(reached, unheld(problem, problem.goals, reached[-1]))


def _further(
    problem: Any, follow: Follow, actions: Sequence[Any], course: Course, deadline: float
) -> Iterator[tuple[Any, ...]]:
    """The plan after each single change with which it gets further, the furthest first."""
    before, found = _left(actions, course), list[tuple[tuple[int, int], tuple[Any, ...]]]()
    for some in kinds(problem, actions, len(course.states) - 1, course.unmet, course.step):
        tries = FIRST_TRIES
        for change in some:
            there = _course(problem, follow, change.actions, course.states[: change.first + 1])
            tries -= len(there.states) - change.first
            if (left := _left(change.actions, there)) < before:
                found.append((left, change.actions))
            if tries < 0 or time.monotonic() > deadline:
                break
    yield from (after for _, after in sorted(found, key=lambda one: one[0]))


def _left(actions: Sequence[Any], course: Course) -> tuple[int, int]:
    """Steps that are not done, and then what is missing."""
    return len(actions) - (len(course.states) - 1), len(course.unmet)
