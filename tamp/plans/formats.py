"""Which format a plan file has, and reading it."""

from __future__ import annotations

from tamp.errors import InputError
from tamp.pddl.source import Source
from tamp.plans.json_plans import read_skills
from tamp.plans.lines import read_lines
from tamp.plans.steps import PlanFile


def read_plan(source: Source, form: str | None = None) -> PlanFile:
    """A plan in the named format, else in the one that it looks like. InputError with the place of what is no plan."""
    named, form = form is not None, form or recognised(source.text)
    if not source.text.strip():
        raise InputError(f"{source.name} is empty; a plan without steps is a comment, such as '; cost = 0'")
    if form == "skills":
        return read_skills(source)
    plan = read_lines(source, form)
    return plan if named or not _has_times(plan) else read_lines(source, "timed")


def recognised(text: str) -> str:
    """The format that a text looks like: pddl, a step a line (timed, where the numbers before them are times); skills,
    JSON; xarm, an xArm action plan, which is no plan of a domain."""
    begin = text.lstrip()[:1]
    if begin == "{" and '"steps"' in text:
        return "xarm"
    return "skills" if begin in ("[", "{") else "pddl"


def _has_times(plan: PlanFile) -> bool:
    """Whether the numbers before the steps are times: there are durations, or they do not count the steps."""
    if any(s.duration is not None for s in plan.steps):
        return True
    numbers = [s.start for s in plan.steps if s.start is not None]
    return len(numbers) == len(plan.steps) > 0 and numbers != [numbers[0] + n for n in range(len(numbers))]
