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
        told = f"({' '.join(self.words)})"
        if self.start is not None:
            told = f"{float(self.start):.4f}: {told}"
        return told if self.duration is None else f"{told} [{float(self.duration):.4f}]"


Plan = tuple[Act, ...]
Mutation = Callable[[Plan, Any, random.Random], Plan | None]
"""From a plan of one step at least, unified-planning's problem and chance to another plan; None where it cannot be."""


def _at(plan: Plan, rng: random.Random) -> tuple[int, Act]:
    index = rng.randrange(len(plan))
    return index, plan[index]


def _with(plan: Plan, index: int, words: tuple[str, ...]) -> Plan:
    return (*plan[:index], replace(plan[index], words=words), *plan[index + 1 :])


def _reordered(plan: Plan, order: list[int]) -> Plan:
    """The steps in another order, at the old times."""
    return tuple(replace(plan[old], start=plan[new].start) for new, old in enumerate(order))


def original(plan: Plan, problem: Any, rng: random.Random) -> Plan:
    return plan


def drop(plan: Plan, problem: Any, rng: random.Random) -> Plan:
    index, _ = _at(plan, rng)
    return plan[:index] + plan[index + 1 :]


def swap(plan: Plan, problem: Any, rng: random.Random) -> Plan | None:
    if len(plan) < 2:
        return None
    one, other = rng.sample(range(len(plan)), 2)
    order = list(range(len(plan)))
    order[one], order[other] = other, one
    return _reordered(plan, order)


def repeat(plan: Plan, problem: Any, rng: random.Random) -> Plan:
    index, act = _at(plan, rng)
    if act.start is not None and act.duration is not None:
        last = max((a.start or 0) + (a.duration or 0) for a in plan)
        return (*plan, replace(act, start=last + 1))
    return (*plan[: index + 1], act, *plan[index + 1 :])


def reverse(plan: Plan, problem: Any, rng: random.Random) -> Plan | None:
    return _reordered(plan, list(range(len(plan)))[::-1]) if len(plan) > 1 else None


def truncate(plan: Plan, problem: Any, rng: random.Random) -> Plan:
    return plan[: rng.randrange(len(plan))]


def unknown_operator(plan: Plan, problem: Any, rng: random.Random) -> Plan:
    index, act = _at(plan, rng)
    return _with(plan, index, (f"{act.words[0]}-nowhere", *act.words[1:]))


def unknown_object(plan: Plan, problem: Any, rng: random.Random) -> Plan | None:
    index, act = _at(plan, rng)
    return _with(plan, index, (*act.words[:-1], "nothing-of-that-name")) if len(act.words) > 1 else None


def missing_argument(plan: Plan, problem: Any, rng: random.Random) -> Plan | None:
    index, act = _at(plan, rng)
    return _with(plan, index, act.words[:-1]) if len(act.words) > 1 else None


def extra_argument(plan: Plan, problem: Any, rng: random.Random) -> Plan | None:
    index, act = _at(plan, rng)
    names = sorted(o.name for o in problem.all_objects)
    return _with(plan, index, (*act.words, rng.choice(names))) if names else None


def wrong_type(plan: Plan, problem: Any, rng: random.Random) -> Plan | None:
    """An argument that the operator's parameter does not take."""

    def fits(type_: Any, other: Any) -> bool:
        return not type_.is_compatible(other.type)

    return _with_argument(plan, problem, rng, fits)


def other_argument(plan: Plan, problem: Any, rng: random.Random) -> Plan | None:
    """Another object that the operator's parameter takes."""

    def fits(type_: Any, other: Any) -> bool:
        return bool(type_.is_compatible(other.type))

    return _with_argument(plan, problem, rng, fits)


def _with_argument(plan: Plan, problem: Any, rng: random.Random, fits: Callable[[Any, Any], bool]) -> Plan | None:
    choices = []
    for index, act in enumerate(plan):
        operator = _operator(problem, act.words[0])
        for place, parameter in enumerate(operator.parameters, 1):
            others = [o.name for o in problem.all_objects if fits(parameter.type, o)]
            if others := [name for name in others if name.lower() != act.words[place].lower()]:
                choices.append((index, place, sorted(others)))
    if not choices:
        return None
    index, place, others = rng.choice(choices)
    words = list(plan[index].words)
    words[place] = rng.choice(others)
    return _with(plan, index, tuple(words))


def _operator(problem: Any, name: str) -> Any:
    return next(a for a in problem.actions if a.name.lower() == name.lower())


def random_action(plan: Plan, problem: Any, rng: random.Random) -> Plan | None:
    """A ground action that nobody asked for, somewhere; in a plan with times as long as its neighbour, after all."""
    operators = sorted(problem.actions, key=lambda a: a.name)
    rng.shuffle(operators)
    for operator in operators:
        args = [sorted(o.name for o in problem.objects(p.type)) for p in operator.parameters]
        if all(args):
            act = Act((operator.name, *(rng.choice(names) for names in args)))
            break
    else:
        return None
    index, near = _at(plan, rng)
    if near.start is not None:
        last = max((a.start or 0) + (a.duration or 0) for a in plan)
        return (*plan, replace(act, start=last + 1, duration=near.duration))
    return (*plan[:index], act, *plan[index:])


def upper_case(plan: Plan, problem: Any, rng: random.Random) -> Plan:
    return tuple(replace(a, words=tuple(w.upper() for w in a.words)) for a in plan)


MUTATIONS: tuple[Mutation, ...] = (
    original,
    drop,
    swap,
    repeat,
    reverse,
    truncate,
    unknown_operator,
    unknown_object,
    missing_argument,
    extra_argument,
    wrong_type,
    other_argument,
    random_action,
    upper_case,
)


def earlier(plan: Plan, problem: Any, rng: random.Random) -> Plan | None:
    """A step at half its time."""
    return _halved(plan, "start", rng)


def shorter(plan: Plan, problem: Any, rng: random.Random) -> Plan | None:
    """A step that takes half its duration."""
    return _halved(plan, "duration", rng)


def _halved(plan: Plan, what: str, rng: random.Random) -> Plan | None:
    there = [i for i, step in enumerate(plan) if getattr(step, what)]
    if not there:
        return None
    index = rng.choice(there)
    changed = replace(plan[index], **{what: getattr(plan[index], what) / 2})
    return (*plan[:index], changed, *plan[index + 1 :])


TIMED_MUTATIONS: tuple[Mutation, ...] = (*MUTATIONS, earlier, shorter)
"""For plans with times."""
