"""Plans of a step a line, as planners and people write them."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from functools import partial

from tamp.errors import InputError
from tamp.pddl.source import Source
from tamp.plans.steps import PlanFile, Step, read_steps

_NUMBER = r"\d{1,30}(?:\.\d{0,30})?(?:e[+-]?\d{1,2})?"
_NAME = r"[^\s()\[\],:;]+"
_STEP = re.compile(
    rf"""\s*(?:step\s+)?(?:(?P<label>{_NUMBER})\s*[:.)]?\s*)?   # 1: or 0.003: or "step 1:"
    (?:\(\s*(?P<list>{_NAME}(?:\s+{_NAME})*)\s*\)               # (pick a b)
      |(?P<call>{_NAME})\((?P<args>[^()]*)\)                    # pick(a, b), as unified-planning prints it
      |(?P<bare>{_NAME}(?:\s+{_NAME})*))                        # PICK A B, as FF does, with a number or a cost only
    \s*(?:\[\s*(?:d(?:uration)?:\s*)?(?P<duration>{_NUMBER})[^\]]*\])?   # [1.0] or [D:1.0; C:0.1]
    (?P<cost>\s*\(\s*{_NUMBER}\s*\)|\s*\[[^\]]*\])?\s*""",  # (1): the step's cost, as Fast Downward logs it
    re.VERBOSE | re.IGNORECASE,
)
_HEADER = re.compile(
    r"\s*(?:sequentialplan|timetriggeredplan|(?:found )?plan|solution|ff: found legal plan as follows)\s*:?\s*",
    re.IGNORECASE,
)


def read_lines(source: Source, form: str = "pddl") -> PlanFile:
    """A plan of one step a line; comments begin with `;`. BadPlan with the place of everything that is no step."""
    steps: list[Callable[[], Step]] = []
    for number, line in enumerate(source.text.split("\n"), 1):
        told = re.sub(r"(\[[^\];]*;[^\]]*\])|;.*", r"\1", line)  # [D:1.0; C:0.1] holds no comment
        if not told.strip() or (not steps and _HEADER.fullmatch(told)):
            continue
        steps.append(partial(_step, told, number, source.name))
    return read_steps(source.name, form, steps)


def _match(line: str) -> re.Match[str] | None:
    found = _STEP.fullmatch(line)
    bare = found is not None and found["bare"] is not None and found["label"] is None and found["cost"] is None
    return None if bare else found


def _step(told: str, line: int, name: str) -> Step:
    found = _match(told)
    if found is None:
        column = len(told) - len(told.lstrip()) + 1
        raise InputError(
            f"{name}:{line}:{column}: not a step of a plan: {_short(told)}; valid: (pick a b), 1: (pick a b), "
            "0.5: (pick a b) [2.0], pick(a, b), or a comment after ;"
        )
    if found["call"] is not None:
        words = [found["call"], *(a.strip() for a in found["args"].split(",") if a.strip())]
    else:
        words = (found["list"] or found["bare"]).split()
    head, *args = (w.lower() for w in words)
    start, duration = found["label"], found["duration"]
    return Step(
        head,
        tuple(args),
        line,
        start=Fraction(start) if start else None,
        duration=Fraction(duration) if duration else None,
    )


def _short(text: str) -> str:
    one_line = " ".join(text.split())
    return repr(one_line if len(one_line) <= 60 else f"{one_line[:59]}…")
