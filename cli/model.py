"""`tamp model`: list the known weights and fetch them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict

from cli.output import console, emit_json, say
from tamp.api import models
from tamp.quiet import quiet_stdout


def list_models(json_output: bool) -> int:
    """Print what can be pulled, and what is there."""
    found, folder = models.known(), models.folder()
    with quiet_stdout() as out:
        if json_output:
            emit_json({"folder": str(folder), "models": [asdict(m) for m in found]}, out)
            return 0
        for model in found:
            default = ", the default" if model.default else ""
            size = f"{model.bytes / 1e9:.2f} GB  " if model.bytes else ""
            vision = ", sees" if model.vision else ""
            out.write(f"{model.name}  {size}{model.state}{default}{vision}\n")
        out.write(f"in {folder}\n")
    return 0


def pull(name: str, verify: bool, json_output: bool) -> int:
    """Fetch a model unless it is there, and print its path."""
    with quiet_stdout() as out:
        with _progress() as progress:
            model = models.pull(name, verify=verify, progress=progress, say=say)
        if json_output:
            emit_json({"name": name, "path": model.path, "bytes": model.bytes, "sha256": model.sha256}, out)
        else:
            out.write(f"{model.path}\n")
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
