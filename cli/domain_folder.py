"""Commands on a domain folder: `tamp check` (a finding a line, as editors read it), `tamp test` and `tamp new`."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tamp
from cli.finding_formats import as_annotation, sarif
from cli.output import INTERRUPTED, Output, counted, note, say
from tamp.quiet import quiet_stdout

if TYPE_CHECKING:
    from tamp import Finding, Report
    from tamp.api.checking import CaseResult
    from tamp.api.templates import Written
    from tamp.api.tool_configs import CheckConfig, NewConfig, TestConfig

FINE, WRONG, NOT_PDDL = 0, 1, 2
SHOWN = 100
"""Characters of a line of text that are shown."""


def check(config: CheckConfig, out: Output) -> int:
    """Print what is wrong; with `fix` add missing requirements first, with `cases` run those instead."""
    if config.cases is not None:
        return _run_cases(config.cases, out)
    report = tamp.check(str(config.domain), config.problems, fix=config.fix)
    if report.added and report.domain is not None:
        say(f"{report.domain.notes.source.name}: added {' '.join(report.added)}")
    if config.format == "sarif":
        out.emit(sarif(report.findings))
    else:
        written = as_annotation if config.format == "github" else _line_of
        out.answer(_as_dict(report), map(written, report.findings))
    if report.unread:
        first = next(f for f in report.findings if f.code == "not-pddl")
        say(f"tamp: error: {first.file}:{first.line}:{first.column}: {first.message}")
        return NOT_PDDL
    if not out.json and config.format != "sarif":
        say(_summary(report))
    return WRONG if report.errors else FINE


def _line_of(finding: Finding) -> str:
    text = finding.text.strip()
    if len(text) > SHOWN:
        start = max(0, min(finding.column - 1 - SHOWN // 2, len(finding.text) - SHOWN))
        before, after = "…" if start else "", "…" if start + SHOWN < len(finding.text) else ""
        text = f"{before}{finding.text[start : start + SHOWN].strip()}{after}"
    line = f"{finding.file}:{finding.line}:{finding.column}: {finding.code} {finding.message}"
    return f"{line} | {text}" if text else line


def _summary(report: Report) -> str:
    if not report.findings:
        return "nothing found"
    return f"{counted(report.errors, 'error')}, {counted(len(report.findings) - report.errors, 'warning')}"


def _as_dict(report: Report) -> dict[str, Any]:
    findings = [asdict(f) | {"severity": f.severity} for f in report.findings]
    errors = report.errors
    return {"ok": not errors, "errors": errors, "warnings": len(findings) - errors, "findings": findings}


def _run_cases(where: Path, out: Output) -> int:
    """Print a line a case. A case that cannot be read does not keep the others from being run."""
    from tamp.api.checking import run_cases

    answers = []
    for found in run_cases(where):
        answer, line = _case(found)
        answers.append(answer)
        if not out.json:
            out.print([line])
    if out.json:
        out.emit({"ok": all(a["ok"] for a in answers), "cases": answers})
    if any("error" in a for a in answers):
        return NOT_PDDL
    return FINE if all(a["ok"] for a in answers) else WRONG


def _case(found: CaseResult) -> tuple[dict[str, Any], str]:
    """A case as data and as a line."""
    answer: dict[str, Any] = {"case": found.name, "folder": found.folder, "ok": bool(found)}
    if found.error is not None:
        say(f"tamp: error: {' '.join(found.error.split())}")
        return answer | {"error": found.error}, f"{found.name}: cannot be run"
    outcomes = found.outcomes
    wrong = [f"{o.what}: expected {o.expected}, came out {o.found}" for o in outcomes if not o.agrees]
    line = f"{found.name}: {'; '.join(wrong) or f'{len(outcomes)} as expected'}"
    return answer | {"outcomes": [asdict(o) | {"ok": o.agrees} for o in outcomes]}, line


def test(config: TestConfig, out: Output) -> int:
    """Check the folder and run its tests. 0 when all passed, 1 when something did not; pytest prints the answer."""
    from tamp.api.domain_tests import collect

    with quiet_stdout() as stdout:
        answer = Output(stdout, out.json)
        report = tamp.check(config.folder)
        if report.errors:
            answer.answer(_as_dict(report) | {"trials": []}, map(_line_of, report.findings))
            note(f"{_summary(report)}, nothing was tried")
            return NOT_PDDL if report.unread else WRONG
        if report.findings:
            note(f"tamp check {config.folder}: {_summary(report)}")
        tests = collect(config)
        if out.json:
            code = tests.run()
            trials = [asdict(t) for t in tests.trials.values()]
            answer.emit(_as_dict(report) | {"ok": code == 0, "trials": trials})
    if not out.json:
        code = tests.run()
    if tests.logs.is_dir():
        note(f"what was done is in {tests.logs}")
    if code == INTERRUPTED:
        note("interrupted; these are the trials so far")
    return code


def new(config: NewConfig, out: Output) -> int:
    """Write templates that run, the names of the files, and what to type next."""
    from tamp.api import templates

    made = templates.new(config.kind, config.name, config.folder)
    following = _next(made, config.kind == "scene")
    about = {"written": made.written, "changed": made.changed, "notes": made.notes, "next": following}
    labelled = (("wrote", made.written), ("changed", made.changed), ("note", made.notes))
    lines = [f"{label:9}{each}" for label, several in labelled for each in several]
    out.answer(about, [*lines, *(f"{'' if n else 'next':9}{command}" for n, command in enumerate(following))])
    return 0


def _next(made: Written, is_scene: bool) -> list[str]:
    """What to type next."""
    bare = is_scene and len(made.folder.parts) == 1  # a name alone is one of the shipped scenes
    said = shlex.quote(f"./{made.folder}" if bare else str(made.folder))
    if is_scene:
        return [f"tamp scene show {said}", f'tamp solve --goal "{made.goal}" --scene {said}']
    tried = [] if made.goal is None else [f'tamp solve --goal "{made.goal}" --domain {said}']
    return [f"tamp check {said}", f"tamp test {said}", *tried]
