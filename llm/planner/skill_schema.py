"""Plans as JSON: the schema that a domain and its objects give, its regular expression, and reading an answer."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import Any

from tamp.model.atoms import GroundAction

LONGEST = 10
"""Skills of a plan at most."""

Arguments = dict[str, list[str]]
"""For each parameter, the objects that may be said."""

_SPACE = "[ ]?"
"""Between the tokens of JSON: what a model writes of itself, never a run of blanks."""


class SchemaError(Exception):
    """What is wrong with a step: `kind` is `json` when it is none, `unknown` for a name there is not."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def plan_schema(problem: Any) -> dict[str, Any]:
    """JSON Schema of a plan for unified-planning's own Problem."""
    return {"type": "array", "items": step_schema(problem), "maxItems": LONGEST}


def step_schema(problem: Any, without: Collection[GroundAction] = ()) -> dict[str, Any]:
    """JSON Schema of one step: an operator and, for each of its parameters, an object of that type.

    Whether the step is possible then is not the schema's to say; the validator gives a reason that can be learnt
    from. `without` are steps that it refused already.
    """
    choices = [
        (a.name, arguments)
        for a in problem.actions
        for arguments in _all_but(
            {p.name: _objects(problem, p.type) for p in a.parameters}, [w.args for w in without if w.name == a.name]
        )
    ]
    return {"anyOf": [_step(name, arguments) for name, arguments in choices]}


def step_pattern(schema: dict[str, Any]) -> str:
    """The regular expression of a step."""
    from outlines.types.dsl import JsonSchema, to_regex

    return str(to_regex(JsonSchema(schema, whitespace_pattern=_SPACE)))


def only(action: GroundAction, problem: Any) -> dict[str, Any]:
    """JSON Schema of this one step."""
    parameters = problem.action(action.name).parameters
    return _step(action.name, {p.name: [a] for p, a in zip(parameters, action.args, strict=True)})


def written(action: GroundAction, problem: Any) -> str:
    """A step as JSON."""
    names = [p.name for p in problem.action(action.name).parameters]
    return json.dumps({"skill": action.name, "args": dict(zip(names, action.args, strict=True))})


def read_step(text: str, problem: Any) -> GroundAction:
    """The step that a JSON text is. SchemaError where a model was not held to the schema and broke it."""
    try:
        step = json.loads(text)
    except json.JSONDecodeError as e:
        raise SchemaError("json", f"{_short(text)} is not JSON: {e.msg}, column {e.colno}") from e
    if not _is_step(step):
        raise SchemaError("json", f'{_short(text)} is no step; write {{"skill": …, "args": {{…}}}}')
    operators = {a.name: a for a in problem.actions}
    if step["skill"] not in operators:
        raise SchemaError("unknown", f"there is no skill {step['skill']!r}; there are: {', '.join(operators)}")
    parameters = operators[step["skill"]].parameters
    wanted = [p.name for p in parameters]
    if sorted(step["args"]) != sorted(wanted):
        raise SchemaError("unknown", f"{step['skill']} takes {', '.join(wanted) or 'nothing'}, not {_short(text)}")
    for p in parameters:
        given, some = step["args"][p.name], _objects(problem, p.type)
        if given not in some:
            raise SchemaError("unknown", f"{step['skill']}: {p.name} cannot be {given!r}; it can be: {', '.join(some)}")
    return GroundAction(step["skill"], tuple(step["args"][name] for name in wanted))


def _is_step(said: Any) -> bool:
    return (
        isinstance(said, dict)
        and said.keys() == {"skill", "args"}
        and isinstance(said["skill"], str)
        and isinstance(said["args"], dict)
    )


def _objects(problem: Any, kind: Any) -> list[str]:
    return [o.name for o in problem.objects(kind)]


def _all_but(choices: Arguments, refused: list[tuple[str, ...]]) -> list[Arguments]:
    """Choices of arguments that together are all of `choices` but those refused; none of them is empty.

    For each refused one: as it is up to some parameter, another there, and anything after.
    """
    left = [choices]
    for given in refused:
        left = [part for some in left for part in _split(some, dict(zip(choices, given, strict=True)))]
    return [some for some in left if all(some.values())]


def _split(choices: Arguments, given: dict[str, str]) -> list[Arguments]:
    if any(value not in choices[name] for name, value in given.items()):
        return [choices]
    names = list(choices)
    return [
        {n: [given[n]] for n in names[:i]}
        | {name: [o for o in choices[name] if o != given[name]]}
        | {n: choices[n] for n in names[i + 1 :]}
        for i, name in enumerate(names)
    ]


def _step(name: str, arguments: Arguments) -> dict[str, Any]:
    return _object({"skill": {"const": name}, "args": _object({p: {"enum": some} for p, some in arguments.items()})})


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _short(text: str) -> str:
    one_line = re.sub(r"\s+", " ", text.strip())
    return one_line if len(one_line) <= 80 else f"{one_line[:79]}…"
