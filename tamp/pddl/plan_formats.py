"""Read a plan file: steps as text, as planners and people write them, or JSON as language models and `tamp plan` do."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from tamp.errors import InputError
from tamp.files.json_text import parse_json
from tamp.files.source import Source
from tamp.pddl.plan_file import PlanFile, Step, plan_of

_NUMBER = r"\d{1,30}(?:\.\d{0,30})?(?:e[+-]?\d{1,2})?"
_NAME = r"[^\s()\[\],:;]+"
_STEP = re.compile(
    rf"""
    (?:(?P<start>{_NUMBER})(?:\s*[:.)]|[ \t])\s*)?  # its number or its time: "1." or "0.003:"
    (?:\((?P<words>[^()]+)\)                        # (pick a b)
     | (?P<head>{_NAME})\((?P<args>[^()\n]*)\))     # pick(a, b), as unified-planning writes it
    (?:\s*\[\s*(?:d(?:uration)?\s*:\s*)?(?P<duration>{_NUMBER})\s*(?:[;,][^\[\]\n]*)?\])?  # [1.0] or [D:1.0; C:0.1]
    """,
    re.VERBOSE | re.IGNORECASE,
)
_COMMENT = re.compile(r"(\[[^\[\]\n;]*;[^\[\]\n]*\])|;[^\n]*|^(?:Sequential|TimeTriggered)Plan:")  # not [D:1; C:1]
_BLANK = re.compile(r"[\s,]*")
_WORDS = rf"{_NAME}(?:[ \t]+{_NAME})*"
_PRINTED = re.compile(rf"(?:step\s+)?(\d+:\s+)({_WORDS})|({_WORDS})[ ]\(\d+\)", re.IGNORECASE)
"""A step without parentheses, as FF and Fast Downward print it."""
_FOUND = re.compile(r"\b(?:plan|solution)\b", re.IGNORECASE)
_HOLDERS = ("plan", "sas_plan", "plans", "result", "output", "actions")
"""Under which keys web services of planners have a plan, or what has it."""
_NAMES, _ARGUMENTS = ("skill", "name", "action", "operator"), ("args", "arguments", "parameters")
_VALID_TEXT = "(pick a b), 1: (pick a b), 0.5: (pick a b) [2.0], pick(a, b), or a comment after ;"
_VALID_JSON = (
    '[{"skill": "pick", "args": {"o": "cup"}}, …], ["(pick cup bench)", …], or an object with that as its "plan"'
)


def read_plan(source: Source, form: str | None = None) -> PlanFile:
    """A plan in the named format, else in the one that it looks like. InputError where there is no plan, BadPlan with
    the place of everything in it that is no step."""
    is_json = (form or recognised(source.text)) == "skills"
    plan = _read_json(source) if is_json else _read_text(source, form or "pddl")
    return plan if form or not _has_times(plan) else replace(plan, format="timed")


def recognised(text: str) -> str:
    """The format that a text looks like: pddl, steps (timed, where the numbers before them are times); skills, JSON;
    xarm, an xArm action plan, which is no plan of a domain."""
    begin = text.lstrip()
    if begin.startswith("{") and '"steps"' in text and not re.search(r'"plan"\s*:', text):
        return "xarm"
    return "skills" if re.match(r"[\[{](?!t=)", begin) else "pddl"  # "[t=0.1s" is Fast Downward's


def _has_times(plan: PlanFile) -> bool:
    """Whether the numbers before the steps are times: there are durations, or they do not count the steps."""
    if any(s.duration is not None for s in plan.steps):
        return True
    numbers = [s.start for s in plan.steps if s.start is not None]
    return len(numbers) == len(plan.steps) > 0 and numbers != [numbers[0] + n for n in range(len(numbers))]


def _read_text(source: Source, form: str) -> PlanFile:
    """The plan of a text; without steps where it has only comments. InputError where most of it is no plan."""
    text = _COMMENT.sub(lambda m: m[1] or " " * len(m[0]), source.text)
    steps, wrong = list[Step | str](), list[str]()
    at, line, counted = 0, 1, 0
    while (at := _BLANK.match(text, at).end()) < len(text):  # type: ignore[union-attr]
        found = _STEP.match(text, at)
        words = _words(found) if found else []
        begin = found.start(1 + _STEP.groupindex["start"]) if found and words else at
        line, counted = line + text.count("\n", counted, begin), begin
        if found and words:
            steps.append(_step(found, words, line))
            at = found.end()
            continue
        place = f"{source.name}:{line}:{at - text.rfind(chr(10), 0, at)}"
        end = text.find("\n", at) if text.find("\n", at) >= 0 else len(text)
        wrong.append(f"{place}: not a step of a plan: {_short(text[at:end])}; valid: {_VALID_TEXT}")
        steps.append(wrong[-1])
        at = end
    if wrong and steps[0] is wrong[0] and _FOUND.search(source.text) and (printed := _last_plan(text)):
        note = f"only lines {printed[0].line} to {printed[-1].line} were read, the last steps of a plan"
        return PlanFile(source.name, form, tuple(printed), (note,))
    if len(wrong) > max(3, len(steps) - len(wrong)):
        raise InputError(f"{wrong[0]} (and {len(wrong) - 1} more lines)")
    return plan_of(source.name, form, steps)


def _last_plan(text: str) -> list[Step]:
    """The last steps that follow each other, a step a line, in all that a planner printed."""
    plan, ended = list[Step](), True
    for number, line in enumerate(text.split("\n"), 1):
        found = _STEP.fullmatch(_PRINTED.sub(lambda m: f"{m[1] or ''}({m[2] or m[3]})", line.strip()))
        if found and (words := _words(found)):
            plan, ended = [*(() if ended else plan), _step(found, words, number)], False
        elif line.strip():
            ended = True
    return plan


def _words(found: re.Match[str]) -> list[str]:
    """The name and the arguments of a step; none where these cannot be names."""
    if found["head"]:
        words = [found["head"], *(a.strip() for a in found["args"].split(",") if a.strip())]
    else:
        words = found["words"].split()
    return words if all(re.fullmatch(_NAME, w) for w in words) else []


def _step(found: re.Match[str], words: Sequence[str], line: int) -> Step:
    head, *args = (w.lower() for w in words)
    start, duration = found["start"], found["duration"]
    return Step(
        head,
        tuple(args),
        line,
        start=Fraction(start) if start else None,
        duration=Fraction(duration) if duration else None,
        start_within=_half_digit(start or ""),
        duration_within=_half_digit(duration or ""),
    )


def _half_digit(number: str) -> Fraction:
    """Half of the last digit that a number was printed with. Whole numbers are taken as exact: what is rounded is
    printed with a fraction."""
    printed = re.fullmatch(r"\d+\.(\d+)(?:e([+-]?\d+))?", number.lower())
    return Fraction(10) ** (int(printed[2] or 0) - len(printed[1])) / 2 if printed else Fraction(0)


def _short(text: str) -> str:
    one_line = " ".join(text.split())
    return repr(one_line if len(one_line) <= 60 else f"{one_line[:59]}…")


def _read_json(source: Source) -> PlanFile:
    """The plan of a JSON text: a list of steps, or an object that has it as its `plan`, maybe as a text. A step is PDDL
    or an object with a name and arguments, by parameter or in order."""
    value = parse_json(source)
    while isinstance(value, dict) and (key := next((k for k in _HOLDERS if k in value), None)):
        if value[key] is None:
            raise InputError(f"{source.name}: there is no plan in it: its status is {value.get('status')!r}")
        one = key == "plans" and isinstance(value[key], list) and len(value[key]) == 1
        value = value[key][0] if one else value[key]
    if isinstance(value, str):
        return replace(_read_text(Source(f"{source.name}: plan", value), "skills"), name=source.name)
    if not isinstance(value, list):
        raise InputError(f"{source.name}: not a plan; valid: {_VALID_JSON}")
    steps = (_json_step(item, f"{source.name}: step {number}") for number, item in enumerate(value, 1))
    return plan_of(source.name, "skills", steps)


def _json_step(item: Any, where: str) -> Step | str:
    """A step of a list, or why it is none."""
    no_step = f'{where} is {json.dumps(item, ensure_ascii=False)[:80]}; valid: {{"skill": "pick", "args": {{…}}}} or '
    no_step += '"(pick cup bench)"'
    if isinstance(item, str):
        return _written_step(item, where, no_step)
    name = _value(item, _NAMES, str)
    arguments = _value(item, _ARGUMENTS, (list, dict))
    if name is None or (arguments is None and "(" not in name):
        return no_step
    words = list(arguments.values()) if isinstance(arguments, dict) else arguments or []
    if not all(isinstance(w, str) for w in words):
        return f"{where}: its arguments are names of objects, by parameter or in order"
    start, duration = (_value(item, (key,), (int, float)) for key in ("time", "duration"))
    text = name if arguments is None else f"({' '.join((name, *words))})"
    text = f"{'' if start is None else f'{start}: '}{text}{'' if duration is None else f' [{duration}]'}"
    step = _written_step(text, where, no_step)
    if isinstance(step, str) or not isinstance(arguments, dict):
        return step
    return replace(step, args=(), named={k.lower(): v.lower() for k, v in arguments.items()})


def _written_step(text: str, where: str, no_step: str) -> Step | str:
    """The one step of a text, also without parentheses; or why it is none."""
    bare = re.fullmatch(r"\s*[^\W\d][^\s()\[\]:;]*(?:\s+[^\s()\[\]:;]+)*\s*", text)
    try:
        steps = _read_text(Source(where, f"({text})" if bare else text), "skills").steps
    except InputError as e:
        return str(e)
    return replace(steps[0], line=None) if len(steps) == 1 else no_step


def _value(item: Any, keys: tuple[str, ...], kind: Any) -> Any:
    """The value of the first of these keys of an object that is of a kind."""
    return next((item[k] for k in keys if isinstance(item, dict) and isinstance(item.get(k), kind)), None)
