"""Actions that a step of a plan may stand for: with another argument or operator, or about the same things."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from tamp.plans.repair import completed

MOST_ABOUT = 200
"""Ground actions about the same things that are given for one step."""
MOST_OF_EACH = 20
"""Ground actions that are looked at for this, of each operator."""


def slips(problem: Any, step: Any) -> Iterator[Any]:
    """ActionInstances that differ from `step` in one thing: an argument, the operator, or two arguments that are
    exchanged. All have arguments of the right types."""
    from unified_planning.plans import ActionInstance

    given = tuple(step.actual_parameters)
    for action, args in itertools.chain(
        ((step.action, args) for args in _one_changed(problem, step.action, given)),
        ((a, given) for a in problem.actions if a != step.action and given and _fits(a, given)),
        ((step.action, args) for args in _two_exchanged(given) if _fits(step.action, args)),
    ):
        yield ActionInstance(action, args)


def about(problem: Any, step: Any) -> list[Any]:
    """ActionInstances of any operator, at most `MOST_ABOUT`, that share an argument with `step`: the most first."""
    from unified_planning.plans import ActionInstance

    given, found = tuple(step.actual_parameters), list[Any]()
    for action in problem.actions:
        some = itertools.islice(completed(problem, action, {}, given), MOST_OF_EACH)
        found += [ActionInstance(action, args) for args in some if set(args) & set(given)]
    return sorted(found, key=lambda a: -len(set(a.actual_parameters) & set(given)))[:MOST_ABOUT]


def _one_changed(problem: Any, action: Any, given: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    for i, parameter in enumerate(action.parameters):
        for other in _objects(problem, parameter):
            if other != given[i]:
                yield (*given[:i], other, *given[i + 1 :])


def _two_exchanged(given: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    for i, j in itertools.combinations(range(len(given)), 2):
        if given[i] != given[j]:
            yield (*given[:i], given[j], *given[i + 1 : j], given[i], *given[j + 1 :])


def _fits(action: Any, args: tuple[Any, ...]) -> bool:
    """Whether an operator takes these arguments."""
    return len(action.parameters) == len(args) and all(
        p.type.is_compatible(a.type) for p, a in zip(action.parameters, args, strict=True)
    )


def _objects(problem: Any, parameter: Any) -> list[Any]:
    """The objects that a parameter can be, as expressions."""
    return [problem.environment.expression_manager.ObjectExp(o) for o in problem.objects(parameter.type)]
