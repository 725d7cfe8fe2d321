"""`tamp report` of episodes: a row for each, from its log."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path

import tamp
from cli.output import emit_json
from tamp import Ending, InputError
from tamp.quiet import quiet_stdout
from tamp.runs.text_table import Form, TextTable

COLUMNS = ("episode", "asked", "verdict", "reached", "task", "perception", "steps", "seconds", "failure")

LONGEST = 60
"""Characters shown of what was asked for in a table of text; the other forms have it whole."""


def report_episodes(paths: list[Path], form: Form, tree: str | None, json_output: bool) -> int:
    """Print a table of the episodes whose logs are in the folders or are the files."""
    if tree is not None:
        raise InputError("--tree is for the results of tamp bench, not for episodes; valid: --format, --json")
    found = tamp.results(*paths)
    counts = Counter(e.verdict for e in found)
    with quiet_stdout() as out:
        if json_output:
            emit_json({"counts": counts, "episodes": [asdict(e) for e in found]}, out)
            return 0
        rows = tuple(_cells(e, LONGEST if form == "text" else None) for e in found)
        out.write(TextTable(COLUMNS, rows, "llllllrrl").written(form))
        if form == "text":
            told = ", ".join(f"{n} {verdict}" for verdict, n in counts.most_common())
            out.write(f"\n{len(found)} episode{'' if len(found) == 1 else 's'}: {told}\n")
    return 0


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
