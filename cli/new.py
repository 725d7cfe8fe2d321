"""`tamp new`: templates that run, the files that were written, and what to type next."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from cli.output import Output
from tamp.api import templates
from tamp.api.templates import Written
from tamp.api.tool_configs import NewConfig


def new(config: NewConfig, out: Output) -> int:
    """Write the files, and say what to type next."""
    made = templates.new(config.kind, config.name, config.folder)
    following = _scene_next(made) if config.kind == "scene" else _domain_next(made)
    about = {"written": made.written, "changed": made.changed, "notes": made.notes, "next": following}
    out.answer(about, _lines(made, following))
    return 0


def _lines(made: Written, following: list[str]) -> Iterator[str]:
    for path in made.written:
        yield f"wrote    {path}"
    for path in made.changed:
        yield f"changed  {path}"
    for remark in made.notes:
        yield f"note     {remark}"
    for n, command in enumerate(following):
        yield f"{'' if n else 'next':9}{command}"


def _domain_next(made: Written) -> list[str]:
    folder = shlex.quote(str(made.folder))
    tried = [] if made.goal is None else [f'tamp solve --goal "{made.goal}" --domain {folder}']
    return [f"tamp check {folder}", f"tamp test {folder}", *tried]


def _scene_next(made: Written) -> list[str]:
    bare = len(made.folder.parts) == 1  # a name alone is one of the shipped scenes
    said = shlex.quote(f"./{made.folder}" if bare else str(made.folder))
    return [f"tamp scene show {said}", f'tamp solve --goal "{made.goal}" --scene {said}']
