"""`tamp test`: what `tamp check` finds, and the tests of a domain folder."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, TextIO

import tamp
from cli.check import as_json, counted, shown
from cli.output import INTERRUPTED, emit_json, say
from tamp.api.domain_tests import TestConfig, collect
from tamp.quiet import quiet_stdout

if TYPE_CHECKING:
    from tamp import Report

FAILED, NOT_PDDL = 1, 2


def test(config: TestConfig, json_output: bool) -> int:
    """Check the folder and run its tests. 0 when all passed, 1 when something did not."""
    with quiet_stdout() as stdout:
        report = tamp.check(config.folder)
        if report.errors:
            return _not_checked(report, stdout, json_output)
        if report.findings:
            say(f"tamp: tamp check {config.folder}: {counted(report)}")
        tests = collect(config)
        if json_output:
            code = tests.run()
            trials = [asdict(t) for t in tests.trials.values()]
            emit_json(as_json(report) | {"ok": code == 0, "trials": trials}, stdout)
    if not json_output:
        code = tests.run()
    if tests.logs.is_dir():
        say(f"tamp: what was done is in {tests.logs}")
    if code == INTERRUPTED:
        say("tamp: interrupted; these are the trials so far")
    return code


def _not_checked(report: Report, stdout: TextIO, json_output: bool) -> int:
    """What `tamp check` says of the folder, for which nothing is tried."""
    if json_output:
        emit_json(as_json(report) | {"trials": []}, stdout)
    else:
        stdout.write("".join(f"{shown(f)}\n" for f in report.findings))
    say(f"tamp: {counted(report)}, nothing was tried")
    return NOT_PDDL if report.unread else FAILED
