"""Which judge a problem needs, the one for plans with times, and a plan file's verdict.

unified-planning's time-triggered validator says which step with a time failed; what it lacked is found in the states
that it passed through.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from tamp.files.source import Source
from tamp.pddl.conditions import given_to, unheld, values_in, written
from tamp.pddl.plan_file import BadPlan, Mistake, PlanFile, mistakes, resolve
from tamp.pddl.plan_formats import read_plan
from tamp.pddl.plan_times import Happening, States, TimedAction, clash, happening, judge_rounded, times_in, validator
from tamp.pddl.simulation import check_supported, undoable
from tamp.pddl.verdict import Judge, Unmet, Verdict, needs_of

_NO_WORD = "unified-planning's validator does not say what is wrong"


@dataclass(frozen=True, eq=False)
class TimedJudge:
    """Judges plans with times for one problem."""

    problem: Any
    _validator: Any = field(repr=False)

    @classmethod
    def of(cls, problem: Any) -> TimedJudge:
        """InputError for a problem that the validator does not support, with what it does not."""
        from unified_planning.engines.plan_validator import TimeTriggeredPlanValidator

        check_supported(problem, TimeTriggeredPlanValidator.supported_kind())
        return cls(problem, validator())

    def judge_steps(self, plan: PlanFile, actions: list[Any], trace: bool = False) -> Verdict:
        """Let the clock run over a plan. Printed times stand for all that round to them, see
        `tamp.pddl.plan_times`. BadPlan with the steps without a time, and those that need a duration."""
        timed = _timed(plan, actions)
        return judge_rounded(self.problem, plan.steps, timed, lambda times: self._judge(times, trace))

    def _judge(self, timed: Sequence[TimedAction], trace: bool) -> tuple[Verdict, States]:
        """The verdict on actions at their very times, and the states up to where they fail."""
        from unified_planning.exceptions import UPException
        from unified_planning.plans import TimeTriggeredPlan

        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                plan = TimeTriggeredPlan(list(timed), self.problem.environment)
                result = self._validator.validate(self.problem, plan)
        except (UPException, ArithmeticError) as e:  # such as a number that the initial state leaves open
            return Verdict(False, len(timed), None, undoable(e)), {}
        states = dict(sorted(result.trace.items()))
        return self._verdict(result, timed, states, trace), states

    def _verdict(self, result: Any, timed: Sequence[TimedAction], states: States, trace: bool) -> Verdict:
        """What the validator found, in words."""
        length, changes = len(timed), self._changes(timed, states) if trace else ()
        if together := clash(self._happenings(timed)):
            other = "the problem itself" if together.other is None else f"step {together.other}"
            message = f"cannot happen at the same time as {other}, because of {together.over}"
            return Verdict(False, length, together.step, message, changes=changes)
        if result.status.name == "VALID":
            values = list((result.metric_evaluations or {}).values())
            cost = float(values[0]) if len(values) == 1 else None
            return Verdict(True, length, cost=cost, changes=changes)
        numbers = (n for n, (_, action, _) in enumerate(timed, 1) if action is result.inapplicable_action)
        failed, last = next(numbers, None), max(states)
        if failed:
            unmet = self._lacking(timed[failed - 1], timed, states)
        else:
            missed = unheld(self.problem, self.problem.goals, states[last])
            unmet = tuple(self._unmet(c, timed, states, last) for c in missed)
        said = result.log_messages[0].message if result.log_messages else _NO_WORD
        return Verdict(False, length, failed, needs_of(unmet) if unmet else said, unmet, changes=changes)

    def _happenings(self, plan: Sequence[TimedAction]) -> Iterator[Happening]:
        """The beginnings and the ends of all steps, and what the problem itself does."""
        for timing, effects in self.problem.timed_effects.items():
            yield happening(self.problem, (Fraction(timing.delay), None), (), effects, {})
        for number, at in enumerate(plan, 1):
            points: dict[Fraction, tuple[list[Any], list[Any]]] = {}
            for start, end, _, condition in self._conditions(at):
                if start == end:
                    points.setdefault(start, ([], []))[0].append(condition)
            for time, effects in _effects(at):
                points.setdefault(time, ([], []))[1].extend(effects)
            for time, (conditions, effects) in points.items():
                yield happening(self.problem, (time, number), conditions, effects, given_to(at[1]))

    def _lacking(self, at: TimedAction, plan: Sequence[TimedAction], states: States) -> tuple[Unmet, ...]:
        """The conditions of an action that are false at some time when they must be true."""
        found: dict[str, Unmet] = {}
        for number, (start, end, is_open, condition) in enumerate(self._conditions(at)):
            for time in times_in(states, start, end, is_open):
                for part in unheld(self.problem, [condition], states[time]):
                    unmet = self._unmet(part, plan, states, time)
                    unmet = unmet if number or at[2] is None else _of_duration(unmet, part, at)
                    found.setdefault(unmet.literal, unmet)
        return tuple(found.values())

    def _conditions(self, at: TimedAction) -> Iterator[tuple[Fraction, Fraction, bool, Any]]:
        """From when to when which condition of an action has to hold; the first is that of its duration."""
        start, instance, duration = at
        action, given = instance.action, given_to(instance)
        if duration is None:
            yield from ((start, start, False, c.substitute(given)) for c in action.preconditions)
            return
        manager, bounds = self.problem.environment.expression_manager, action.duration
        least = (manager.GT if bounds.is_left_open() else manager.GE)(duration, bounds.lower)
        most = (manager.LT if bounds.is_right_open() else manager.LE)(duration, bounds.upper)
        yield start, start, False, manager.And(least, most).substitute(given)
        for interval, conditions in action.conditions.items():
            first, last = _when(interval.lower, start, duration), _when(interval.upper, start, duration)
            yield from ((first, last, interval.is_left_open(), c.substitute(given)) for c in conditions)

    def _unmet(self, condition: Any, plan: Sequence[TimedAction], states: States, until: Fraction) -> Unmet:
        """A condition that is false at a time, and the step that made it so, if one did."""
        times = [t for t in states if t <= until]
        held = [t for t in times if not unheld(self.problem, [condition], states[t])]
        values = values_in(self.problem, condition, states[until])
        if not held:
            return Unmet(written(condition), None, "", values=values)
        lost = min(t for t in times if t > held[-1])
        fluents = self.problem.environment.free_vars_extractor.get(condition)
        by = (n for n, action in enumerate(plan, 1) if fluents & self._touched(action, lost))
        at = next(by, None)
        return Unmet(written(condition), at, "", None if at else float(lost), values)

    def _touched(self, at: TimedAction, time: Fraction) -> set[Any]:
        """What an action changes at a time."""
        given = given_to(at[1])
        return {
            one.fluent.substitute(given)
            for when, effects in _effects(at)
            if when == time
            for effect in effects
            for one in effect.expand_effect(self.problem)
        }

    def _changes(self, plan: Sequence[TimedAction], states: States) -> tuple[tuple[str, ...], ...]:
        """The literals that each step made true while it lasted."""
        times = list(states)
        return tuple(
            tuple(
                written(fluent) if states[when].get_value(fluent).is_true() else f"(not {written(fluent)})"
                for when in sorted({w for w, _ in _effects(action)} & set(times))
                for fluent in sorted(self._touched(action, when), key=str)
                if fluent.type.is_bool_type()
                and states[when].get_value(fluent) != states[times[times.index(when) - 1]].get_value(fluent)
            )
            for action in plan
        )


def _of_duration(unmet: Unmet, bound: Any, at: TimedAction) -> Unmet:
    """A bound of an action's duration that does not hold, as the domain has it."""
    bounds, lasts = at[1].action.duration, float(at[2] or 0)
    most = bound.arg(0).is_constant() and bound.arg(0).constant_value() == at[2]
    word = "=" if bounds.lower == bounds.upper else f"{'<' if most else '>'}{'' if bound.is_lt() else '='}"
    literal = f"({word} ?duration {written(bound.arg(1 if most else 0))})"
    given = "?duration", int(lasts) if lasts.is_integer() else lasts
    return replace(unmet, literal=literal, values=(given, *unmet.values))


def _timed(plan: PlanFile, actions: Sequence[Any]) -> list[TimedAction]:
    """The steps with their times. BadPlan with every one that lacks its time or its duration."""
    wrong = list[Mistake]()
    for number, (step, action) in enumerate(zip(plan.steps, actions, strict=True), 1):
        where = f"{plan.name}:{step.line}: {step}" if step.line else f"{plan.name}: {step}"
        if step.start is None:
            valid = f"0.5: {step}{' [2.0]' if _lasts(action) else ''}"
            wrong.append(Mistake(number, f"{where} has no time, which this problem needs; valid: {valid}"))
        elif _lasts(action) and step.duration is None:
            valid = f"{float(step.start):g}: {step} [2.0]"
            wrong.append(Mistake(number, f"{where} has no duration; valid: {valid}"))
    if wrong:
        raise BadPlan(plan, wrong)
    taken = zip(plan.steps, actions, strict=True)
    return [(s.start or Fraction(0), a, s.duration if _lasts(a) else None) for s, a in taken]


def _lasts(action: Any) -> bool:
    return not hasattr(action.action, "preconditions")


def _effects(at: TimedAction) -> Iterator[tuple[Fraction, Sequence[Any]]]:
    """What an action changes, and when."""
    start, instance, duration = at
    if duration is None:
        yield start, instance.action.effects
        return
    for timing, effects in instance.action.effects.items():
        yield _when(timing, start, duration), effects


def _when(timing: Any, start: Fraction, duration: Fraction) -> Fraction:
    return start + Fraction(timing.delay) + (Fraction(0) if timing.is_from_start() else duration)


PlanJudge = Judge | TimedJudge
"""Judges any number of plans of one problem."""


def judge_of(problem: Any) -> PlanJudge:
    """The judge for a problem: by the clock when it has durations or times. InputError for what no judge supports."""
    lasting = any(not hasattr(a, "preconditions") for a in problem.actions)
    timed = lasting or problem.timed_effects or problem.timed_goals
    return TimedJudge.of(problem) if timed else Judge.of(problem)


def in_order(plan: PlanFile) -> PlanFile:
    """A plan with its steps in the order of their times; those of one time as in the file."""
    if plan.format != "timed" or any(s.start is None for s in plan.steps):
        return plan
    return replace(plan, steps=tuple(sorted(plan.steps, key=lambda s: s.start or 0)))


def read_for(source: Source, problem: Any, form: str | None = None) -> PlanFile:
    """A plan of a problem with its steps `in_order`. InputError as `read_plan`; BadPlan has what cannot be read,
    and what `resolve` says of the rest."""
    try:
        return in_order(read_plan(source, form))
    except BadPlan as e:
        raise BadPlan(e.plan, sorted([*e.mistakes, *mistakes(e.plan, problem)])) from e


def verdict_on(plan: PlanFile, judge: PlanJudge, trace: bool = False) -> Verdict:
    """The verdict on a plan with its steps `in_order`. InputError as `resolve`, or where steps lack a time."""
    actions = resolve(plan, judge.problem)
    return judge.judge(actions, trace) if isinstance(judge, Judge) else judge.judge_steps(plan, actions, trace)
