"""What may happen at one time: PDDL 2.1 does not let a step change what another one needs or changes just then.

unified-planning's validator lets a step need what another takes away at that very time, refuses two that set the
same thing to the same value, and does not look at what must hold from a time on where nothing changes just then. All
three are put right here.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tamp.pddl.conditions import written


@dataclass(frozen=True)
class Happening:
    """What a step, or the problem itself as step None, needs and changes at a time; `added` is increased only."""

    time: Fraction
    step: int | None
    needed: frozenset[Any]
    changed: frozenset[Any]
    added: frozenset[Any]


@dataclass(frozen=True)
class Clash:
    """A step that cannot happen when another does, None for the problem itself, and over what."""

    step: int
    other: int | None
    over: str


def clash(happenings: Iterable[Happening]) -> Clash | None:
    """The first two happenings of one time of which one changes what the other needs or changes."""
    for _, some in itertools.groupby(sorted(happenings, key=lambda h: h.time), key=lambda h: h.time):
        for one, other in itertools.combinations(list(some), 2):
            steps = sorted({one.step, other.step} - {None}, key=lambda s: s or 0)
            if one.step == other.step or not steps:
                continue
            over = next(_disputed(one, other), None) or next(_disputed(other, one), None)
            if over is not None:
                return Clash(steps[-1] or 0, steps[0] if len(steps) == 2 else None, written(over))
    return None


def _disputed(one: Happening, other: Happening) -> Iterator[Any]:
    """What `one` changes and `other` needs, or changes in a way that depends on which comes first."""
    for fluent in sorted(one.changed | one.added, key=str):
        either_way = fluent in one.changed and fluent in other.added
        if either_way or any(_same(fluent, needed) for needed in other.needed):
            yield fluent


def _same(fluent: Any, needed: Any) -> bool:
    """Whether a ground fluent is one that is needed; under a quantifier any of that name is."""
    if any(a.is_variable_exp() for a in needed.args):
        return bool(fluent.fluent() == needed.fluent())
    return bool(fluent == needed)


def happening(
    problem: Any,
    at: tuple[Fraction, int | None],
    conditions: Sequence[Any],
    effects: Sequence[Any],
    given: Mapping[Any, Any],
) -> Happening:
    """What conditions and effects with their parameters given need and change."""
    fluents_in = problem.environment.free_vars_extractor.get
    needed = {f for c in conditions for f in fluents_in(c.substitute(given))}
    changed: set[Any] = set()
    added: set[Any] = set()
    for effect in (one for e in effects for one in e.expand_effect(problem)):
        needed |= fluents_in(effect.condition.substitute(given)) | fluents_in(effect.value.substitute(given))
        (changed if effect.is_assignment() else added).add(effect.fluent.substitute(given))
    return Happening(*at, frozenset(needed), frozenset(changed), frozenset(added))


def times_in(states: Iterable[Fraction], start: Fraction, end: Fraction | None, is_open: bool) -> Sequence[Fraction]:
    """The times of the states that a condition over an interval is about: from the one that it begins in.

    What happens at its very beginning comes too late for a closed interval, and at once for an open one.
    """
    times = sorted(states)
    first = (bisect_right if is_open else bisect_left)(times, start)
    last = len(times) if end is None else bisect_left(times, end)
    return times[max(first - 1, 0) : max(first, last)]


def validator() -> Any:
    """unified-planning's time-triggered validator, with which steps may agree on a value at one time.

    Its conditions count from the state in which they begin, whether it begins with them or before.
    """
    from unified_planning.engines.plan_validator import TimeTriggeredPlanValidator

    class Agreeing(TimeTriggeredPlanValidator):  # type: ignore[misc]
        def _apply_effects(self, state: Any, se: Any, effects: Any, problem: Any) -> Any:
            said: dict[Any, tuple[Any, Any]] = {}
            kept = [(self._news(state, se, some, by, problem, said), simulated, by) for some, simulated, by in effects]
            return super()._apply_effects(state, se, kept, problem)

        def _states_in_interval(self, trace: Any, start: Any, end: Any, open_interval: bool) -> Any:
            yield from ((t, trace[t]) for t in times_in(trace, start, end, open_interval))

        def _news(self, state: Any, se: Any, effects: Any, by: Any, problem: Any, said: dict[Any, Any]) -> list[Any]:
            """The effects of an action that no other has had by now: those on truths, not on numbers."""
            left = []
            for effect in (one for e in effects for one in e.expand_effect(problem)):
                fluent = self._ground_expression(effect.fluent, by)
                condition = self._ground_expression(effect.condition, by)
                if fluent.type.is_bool_type() and self._check_condition(state, se, condition):
                    value = se.evaluate(self._ground_expression(effect.value, by), state=state)
                    before, who = said.setdefault(fluent, (value, by))
                    if before == value and who is not by:
                        continue
                left.append(effect)
            return left

    checked = Agreeing()
    checked.skip_checks = True
    return checked
