"""Read a plan file: steps as text, or JSON as language models, `tamp plan` and planners write it."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

from tamp.errors import InputError
from tamp.files.source import Source
from tamp.pddl.plan_file import PlanFile, Step, plan_of
from tamp.pddl.text_plans import read_text, which_of

_LOGGED = re.compile(r"\[[^\]\n\"{\[]*\][ \t]*\S|\{\d")
"""How a log begins that looks like JSON: `[t=0.1s] Solution found!`."""

_WITHIN = ("plan", "actions", "plans", "result", "output", "sas_plan", "stdout")
"""Where in an object a plan is, the nearest first: of tamp, of planners' services, of planners of several plans."""
_NAMES, _ARGUMENTS = ("skill", "name", "action", "operator"), ("args", "arguments", "parameters")
_TIMES, _DURATIONS = ("time", "start", "start_time"), ("duration",)
_NONE = re.compile(
    r"unsolvable|time[d ]?-?out|fail|error|gave up|unsupported|invalid|no.(?:plan|solution)", re.IGNORECASE
)
_VALID = '[{"skill": "pick", "args": {"o": "cup"}}, …], ["(pick cup bench)", …], or an object with that as its "plan"'


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


def read_json(source: Source) -> PlanFile:
    """The plan of a JSON text: a list of steps, or an object that has it, maybe as a text, where planners put it; of
    several plans the first. A step is PDDL or an object with a name and arguments, by parameter or in order.

    InputError for what is no such list and for the answer that there is no plan, BadPlan with every step that is none.
    """
    value, where, plans = _load_json(source), source.name, 1
    while isinstance(value, dict) and (key := next((k for k in _WITHIN if k in value), None)):
        found = value[key]
        if not found and (says := _says_none(value)):
            raise InputError(f"{where}: there is no plan in it: the planner says {says}")
        if key == "plans" and isinstance(found, list):
            if not found:
                raise InputError(f'{where}: there is no plan in it: "plans" is empty')
            plans, found = len(found), found[0]
        value, where = found, f"{where}: {key}"
    if isinstance(value, str):
        read = replace(read_text(Source(where, value)), name=source.name)
    elif isinstance(value, list):
        steps = (_step(item, f"{source.name}: step {number}") for number, item in enumerate(value, 1))
        read = plan_of(source.name, "skills", steps)
    else:
        says = _says_none(value) if isinstance(value, dict) else ""
        no_plan = f"there is no plan in it: the planner says {says}" if says else f"not a plan; valid: {_VALID}"
        raise InputError(f"{where}: {no_plan}")
    return replace(read, format="skills", notes=(*which_of(plans, "first"), *read.notes))


def _load_json(source: Source) -> Any:
    """The value of a JSON text; InputError with its place, also for NaN, infinity and a key said twice."""
    try:
        return json.loads(source.text, parse_constant=_no_number, object_pairs_hook=_once)
    except json.JSONDecodeError as e:
        raise InputError(f"{source.name}:{e.lineno}:{e.colno}: not JSON: {e.msg}") from e
    except RecursionError as e:
        raise InputError(f"{source.name}: nested too deeply") from e
    except ValueError as e:  # what the hooks raise, and a number of thousands of digits
        raise InputError(f"{source.name}: not JSON: {e}") from e


def _says_none(value: dict[str, Any]) -> str:
    """What in an object says that there is no plan, empty where nothing does."""
    return next((repr(v[:80]) for v in value.values() if isinstance(v, str) and _NONE.search(v)), "")


def _step(item: Any, where: str) -> Step | str:
    """A step of a list, or why it is none."""
    if isinstance(item, str):
        return _written(item, item, where)
    key = _key(item, _NAMES, str)
    start, duration = (_key(item, keys, (int, float, str)) for keys in (_TIMES, _DURATIONS))
    arguments = _key(item, _ARGUMENTS, (list, dict))
    if key is None or (arguments is None and "(" not in item[key]):
        return _no_step(item, where)
    timed = f"{item[start]}: " if start else "", f" [{item[duration]}]" if duration else ""
    if arguments is None:
        return _written(f"{timed[0]}{item[key]}{timed[1]}", item, where)
    args = item[arguments]
    words = list(args.values()) if isinstance(args, dict) else args
    if not all(isinstance(w, str) for w in words):
        return f'{where}: "{arguments}" are names of objects, by parameter or in order'
    step = _written(f"{timed[0]}({' '.join((item[key], *words))}){timed[1]}", item, where)
    if isinstance(args, list) or isinstance(step, str):
        return step
    return replace(step, args=(), named={k.lower(): v.lower() for k, v in args.items()})


def _written(text: str, item: Any, where: str) -> Step | str:
    """The one step of a text, also without parentheses; or why it is none."""
    bare = re.fullmatch(r"\s*[^\W\d][^\s()\[\]:;]*(?:\s+[^\s()\[\]:;]+)*\s*", text)
    try:
        steps = read_text(Source(where, f"({text})" if bare else text)).steps
    except InputError as e:
        return str(e)
    return replace(steps[0], line=None) if len(steps) == 1 else _no_step(item, where)


def _key(value: Any, keys: tuple[str, ...], kind: Any) -> str | None:
    """The first of these keys of an object whose value is of a kind."""
    return next((k for k in keys if isinstance(value, dict) and isinstance(value.get(k), kind)), None)


def _no_step(item: Any, where: str) -> str:
    shown = json.dumps(item, ensure_ascii=False)
    return f'{where} is {shown[:80]}; valid: {{"skill": "pick", "args": {{…}}}} or "(pick cup bench)"'


def _no_number(word: str) -> Any:
    raise ValueError(f"{word} is no number")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        twice = next(k for i, (k, _) in enumerate(pairs) if k in [p for p, _ in pairs[:i]])
        raise ValueError(f"{twice!r} is said twice in one object")
    return value
