"""Where data is: shipped domains and problems, in the installed package or a checkout, and the user's cache."""

from __future__ import annotations

import difflib
import os
from pathlib import Path

from tamp.errors import InputError


def data_dir(kind: str) -> Path:
    """Folder of shipped data; `kind` is `domains` or `problems`."""
    package = Path(__file__).parent
    shipped = package / "_shipped" / kind
    return shipped if shipped.is_dir() else package.parent / kind


def located(given: Path | str, what: str = "", *endings: str, folder: str = "*") -> Path:
    """The file or folder that is there, or else the shipped one that is meant: by its path as the documentation has it
    (`problems/xarm/bench.toml`), or by its name without one of the `endings` (`bench`), in a folder of `problems/`.

    InputError for a name that no shipped one has. A path that leads nowhere is returned as it is: whoever reads it
    says so.
    """
    path, problems = Path(given), data_dir("problems")
    if path.exists() and not (endings and path.is_dir()):
        return path
    if path.parts[:1] == ("problems",) and (there := problems.joinpath(*path.parts[1:])).exists():
        return there
    if not endings or path.suffix or path.name != str(given) or path.name == "-":
        return path
    known = {_named(f, what): f for ending in endings for f in sorted(problems.glob(f"{folder}/*{ending}"))}
    if path.name in known or path.is_dir():
        return known.get(path.name, path)
    near = difflib.get_close_matches(path.name, known, 1)
    meant = f"did you mean {near[0]!r}? " if near else ""
    shipped = ", ".join(sorted(known))
    else_where = _OF_SCENES if what == "problem" else ""
    raise InputError(
        f"no {what} {path.name!r}; {meant}valid: a file, or the name of a shipped one: {shipped}{else_where}"
    )


_OF_SCENES = "; the problem of a scene is problem.pddl in the folder of its episode"


def _named(file: Path, what: str) -> str:
    """What a shipped file is called: by its folder where its own name says only what it is."""
    return file.parent.name if file.stem == what else file.stem


def cache_folder(name: str, variable: str) -> Path:
    """The folder `tamp/NAME` in the user's cache, or the one that an environment variable names."""
    if chosen := os.environ.get(variable):
        return Path(chosen).expanduser()
    cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(cache).expanduser() / "tamp" / name
