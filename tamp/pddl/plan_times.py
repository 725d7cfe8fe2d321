"""Times of plans: what may happen at one time, and which times a planner may have printed rounded.

PDDL 2.1 does not let a step change what another one needs or changes just then. unified-planning's validator lets a
step need what another takes away at that very time, refuses two that set the same thing to the same value, and does
not look at what must hold from a time on where nothing changes just then. All three are put right here.

Of rounded times, durations come first: what the domain computes (`(/ 10 3)`) is nowhere printed with all its digits,
and what begins after an end begins late enough only if that end is computed with all of them. Then starts: two
happenings that are at one time may be printed as if one came before the other. VAL (`-t`) treats as equal whatever is
that near.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from tamp.pddl.conditions import given_to, written
from tamp.pddl.plan_file import Step
from tamp.pddl.verdict import Verdict

TimedAction = tuple[Fraction, Any, Fraction | None]
States = Mapping[Fraction, Any]
"""The state from a time on; that of -1 is the initial state."""
Judging = Callable[[Sequence[TimedAction]], tuple[Verdict, States]]
"""The verdict on actions with times, and the states up to where they fail."""

MOST_TRIES = 30
"""Judgements of one plan with other times than the printed ones."""


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


def judge_rounded(problem: Any, steps: Sequence[Step], printed: Sequence[TimedAction], judge: Judging) -> Verdict:
    """The verdict on a plan with the times that are printed, else with times that are rounded to them.

    A plan that is valid with none of these has the verdict on it with durations as the domain has them.
    """
    times = list(printed)
    verdict, states = judge(times)
    tries = MOST_TRIES if any(s.start_within or s.duration_within for s in steps) else 0
    while not verdict.valid and tries and states and (fitted := _fitted(problem, steps, printed, states)) != times:
        times, tries = fitted, tries - 1
        verdict, states = judge(times)
    while not verdict.valid and verdict.failed_at:
        for moved in itertools.islice(_aligned(problem, steps, printed, times, verdict.failed_at - 1), tries):
            tries -= 1
            then, _ = judge(moved)
            if then.valid or (then.failed_at or len(steps) + 1) > verdict.failed_at:
                times, verdict = moved, then
                break
        else:
            break
    moved_steps = [n for n, (was, now) in enumerate(zip(printed, times, strict=True), 1) if was != now]
    return replace(verdict, rounded=tuple(moved_steps)) if verdict.valid else verdict


def _fitted(problem: Any, steps: Sequence[Step], printed: Sequence[TimedAction], states: States) -> list[TimedAction]:
    """The actions with the durations that their bounds allow, where these round to the printed ones."""
    return [
        (start, action, _allowed(problem, action, duration, step.duration_within, _before(states, start)))
        for step, (start, action, duration) in zip(steps, printed, strict=True)
    ]


def _before(states: States, time: Fraction) -> Any:
    return states[max(t for t in states if t < time)]


def _allowed(problem: Any, action: Any, duration: Fraction | None, within: Fraction, state: Any) -> Fraction | None:
    if duration is None or not within:
        return duration
    bounds = action.action.duration
    lower, upper = (_number(problem, b.substitute(given_to(action)), state) for b in (bounds.lower, bounds.upper))
    if lower is None or upper is None:
        return duration
    nearest = min(max(duration, lower), upper)
    return nearest if abs(nearest - duration) <= within else duration


def _number(problem: Any, expression: Any, state: Any) -> Fraction | None:
    from unified_planning.exceptions import UPUsageError
    from unified_planning.model.walkers import StateEvaluator

    try:
        return Fraction(StateEvaluator(problem).evaluate(expression, state).constant_value())
    except (UPUsageError, ArithmeticError):  # no value in this state, or a division by zero
        return None


def _aligned(
    problem: Any, steps: Sequence[Step], printed: Sequence[TimedAction], times: Sequence[TimedAction], failed: int
) -> Iterator[list[TimedAction]]:
    """The actions with one that fails, and maybe another one, moved so that both begin or end at one time; what is
    nearest first."""
    ours = _room(steps[failed], printed[failed], times[failed])
    others = [(n, t, _room(steps[n], printed[n], times[n])) for n in range(len(times)) for t in _ends(times[n])]
    others += [(failed, Fraction(timing.delay), (Fraction(0), Fraction(0))) for timing in problem.timed_effects]
    pairs = [(t - mine, n, room) for n, t, room in others for mine in _ends(times[failed]) if t != mine]
    for apart, other, theirs in sorted(pairs, key=lambda p: abs(p[0])):
        by = min(max(apart, ours[0]), ours[1])
        if theirs[0] <= by - apart <= theirs[1]:
            moved = list(times)
            moved[other] = _moved(times[other], by - apart)
            moved[failed] = _moved(times[failed], by)
            yield moved


def _ends(timed: TimedAction) -> tuple[Fraction, ...]:
    start, _, duration = timed
    return (start,) if duration is None else (start, start + duration)


def _room(step: Step, printed: TimedAction, timed: TimedAction) -> tuple[Fraction, Fraction]:
    """How far an action can be moved, to earlier and to later, so that its start still rounds to the printed one."""
    return max(printed[0] - step.start_within, Fraction(0)) - timed[0], printed[0] + step.start_within - timed[0]


def _moved(timed: TimedAction, by: Fraction) -> TimedAction:
    return timed[0] + by, timed[1], timed[2]
