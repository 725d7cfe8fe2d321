"""`tamp test`: a domain folder's cases, and its own operators on drawn scenes, as a table."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TextIO

import tamp
from cli.check import as_json, counted, shown
from cli.output import INTERRUPTED, emit_json, progress, say
from tamp.api.trying import Request, tried
from tamp.quiet import quiet_stdout

if TYPE_CHECKING:
    from tamp import Report

PASSED, FAILED, NOT_PDDL = 0, 1, 2


def test(asked: Request, json_output: bool) -> int:
    """Check the folder, run everything, and print the table. 0 when all passed, 1 when something did not."""
    with quiet_stdout() as stdout:
        report = tamp.check(asked.folder)
        if report.errors:
            return _not_checked(report, stdout, json_output)
        if report.findings:
            say(f"tamp: tamp check {asked.folder}: {counted(report)}")
        found = tried(asked, _progress)
        if found.logs is not None:
            say(f"tamp: what was done is in {found.logs}")
        if json_output:
            told: dict[str, Any] = as_json(report) | {"ok": bool(found), "trials": [t.as_dict() for t in found.trials]}
            emit_json(told, stdout)
        else:
            stdout.write(found.table())
    if found.interrupted:
        say("tamp: interrupted; these are the trials so far")
        return INTERRUPTED
    return PASSED if found else FAILED


@contextlib.contextmanager
def _progress(what: str, total: int) -> Iterator[Callable[[str], None]]:
    with progress(what, total) as advance:
        yield lambda line: advance(f"tamp: {line}")


def _not_checked(report: Report, stdout: TextIO, json_output: bool) -> int:
    """What `tamp check` says of the folder, for which nothing is tried."""
    if json_output:
        emit_json(as_json(report) | {"trials": []}, stdout)
    else:
        stdout.write("".join(f"{shown(f)}\n" for f in report.findings))
    say(f"tamp: {counted(report)}, nothing was tried")
    return NOT_PDDL if report.unread else FAILED
