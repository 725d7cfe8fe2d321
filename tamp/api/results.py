"""What episodes came to, from what they left behind."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tamp.runs.endings import Ending
    from tamp.runs.text_table import Form

COLUMNS = ("episode", "asked", "verdict", "reached", "task", "perception", "steps", "seconds", "failure")

LONGEST = 60
"""Characters shown of what was asked for in a table of text; the other forms have it whole."""


def results(*paths: str | Path) -> tuple[Ending, ...]:
    """Read how episodes ended, from their logs.

    Args:
        paths: Folders of episodes, folders of such folders, or `episode.jsonl` files. Each log is read once.

    Returns:
        An ending for each episode: what was `said` and the `goal` of it, the `verdict` (`success`, `no`, `interrupted`
        or `error`), `steps`, `seconds`, and the `stage` and `reason` of what is no success. A run that was killed has
        one, too, as far as its log goes.

    Raises:
        InputError: For a path without a log, and for what is no log.

    >>> import tamp
    >>> tamp.results("no/such/episode")
    Traceback (most recent call last):
        ...
    tamp.errors.InputError: ...
    """
    from tamp.runs.endings import read_ending
    from tamp.runs.episode_log import logs

    found = dict.fromkeys(log.resolve() for path in paths for log in logs(Path(path)))
    return tuple(map(read_ending, found))


def table(endings: Sequence[Ending], form: Form) -> str:
    """How episodes ended as a table, a row for each."""
    from tamp.runs.text_table import TextTable

    rows = tuple(_cells(e, LONGEST if form == "text" else None) for e in endings)
    return TextTable(COLUMNS, rows, "llllllrrl").written(form)


def _cells(e: Ending, longest: int | None) -> tuple[str, ...]:
    asked = e.said or (", then ".join(map(str, e.goal)) if isinstance(e.goal, list) else e.goal) or "-"
    task = "not asked" if e.task_asked is False else _yes(e.task)
    failure = ": ".join(filter(None, (e.stage, e.reason))) if e.verdict != "success" else ""
    return (
        e.episode,
        asked if longest is None or len(asked) <= longest else asked[: longest - 1] + "…",
        e.verdict,
        _yes(e.reached),
        task,
        e.perception or "-",
        "-" if e.steps is None else str(e.steps),
        f"{e.seconds:.1f}",
        " ".join(failure.split()) or "-",
    )


def _yes(verdict: bool | None) -> str:
    return "-" if verdict is None else "yes" if verdict else "no"
