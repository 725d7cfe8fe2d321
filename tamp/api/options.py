"""How a field of a command's config is an option: one declaration for the command line, Python's keywords and docs."""

from __future__ import annotations

import functools
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import MISSING, Field, dataclass, fields
from typing import Annotated, Any, ParamSpec, TypeVar, get_args, get_origin, get_type_hints

P = ParamSpec("P")
C = TypeVar("C")
R = TypeVar("R")


@dataclass(frozen=True)
class Option:
    """What the command line says of a field: its `help`, and what the value is called there.

    `flag` is how it is typed, by default the field's name, or `--no-NAME` of a field that is true by default;
    `positional` ones have none. `min` and `max` bound a number. `default` is shown for a default that is found out.
    Some are for Python alone.
    """

    help: str
    metavar: str | None = None
    flag: str | None = None
    positional: bool = False
    min: float | None = None
    max: float | None = None
    default: str | None = None
    python_only: bool = False


def declared(config: type) -> Iterator[tuple[Field[Any], Any, Option]]:
    """The fields of a config that are options, in their order, with their types."""
    hints = get_type_hints(config, include_extras=True)
    for field in fields(config):
        if get_origin(hint := hints[field.name]) is Annotated:
            kind, option = get_args(hint)
            yield field, kind, option


def flag_of(field: Field[Any], option: Option) -> str:
    """How an option is typed."""
    return option.flag or f"--{'no-' if field.default is True else ''}{field.name.replace('_', '-')}"


def given(config: Any) -> dict[str, str]:
    """The fields of a config that have another value than their default, and how each is typed."""
    return {
        field.name: flag_of(field, option)
        for field, _, option in declared(type(config))
        if not option.python_only and getattr(config, field.name) != default_of(field)
    }


def default_of(field: Field[Any]) -> Any:
    """What a field is where it is not given; `MISSING` where it has to be."""
    return field.default if field.default_factory is MISSING else field.default_factory()


def keywords(config: Callable[P, C]) -> Callable[[Callable[[C], R]], Callable[P, R]]:
    """Let a function of a config take the config's fields as its parameters; its docstring gets their `Args:`."""

    def decorate(function: Callable[[C], R]) -> Callable[P, R]:
        @functools.wraps(function)
        def called(*args: P.args, **options: P.kwargs) -> R:
            return function(config(*args, **options))

        hints = get_type_hints(config)
        signature = inspect.signature(config)
        taken = [p.replace(annotation=hints[name]) for name, p in signature.parameters.items()]
        result = inspect.signature(function).return_annotation
        called.__signature__ = signature.replace(parameters=taken, return_annotation=result)  # type: ignore[attr-defined]
        called.__doc__ = _with_args(inspect.getdoc(function) or "", config)
        return called

    return decorate


def _with_args(doc: str, config: Any) -> str:
    """A docstring with a section on the fields of a config, which are named as in Python, before what it says of the
    result."""
    before, returns, after = doc.partition("Returns:\n")
    flags = {flag_of(field, option): f"`{field.name}`" for field, _, option in declared(config)}
    named = re.compile("|".join(map(re.escape, sorted(flags, key=len, reverse=True))))
    helps = [
        f"{field.name}: {named.sub(lambda found: flags[found[0]], option.help)}"
        for field, _, option in declared(config)
    ]
    lines = [textwrap.fill(text, 116, subsequent_indent="    ") for text in helps]
    return f"{before}Args:\n{textwrap.indent(chr(10).join(lines), '    ')}\n\n{returns}{after}"
