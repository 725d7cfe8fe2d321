"""Which format a plan file has, and reading it."""

from __future__ import annotations

import re
from dataclasses import replace

from tamp.files.source import Source
from tamp.pddl.json_plans import read_json
from tamp.pddl.plan_file import PlanFile
from tamp.pddl.text_plans import read_text

_LOGGED = re.compile(r"\[[^\]\n\"{\[]*\][ \t]*\S|\{\d")
"""How a log begins that looks like JSON: `[t=0.1s] Solution found!`."""


def read_plan(source: Source, form: str | None = None) -> PlanFile:
    """A plan in the named format, else in the one that it looks like. InputError with the place of what is no plan."""
    is_json = (form or recognised(source.text)) == "skills"
    plan = read_json(source) if is_json else read_text(source, form or "pddl")
    return plan if form or not _has_times(plan) else replace(plan, format="timed")


def recognised(text: str) -> str:
    """The format that a text looks like: pddl, steps (timed, where the numbers before them are times); skills, JSON;
    xarm, an xArm action plan, which is no plan of a domain."""
    begin = text.lstrip()
    if begin.startswith("{") and '"steps"' in text and not re.search(r'"plans?"\s*:', text):
        return "xarm"
    return "skills" if begin.startswith(("[", "{")) and not _LOGGED.match(begin) else "pddl"


def _has_times(plan: PlanFile) -> bool:
    """Whether the numbers before the steps are times: there are durations, or they do not count the steps."""
    if any(s.duration is not None for s in plan.steps):
        return True
    numbers = [s.start for s in plan.steps if s.start is not None]
    return len(numbers) == len(plan.steps) > 0 and numbers != [numbers[0] + n for n in range(len(numbers))]
