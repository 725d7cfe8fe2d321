"""What a step may mean that names nothing of the problem, or has other arguments than its operator takes."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Any

from tamp.plans.steps import Step

MOST = 20
"""Actions that are given for one step, and as many of each operator are looked at."""
MOST_WAYS = 50
"""Ways that are looked at to give too many or too few words to an operator's parameters."""

Arguments = tuple[float, tuple[Any, ...]]
"""How much of the words is different, and the objects so far."""


def meant(problem: Any, step: Step) -> list[tuple[float, Any]]:
    """ActionInstances that are written most like a step, the most alike first, each with how much is different: 0 for
    nothing, and up to 1 for each word that is another one, or that one of the two does not have. None where more than
    half of the step's words would be."""
    from unified_planning.plans import ActionInstance

    found = list[tuple[float, Any]]()
    for operator in problem.actions:
        named = _different(step.name, operator.name)
        found += [(named + more, ActionInstance(operator, args)) for more, args in _arguments(problem, operator, step)]
    words = 1 + len(step.args if step.named is None else step.named)
    return sorted((one for one in found if one[0] <= words / 2), key=lambda one: one[0])[:MOST]


def _arguments(problem: Any, operator: Any, step: Step) -> list[Arguments]:
    """Arguments of an operator, the most alike first."""
    names = [p.name for p in operator.parameters]
    surplus = max(0, len(step.args if step.named is None else step.named) - len(names))
    found: dict[tuple[Any, ...], float] = {}
    for words in itertools.islice(_placed(step, names), MOST_WAYS):
        some: list[Arguments] = [(surplus, ())]
        for parameter, word in zip(operator.parameters, words, strict=True):
            each = _alike(problem, parameter, word)
            some = [(d + more, (*args, o)) for d, args in some for more, o in each]
            some = sorted(some, key=lambda one: one[0])[:MOST]
        for different, args in some:
            found[args] = min(different, found.get(args, different))
    return sorted(((d, args) for args, d in found.items()), key=lambda one: one[0])[:MOST]


def _placed(step: Step, names: Sequence[str]) -> Iterator[Sequence[str]]:
    """The words of a step for an operator's parameters, in their order; empty where it says nothing of one. Where there
    are more or fewer words than parameters, in each way that keeps their order."""
    if step.named is not None and set(step.named) & set(names):
        yield [step.named.get(name, "") for name in names]
        return
    words = step.args if step.named is None else tuple(step.named.values())
    if len(words) >= len(names):
        yield from itertools.combinations(words, len(names))
        return
    for places in itertools.combinations(range(len(names)), len(words)):
        filled = dict(zip(places, words, strict=True))
        yield [filled.get(n, "") for n in range(len(names))]


def _alike(problem: Any, parameter: Any, word: str) -> list[tuple[float, Any]]:
    """The objects that a parameter can be, as expressions, each with how much of a word is different."""
    manager = problem.environment.expression_manager
    return [(_different(word, o.name), manager.ObjectExp(o)) for o in problem.objects(parameter.type)]


def _different(word: str, other: str) -> float:
    """0 for the same word, 1 for one without a letter of the other in its order."""
    return 1 - SequenceMatcher(None, word, other.lower()).ratio()
