"""`tamp new`: templates that run, the files that were written, and what to type next."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli import options as opt
from cli.output import emit_json
from tamp.quiet import quiet_stdout

if TYPE_CHECKING:
    from tamp.api.templates import Kind, Written

new_app = typer.Typer(help="Templates that run: a domain, a skill, an observer, a scene.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="Small letters, digits, - and _, a letter first.", metavar="NAME")]
Place = Annotated[Path, typer.Option("--in", help="The folder in which NAME is made.", metavar="DIR")]
Folder = Annotated[Path, typer.Option("--domain", help="A folder with a domain.pddl.", metavar="DIR")]
HERE = Path()


@opt.command(new_app)
def domain(name: Name, place: Place = HERE, json_output: opt.Json = False) -> int:
    """Write a domain folder that runs.

    It can do all that the tabletop domain can, and one thing of its own, which is there to be changed.
    """
    return _begin("domain", name, place, json_output)


@opt.command(new_app)
def skill(name: Name, folder: Folder = HERE, json_output: opt.Json = False) -> int:
    """Add a skill to a domain folder.

    Its motion, an operator that is bound to it, a predicate that this makes true, its observer, and a case.
    """
    return _begin("skill", name, folder, json_output)


@opt.command(new_app)
def observer(name: Name, folder: Folder = HERE, json_output: opt.Json = False) -> int:
    """Add an observer of a predicate to a domain folder.

    Where the domain has no such predicate, it too, an operator that makes it true, and a case.
    """
    return _begin("observer", name, folder, json_output)


@opt.command(new_app)
def scene(name: Name, place: Place = HERE, json_output: opt.Json = False) -> int:
    """Write a folder with a scene.toml.

    Two things on a table, an instruction, and a goal.
    """
    return _begin("scene", name, place, json_output)


def _begin(kind: Kind, name: str, place: Path, json_output: bool) -> int:
    from tamp.api.templates import new

    made = new(kind, name, place)
    following = _scene_next(made) if kind == "scene" else _domain_next(made)
    with quiet_stdout() as stdout:
        if json_output:
            data = {"written": made.written, "changed": made.changed, "notes": made.notes, "next": following}
            emit_json(data, stdout)
            return 0
        stdout.writelines(f"wrote    {path}\n" for path in made.written)
        stdout.writelines(f"changed  {path}\n" for path in made.changed)
        stdout.writelines(f"note     {note}\n" for note in made.notes)
        stdout.writelines(f"{'' if n else 'next':9}{command}\n" for n, command in enumerate(following))
    return 0


def _domain_next(made: Written) -> list[str]:
    folder = shlex.quote(str(made.folder))
    tried = [] if made.goal is None else [f'tamp solve --goal "{made.goal}" --domain {folder}']
    return [f"tamp check {folder}", f"tamp test {folder}", *tried]


def _scene_next(made: Written) -> list[str]:
    bare = len(made.folder.parts) == 1  # a name alone is one of the shipped scenes
    folder = shlex.quote(f"./{made.folder}" if bare else str(made.folder))
    return [f"tamp scene show {folder}", f'tamp solve --goal "{made.goal}" --scene {folder}']
