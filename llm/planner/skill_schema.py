"""Plans as JSON: the schema of a step that a domain and its objects give, its regular expression, and reading it."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import Any

from tamp.model.atoms import GroundAction
from tamp.pddl.simulation import Fault

LONGEST = 10
"""Skills of a plan at most."""

_SPACE = "[ ]?"
"""Between the tokens of JSON: what a model writes of itself, never a run of blanks."""


def step_schema(problem: Any, without: Collection[GroundAction] = ()) -> dict[str, Any]:
    """JSON Schema of one step: an operator and, for each of its parameters, an object of that type.

    Whether the step is possible then is not the schema's to say; the validator gives a reason that can be learnt
    from. `without` are steps that it refused already.
    """
    steps = []
    for action in problem.actions:
        choices = [(p.name, _objects(problem, p.type)) for p in action.parameters]
        for arguments in _all_but(choices, {w.args for w in without if w.name == action.name}):
            args = _object({name: {"enum": objects} for name, objects in arguments.items()})
            steps.append(_object({"skill": {"const": action.name}, "args": args}))
    return {"anyOf": steps}


def step_pattern(schema: dict[str, Any]) -> str:
    """The regular expression of a step."""
    from outlines.types.dsl import JsonSchema, to_regex

    return str(to_regex(JsonSchema(schema, whitespace_pattern=_SPACE)))


def written(action: GroundAction, problem: Any) -> str:
    """A step as JSON."""
    names = [p.name for p in problem.action(action.name).parameters]
    return json.dumps({"skill": action.name, "args": dict(zip(names, action.args, strict=True))})


def read_step(text: str, problem: Any) -> GroundAction | Fault:
    """The step that a JSON text is. Where a model was not held to the schema and broke it, a Fault: its kind is `json`
    when the text is no step, `unknown` for a name there is not."""
    try:
        step = json.loads(text)
    except json.JSONDecodeError as e:
        return Fault("json", f"{_short(text)} is not JSON: {e.msg}, column {e.colno}")
    match step:
        case {"skill": str(name), "args": dict(args), **more} if not more:
            pass
        case _:
            return Fault("json", f'{_short(text)} is no step; write {{"skill": …, "args": {{…}}}}')
    operators = {a.name: a for a in problem.actions}
    if name not in operators:
        return Fault("unknown", f"there is no skill {name!r}; there are: {', '.join(operators)}")
    wanted = {p.name: _objects(problem, p.type) for p in operators[name].parameters}
    if args.keys() != wanted.keys():
        return Fault("unknown", f"{name} takes {', '.join(wanted) or 'nothing'}, not {_short(text)}")
    for parameter, objects in wanted.items():
        if args[parameter] not in objects:
            valid = ", ".join(objects)
            return Fault("unknown", f"{name}: {parameter} cannot be {args[parameter]!r}; it can be: {valid}")
    return GroundAction(name, tuple(args[parameter] for parameter in wanted))


def _objects(problem: Any, kind: Any) -> list[str]:
    return [o.name for o in problem.objects(kind)]


def _all_but(choices: list[tuple[str, list[str]]], refused: set[tuple[str, ...]]) -> list[dict[str, list[str]]]:
    """Objects by parameter, several times: together they are all `choices` but the `refused` arguments.

    An object that no refused arguments begin with may be followed by anything, another one by all but what follows it.
    """
    if not choices:
        return [] if refused else [{}]
    (name, objects), *rest = choices
    begin = sorted({args[0] for args in refused})
    ways = [([o for o in objects if o not in begin], set[tuple[str, ...]]())]
    ways += [([o], {args[1:] for args in refused if args[0] == o}) for o in begin]
    return [{name: some} | part for some, left in ways if some for part in _all_but(rest, left)]


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _short(text: str) -> str:
    one_line = re.sub(r"\s+", " ", text.strip())
    return one_line if len(one_line) <= 80 else f"{one_line[:79]}…"
