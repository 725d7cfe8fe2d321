"""Plans as JSON: the skill sequence that a language model writes, and what `tamp plan --json` prints."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

from tamp.errors import InputError
from tamp.pddl.source import Source
from tamp.plans.lines import read_lines
from tamp.plans.steps import PlanFile, Step, read_steps


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


def read_skills(source: Source) -> PlanFile:
    """A list of `{"skill": …, "args": {…}}`, by parameter or in order; or an object with such a list, or with
    steps as PDDL, as its `plan`. InputError for what is no such list, BadPlan with every step that is none."""
    value = load_json(source)
    steps = value.get("plan") if isinstance(value, dict) else value
    if not isinstance(steps, list):
        valid = '[{"skill": "pick", "args": {"o": "cup"}}, …], or an object with that as its "plan"'
        raise InputError(f"{source.name}: not a plan; valid: {valid}")
    return read_steps(source.name, "skills", (partial(_step, s, n, source.name) for n, s in enumerate(steps, 1)))


def _step(said: Any, number: int, name: str) -> Step:
    if isinstance(said, str) and len(read := read_lines(Source(f"{name}: step {number}", said)).steps) == 1:
        return read[0]
    if not isinstance(said, dict) or said.keys() != {"skill", "args"} or not isinstance(said["skill"], str):
        shown = json.dumps(said, ensure_ascii=False)
        raise InputError(f'{name}: step {number} is {shown[:80]}; valid: {{"skill": "pick", "args": {{…}}}}')
    args = said["args"]
    words = list(args.values()) if isinstance(args, dict) else args
    if not isinstance(words, list) or not all(isinstance(w, str) for w in words):
        raise InputError(f'{name}: step {number}: "args" are names of objects, by parameter or in order')
    named = {k.lower(): v.lower() for k, v in args.items()} if isinstance(args, dict) else None
    return Step(said["skill"].lower(), () if named else tuple(w.lower() for w in words), None, named)


def _no_number(word: str) -> Any:
    raise ValueError(f"{word} is no number")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        twice = next(k for i, (k, _) in enumerate(pairs) if k in [p for p, _ in pairs[:i]])
        raise ValueError(f"{twice!r} is said twice in one object")
    return value
