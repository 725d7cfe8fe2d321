"""`tamp model`: list the known weights and fetch them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from cli.output import console, emit_json, say
from llm import hub, weights
from tamp.errors import InputError
from tamp.quiet import quiet_stdout


def list_models(json_output: bool) -> int:
    """Print what can be pulled, and what is there."""
    models = [*map(_describe, weights.MODELS), *map(_recommend, hub.CHOICES)]
    with quiet_stdout() as out:
        if json_output:
            emit_json({"folder": str(weights.models_dir()), "models": models}, out)
            return 0
        for model in models:
            default = ", the default" if model["default"] else ""
            size = f"{float(str(model['bytes'])) / 1e9:.2f} GB  " if model["bytes"] else ""
            vision = ", sees" if model["vision"] else ""
            out.write(f"{model['name']}  {size}{model['state']}{default}{vision}\n")
        out.write(f"in {weights.models_dir()}\n")
    return 0


def _describe(model: weights.Model) -> dict[str, object]:
    try:
        path, state = str(weights.find(model.name)), "present"
    except InputError:
        path = None
        state = "broken" if weights.path_of(model).exists() else "missing"
    return {
        "name": model.name,
        "default": model.name == weights.DEFAULT,
        "state": state,
        "path": path,
        "bytes": model.size,
        "sha256": model.sha256,
        "vision": False,
    }


def _recommend(model: hub.HubModel) -> dict[str, object]:
    """A model of the hub, in the same fields; whether it was fetched is the hub library's to know."""
    unknown = dict.fromkeys(("path", "bytes", "sha256"))
    return {"name": model.name, "default": False, "state": "hub", **unknown, "vision": model.vision}


def pull(name: str, verify: bool, json_output: bool) -> int:
    """Fetch a model unless it is there, and print its path."""
    if hub.is_name(name):
        return _pull_from_hub(name, verify, json_output)
    with quiet_stdout() as out:
        with _progress() as progress:
            path = weights.pull(name, progress, verify=verify, say=say)
        model = weights.known(name)
        if json_output:
            emit_json({"name": name, "path": path, "bytes": model.size, "sha256": model.sha256}, out)
        else:
            out.write(f"{path}\n")
    return 0


def _pull_from_hub(name: str, verify: bool, json_output: bool) -> int:
    if verify:
        raise InputError(f"--verify is for weights whose sha256 is known here, {name} is not; see: tamp model list")
    with quiet_stdout() as out:
        say(f"{name}: asking the hub")
        path = hub.pull(name)
        if json_output:
            emit_json({"name": name, "path": path, "bytes": None, "sha256": None}, out)
        else:
            out.write(f"{path}\n")
    return 0


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    """A bar on a terminal, otherwise a line for every tenth."""
    if not sys.stderr.isatty():
        yield _tenths()
        return
    from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn

    columns = (BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console(), transient=True) as bar:
        task = bar.add_task("", start=True, visible=False)
        yield lambda done, total: bar.update(task, completed=done, total=total, visible=True)


def _tenths() -> Callable[[int, int], None]:
    said = 0

    def progress(done: int, total: int) -> None:
        nonlocal said
        tenth = 10 * done // total
        if tenth != said:
            said = tenth
            say(f"  {tenth * 10} % of {total / 1e9:.2f} GB")

    return progress
