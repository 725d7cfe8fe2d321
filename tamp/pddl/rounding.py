"""Times that a planner printed rounded: which of the times that round to them make a plan valid.

Durations first: what the domain computes (`(/ 10 3)`) is nowhere printed with all its digits, and what begins after an
end begins late enough only if that end is computed with all of them. Then starts: two happenings that are at one time
may be printed as if one came before the other. VAL (`-t`) treats as equal whatever is that near.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from tamp.pddl.conditions import given_to
from tamp.pddl.plan_file import Step
from tamp.pddl.verdict import Verdict

TimedAction = tuple[Fraction, Any, Fraction | None]
States = Mapping[Fraction, Any]
"""The state from a time on; that of -1 is the initial state."""
Judging = Callable[[Sequence[TimedAction]], tuple[Verdict, States]]
"""The verdict on actions with times, and the states up to where they fail."""

MOST_TRIES = 30
"""Judgements of one plan with other times than the printed ones."""


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
