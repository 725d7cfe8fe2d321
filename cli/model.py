"""`tamp model`: list the known weights and fetch them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict

from cli.output import Output, console, say
from tamp.api import models
from tamp.api.tool_configs import ListModelsConfig, PullConfig


def list_models(config: ListModelsConfig, out: Output) -> int:
    """Print what can be pulled, and what is there."""
    known, folder = models.known(), models.folder()
    lines = [*map(_line, known), f"in {folder}"]
    out.answer({"folder": str(folder), "models": [asdict(m) for m in known]}, lines)
    return 0


def _line(model: models.KnownModel) -> str:
    size = f"{model.bytes / 1e9:.2f} GB  " if model.bytes else ""
    default, vision = ", the default" if model.default else "", ", sees" if model.vision else ""
    return f"{model.name}  {size}{model.state}{default}{vision}"


def pull(config: PullConfig, out: Output) -> int:
    """Fetch a model unless it is there, and print its path."""
    with _progress() as progress:
        model = models.pull(config.name, verify=config.verify, progress=progress, say=say)
    about = {"name": config.name, "path": model.path, "bytes": model.bytes, "sha256": model.sha256}
    out.answer(about, [f"{model.path}"])
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
    reported = 0

    def progress(done: int, total: int) -> None:
        nonlocal reported
        tenth = 10 * done // total
        if tenth != reported:
            reported = tenth
            say(f"  {tenth * 10} % of {total / 1e9:.2f} GB")

    return progress
