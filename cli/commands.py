"""How a command is made of its config: options from the fields, help from the docstring."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import MISSING, Field, dataclass
from importlib import import_module
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import typer

from cli.output import Output, run, say
from tamp.api.options import Option, declared, flag_of
from tamp.quiet import quiet_stdout

JSON = "One JSON object on standard output, nothing else."


@dataclass(frozen=True)
class CommandEntry:
    """A command: how it is called, what it is asked by, and the function `module:name` that runs it.

    The function takes the config and an `Output`, and returns the exit code; its module is imported when it runs.
    `owns_stdout`: what the function starts writes the answer by itself. `json` is the help of --json, empty without it.
    """

    name: str
    config: type
    runs: str
    json: str = JSON
    owns_stdout: bool = False

    def __call__(self, **typed: Any) -> None:
        """Run it with what was typed, and exit."""
        raise typer.Exit(run(lambda: self._run(typed.pop("json", False), typed), self.name))

    def _run(self, json: bool, typed: dict[str, Any]) -> int:
        left_out = {field.name for field, _, _ in declared(self.config) if field.default is True}
        given = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in typed.items()
            if value not in (None, [])
        }
        config = self.config(**{name: not v if name in left_out else v for name, v in given.items()})
        usual = "fast-downward"
        if typed.get("planner", usual) is None and config.planner != usual:  # none was named, and the usual lacks
            say(f'tamp: {usual} is not installed, {config.planner} plans instead: pip install "tamp-toolkit[{usual}]"')
        module, _, name = self.runs.partition(":")
        function = getattr(import_module(module), name)
        if self.owns_stdout:
            return int(function(config, Output(None, json)))
        with quiet_stdout() as stdout:
            return int(function(config, Output(stdout, json)))


def add(app: typer.Typer, command: CommandEntry) -> None:
    """Make a command one of an app, under the last word of its name."""
    parameters = [_parameter(*each) for each in declared(command.config) if not each[2].python_only]
    if command.json:
        wanted = Annotated[bool, typer.Option("--json", help=command.json)]
        parameters.append(inspect.Parameter("json", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=wanted))

    def called(**typed: Any) -> None:
        command(**typed)

    called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {p.name: p.annotation for p in parameters}
    app.command(command.name.split()[-1], help=inspect.getdoc(command.config))(called)


def _parameter(field: Field[Any], kind: Any, option: Option) -> inspect.Parameter:
    """A field as typer takes it: None where it is not given and its default is empty or found out."""
    kind, default = _typed(kind), field.default
    if default is MISSING and field.default_factory is MISSING:
        default = inspect.Parameter.empty
    elif default in (MISSING, ()):
        default, kind = None, kind | None
    elif kind is bool:
        default = False
    how: dict[str, Any] = {"help": option.help, "metavar": option.metavar, "min": option.min, "max": option.max}
    if option.positional:
        info = typer.Argument(**how)
    else:
        info = typer.Option(flag_of(field, option), **how, show_default=option.default or True)
    return inspect.Parameter(
        field.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, info]
    )


def _typed(kind: Any) -> Any:
    """The type of what is typed for a field: of a union its first member, of a sequence a list."""
    if get_origin(kind) in (Union, UnionType):
        members = [m for m in get_args(kind) if m is not type(None)]
        several = next((m for m in members if get_origin(m) is Sequence), None)
        one = _typed(several or members[0])
        return one | None if type(None) in get_args(kind) and get_origin(one) is not Literal else one
    return list[get_args(kind)[0]] if get_origin(kind) is Sequence else kind  # type: ignore[misc]
