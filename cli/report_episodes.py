"""`tamp report` of episodes: a row for each, from its log."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import tamp
from cli.output import emit_json
from tamp import InputError
from tamp.api.results import table
from tamp.quiet import quiet_stdout

if TYPE_CHECKING:
    from tamp.runs.text_table import Form


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
        out.write(table(found, form))
        if form == "text":
            told = ", ".join(f"{n} {verdict}" for verdict, n in counts.most_common())
            out.write(f"\n{len(found)} episode{'' if len(found) == 1 else 's'}: {told}\n")
    return 0
