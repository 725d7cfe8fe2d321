"""Which judge a problem needs, and a plan file's verdict from it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tamp.files.source import Source
from tamp.pddl.plan_file import BadPlan, PlanFile, mistakes, resolve
from tamp.pddl.plan_formats import read_plan
from tamp.pddl.timed_verdict import TimedJudge
from tamp.pddl.verdict import Judge, Verdict

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
    """A plan of a problem with its steps `in_order`. InputError as `read_plan`; BadPlan has beside what cannot be read
    what `resolve` says to the rest."""
    try:
        return in_order(read_plan(source, form))
    except BadPlan as e:
        raise BadPlan(e.plan, sorted([*e.mistakes, *mistakes(e.plan, problem)])) from e


def verdict_on(plan: PlanFile, judge: PlanJudge, trace: bool = False) -> Verdict:
    """The verdict on a plan with its steps `in_order`. InputError as `resolve`, or where steps lack a time."""
    actions = resolve(plan, judge.problem)
    return judge.judge(actions, trace) if isinstance(judge, Judge) else judge.judge_steps(plan, actions, trace)
