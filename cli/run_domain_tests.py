"""`tamp test`: what `tamp check` finds, and the tests of a domain folder."""

from __future__ import annotations

from dataclasses import asdict

import tamp
from cli.check_domain import as_dict, line_of, summary
from cli.output import INTERRUPTED, Output, note
from tamp.api.domain_tests import collect
from tamp.api.tool_configs import TestConfig
from tamp.quiet import quiet_stdout

FAILED, NOT_PDDL = 1, 2


def test(config: TestConfig, out: Output) -> int:
    """Check the folder and run its tests. 0 when all passed, 1 when something did not; pytest prints the answer."""
    with quiet_stdout() as stdout:
        answer = Output(stdout, out.json)
        report = tamp.check(config.folder)
        if report.errors:
            answer.answer(as_dict(report) | {"trials": []}, map(line_of, report.findings))
            note(f"{summary(report)}, nothing was tried")
            return NOT_PDDL if report.unread else FAILED
        if report.findings:
            note(f"tamp check {config.folder}: {summary(report)}")
        tests = collect(config)
        if out.json:
            code = tests.run()
            trials = [asdict(t) for t in tests.trials.values()]
            answer.emit(as_dict(report) | {"ok": code == 0, "trials": trials})
    if not out.json:
        code = tests.run()
    if tests.logs.is_dir():
        note(f"what was done is in {tests.logs}")
    if code == INTERRUPTED:
        note("interrupted; these are the trials so far")
    return code
