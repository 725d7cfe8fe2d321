"""Plans spoilt in ways that people and planners spoil them; some remain valid all the same."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any


@dataclass(frozen=True)
class Act:
    """A step of a plan: its words, and its time and duration where it has them."""

    words: tuple[str, ...]
    start: Fraction | None = None
    duration: Fraction | None = None

    def __str__(self) -> str:
        text = f"({' '.join(self.words)})"
        if self.start is not None:
            text = f"{float(self.start):.4f}: {text}"
        return text if self.duration is None else f"{text} [{float(self.duration):.4f}]"


Plan = tuple[Act, ...]
Mutation = Callable[[Plan, Any, random.Random], Plan | None]
"""From a plan of one step at least, unified-planning's problem and chance to another plan; None where it cannot be."""


def _end(plan: Plan) -> Fraction | int:
    return max((a.start or 0) + (a.duration or 0) for a in plan)


def _reordered(plan: Plan, order: list[int]) -> Plan:
    """The steps in another order, at the old times."""
    return tuple(replace(plan[old], start=plan[new].start) for new, old in enumerate(order))


def with_words(plan: Plan, index: int, words: tuple[str, ...]) -> Plan:
    """A plan whose step at an index has other words."""
    return (*plan[:index], replace(plan[index], words=words), *plan[index + 1 :])


def original(plan: Plan, problem: Any, rng: random.Random) -> Plan:
    return plan


def drop(plan: Plan, problem: Any, rng: random.Random) -> Plan:
    index = rng.randrange(len(plan))
    return plan[:index] + plan[index + 1 :]


def swap(plan: Plan, problem: Any, rng: random.Random) -> Plan | None:
    if len(plan) < 2:
        return None
    one, other = rng.sample(range(len(plan)), 2)
    order = list(range(len(plan)))
    order[one], order[other] = other, one
    return _reordered(plan, order)


def repeat(plan: Plan, problem: Any, rng: random.Random) -> Plan:
    index = rng.randrange(len(plan))
    act = plan[index]
    if act.start is not None and act.duration is not None:
        return (*plan, replace(act, start=_end(plan) + 1))
    return (*plan[: index + 1], act, *plan[index + 1 :])


def reverse(plan: Plan, problem: Any, rng: random.Random) -> Plan | None:
    return _reordered(plan, list(range(len(plan)))[::-1]) if len(plan) > 1 else None


def truncate(plan: Plan, problem: Any, rng: random.Random) -> Plan:
    return plan[: rng.randrange(len(plan))]


def _of_words(change: Callable[[tuple[str, ...]], tuple[str, ...] | None]) -> Mutation:
    """A change of the words of one step."""

    def mutation(plan: Plan, problem: Any, rng: random.Random) -> Plan | None:
        index = rng.randrange(len(plan))
        words = change(plan[index].words)
        return None if words is None else with_words(plan, index, words)

    return mutation


def extra_argument(plan: Plan, problem: Any, rng: random.Random) -> Plan | None:
    index = rng.randrange(len(plan))
    names = sorted(o.name for o in problem.all_objects)
    return with_words(plan, index, (*plan[index].words, rng.choice(names))) if names else None


def _other_argument(fitting: bool) -> Mutation:
    """Another object as an argument, that the operator's parameter takes or does not take."""

    def mutation(plan: Plan, problem: Any, rng: random.Random) -> Plan | None:
        choices = []
        for index, act in enumerate(plan):
            operator = next(a for a in problem.actions if a.name.lower() == act.words[0].lower())
            for place, parameter in enumerate(operator.parameters, 1):
                fits = [o.name for o in problem.all_objects if parameter.type.is_compatible(o.type) == fitting]
                if others := sorted(name for name in fits if name.lower() != act.words[place].lower()):
                    choices.append((index, place, others))
        if not choices:
            return None
        index, place, others = rng.choice(choices)
        words = plan[index].words
        return with_words(plan, index, (*words[:place], rng.choice(others), *words[place + 1 :]))

    return mutation


def random_action(plan: Plan, problem: Any, rng: random.Random) -> Plan | None:
    """A ground action at random, somewhere; in a plan with times as long as its neighbour, after all."""
    operators = sorted(problem.actions, key=lambda a: a.name)
    rng.shuffle(operators)
    arguments = [(o.name, [sorted(x.name for x in problem.objects(p.type)) for p in o.parameters]) for o in operators]
    possible = [(name, args) for name, args in arguments if all(args)]
    if not possible:
        return None
    act = Act((possible[0][0], *(rng.choice(names) for names in possible[0][1])))
    index = rng.randrange(len(plan))
    if plan[index].start is not None:
        return (*plan, replace(act, start=_end(plan) + 1, duration=plan[index].duration))
    return (*plan[:index], act, *plan[index:])


def upper_case(plan: Plan, problem: Any, rng: random.Random) -> Plan:
    return tuple(replace(a, words=tuple(w.upper() for w in a.words)) for a in plan)


def _halved(what: str) -> Mutation:
    """A step at half its time, or that takes half its duration."""

    def mutation(plan: Plan, problem: Any, rng: random.Random) -> Plan | None:
        there = [i for i, step in enumerate(plan) if getattr(step, what)]
        if not there:
            return None
        index = rng.choice(there)
        changed = replace(plan[index], **{what: getattr(plan[index], what) / 2})
        return (*plan[:index], changed, *plan[index + 1 :])

    return mutation


MUTATIONS: dict[str, Mutation] = {
    "original": original,
    "drop": drop,
    "swap": swap,
    "repeat": repeat,
    "reverse": reverse,
    "truncate": truncate,
    "unknown_operator": _of_words(lambda words: (f"{words[0]}-nowhere", *words[1:])),
    "unknown_object": _of_words(lambda words: (*words[:-1], "nothing-of-that-name") if len(words) > 1 else None),
    "missing_argument": _of_words(lambda words: words[:-1] if len(words) > 1 else None),
    "extra_argument": extra_argument,
    "wrong_type": _other_argument(fitting=False),
    "other_argument": _other_argument(fitting=True),
    "random_action": random_action,
    "upper_case": upper_case,
}
TIMED_MUTATIONS = MUTATIONS | {"earlier": _halved("start"), "shorter": _halved("duration")}
"""For plans with times."""
