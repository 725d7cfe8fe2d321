"""Plans as JSON: the skill sequence that a language model writes, and what `tamp plan --json` and planners print."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import partial
from typing import Any

from tamp.errors import InputError
from tamp.files.source import Source
from tamp.pddl.plan_file import PlanFile, Step, read_steps
from tamp.pddl.text_plans import read_text, which_of

_WITHIN = ("plan", "actions", "plans", "result", "output", "sas_plan", "stdout")
"""Where in an object a plan is, the nearest first: of tamp, of planners' services, of planners of several plans."""
_NAMES, _ARGUMENTS = ("skill", "name", "action", "operator"), ("args", "arguments", "parameters")
_TIMES, _DURATIONS = ("time", "start", "start_time"), ("duration",)
_NONE = re.compile(
    r"unsolvable|time[d ]?-?out|fail|error|gave up|unsupported|invalid|no.(?:plan|solution)", re.IGNORECASE
)
_VALID = '[{"skill": "pick", "args": {"o": "cup"}}, …], ["(pick cup bench)", …], or an object with that as its "plan"'


def load_json(source: Source) -> Any:
    """The value of a JSON text; InputError with its place, also for NaN, infinity and a key said twice."""
    try:
        return json.loads(source.text, parse_constant=_no_number, object_pairs_hook=_once)
    except json.JSONDecodeError as e:
        raise InputError(f"{source.name}:{e.lineno}:{e.colno}: not JSON: {e.msg}") from e
    except RecursionError as e:
        raise InputError(f"{source.name}: nested too deeply") from e
    except ValueError as e:  # what the hooks raise, and a number of thousands of digits
        raise InputError(f"{source.name}: not JSON: {e}") from e


def read_json(source: Source) -> PlanFile:
    """The plan of a JSON text: a list of steps, or an object that has it, maybe as a text, where planners put it; of
    several plans the first. A step is PDDL or an object with a name and arguments, by parameter or in order.

    InputError for what is no such list and for the answer that there is no plan, BadPlan with every step that is none.
    """
    value, where, plans = load_json(source), source.name, 1
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
        read = read_steps(source.name, "skills", (partial(_step, s, n, source.name) for n, s in enumerate(value, 1)))
    else:
        says = _says_none(value) if isinstance(value, dict) else ""
        no_plan = f"there is no plan in it: the planner says {says}" if says else f"not a plan; valid: {_VALID}"
        raise InputError(f"{where}: {no_plan}")
    return replace(read, format="skills", notes=(*which_of(plans, "first"), *read.notes))


def _says_none(value: dict[str, Any]) -> str:
    """What in an object says that there is no plan, empty where nothing does."""
    return next((repr(v[:80]) for v in value.values() if isinstance(v, str) and _NONE.search(v)), "")


def _step(said: Any, number: int, name: str) -> Step:
    where = f"{name}: step {number}"
    if isinstance(said, str):
        return _written(said, where)
    key = _key(said, _NAMES, str)
    if key is None:
        raise _no_step(said, where)
    start, duration = (_key(said, keys, (int, float, str)) for keys in (_TIMES, _DURATIONS))
    timed = f"{said[start]}: " if start else "", f" [{said[duration]}]" if duration else ""
    arguments = _key(said, _ARGUMENTS, (list, dict))
    if arguments is None:
        if "(" not in said[key]:
            raise _no_step(said, where)
        return replace(_written(f"{timed[0]}{said[key]}{timed[1]}", where), line=None)
    args = said[arguments]
    words = list(args.values()) if isinstance(args, dict) else args
    if not all(isinstance(w, str) for w in words):
        raise InputError(f'{where}: "{arguments}" are names of objects, by parameter or in order')
    step = _written(f"{timed[0]}({' '.join((said[key], *words))}){timed[1]}", where)
    named = {k.lower(): v.lower() for k, v in args.items()} if isinstance(args, dict) else None
    return replace(step, line=None, args=() if named else step.args, named=named)


def _written(said: str, where: str) -> Step:
    """The one step of a text, also without parentheses."""
    bare = re.fullmatch(r"\s*[^\W\d][^\s()\[\]:;]*(?:\s+[^\s()\[\]:;]+)*\s*", said)
    steps = read_text(Source(where, f"({said})" if bare else said)).steps
    if len(steps) != 1:
        raise _no_step(said, where)
    return replace(steps[0], line=None)


def _key(said: Any, keys: tuple[str, ...], kind: Any) -> str | None:
    """The first of these keys of an object whose value is of a kind."""
    return next((k for k in keys if isinstance(said, dict) and isinstance(said.get(k), kind)), None)


def _no_step(said: Any, where: str) -> InputError:
    shown = json.dumps(said, ensure_ascii=False)
    return InputError(f'{where} is {shown[:80]}; valid: {{"skill": "pick", "args": {{…}}}} or "(pick cup bench)"')


def _no_number(word: str) -> Any:
    raise ValueError(f"{word} is no number")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        twice = next(k for i, (k, _) in enumerate(pairs) if k in [p for p, _ in pairs[:i]])
        raise ValueError(f"{twice!r} is said twice in one object")
    return value
