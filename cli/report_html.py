"""`tamp report --html`: a page of an episode, of several, or of runs of `tamp bench`."""

from __future__ import annotations

from pathlib import Path

from cli.output import emit_json, say
from tamp import InputError
from tamp.quiet import quiet_stdout


def report_html(paths: list[Path], file: Path, tree: str | None, prompts: bool, json_output: bool) -> int:
    """Write the page, and say where it is and those of single episodes."""
    from tamp.api.report_pages import write_report

    if prompts:
        raise InputError("--prompts: there is no page of it; valid: --html alone, --tree, --json")
    with quiet_stdout() as out:
        pages = write_report(paths, file, tree, lambda line: say(f"tamp: {line}"))
        if json_output:
            emit_json({"html": file, "episodes": [*map(str, pages)]}, out)
        else:
            beside = f"; episodes: {len(pages)} in {pages[0].parent}" if pages else ""
            out.write(f"page {file}{beside}\n")
    return 0
