"""`tamp check`: what is wrong with a domain and its problems, a finding a line, as editors read it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tamp
from cli.output import Output, counted, say
from tamp.api.checking import run_cases
from tamp.api.tool_configs import CheckConfig

if TYPE_CHECKING:
    from tamp import Finding, Report
    from tamp.api.checking import CaseResult

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
    out.answer(as_dict(report), map(line_of, report.findings))
    if report.unread:
        first = next(f for f in report.findings if f.code == "not-pddl")
        say(f"tamp: error: {first.file}:{first.line}:{first.column}: {first.message}")
        return NOT_PDDL
    if not out.json:
        say(summary(report))
    return WRONG if report.errors else FINE


def line_of(finding: Finding) -> str:
    """A finding as a line."""
    text = finding.text.strip()
    if len(text) > SHOWN:
        start = max(0, min(finding.column - 1 - SHOWN // 2, len(finding.text) - SHOWN))
        before, after = "…" if start else "", "…" if start + SHOWN < len(finding.text) else ""
        text = f"{before}{finding.text[start : start + SHOWN].strip()}{after}"
    line = f"{finding.file}:{finding.line}:{finding.column}: {finding.code} {finding.message}"
    return f"{line} | {text}" if text else line


def summary(report: Report) -> str:
    """How many findings there are, in words."""
    if not report.findings:
        return "nothing found"
    return f"{counted(report.errors, 'error')}, {counted(len(report.findings) - report.errors, 'warning')}"


def as_dict(report: Report) -> dict[str, Any]:
    """All findings, and how many are errors."""
    findings = [asdict(f) | {"severity": f.severity} for f in report.findings]
    errors = report.errors
    return {"ok": not errors, "errors": errors, "warnings": len(findings) - errors, "findings": findings}


def _run_cases(where: Path, out: Output) -> int:
    """Print a line a case. A case that cannot be read does not keep the others from being run."""
    answers = []
    for found in run_cases(where):
        answers.append(_case(found))
        if not out.json:
            out.print(_lines(answers[-1]))
    if out.json:
        out.emit({"ok": all(a["ok"] for a in answers), "cases": answers})
    if any("error" in a for a in answers):
        return NOT_PDDL
    return FINE if all(a["ok"] for a in answers) else WRONG


def _case(found: CaseResult) -> dict[str, Any]:
    answer: dict[str, Any] = {"case": found.name, "folder": found.folder, "ok": bool(found)}
    if found.error is not None:
        say(f"tamp: error: {' '.join(found.error.split())}")
        return answer | {"error": found.error}
    return answer | {"outcomes": [asdict(o) | {"ok": o.agrees} for o in found.outcomes]}


def _lines(answer: dict[str, Any]) -> Iterator[str]:
    if "error" in answer:
        yield f"{answer['case']}: cannot be run"
        return
    outcomes = answer["outcomes"]
    wrong = [f"{o['what']}: expected {o['expected']}, came out {o['found']}" for o in outcomes if not o["ok"]]
    yield f"{answer['case']}: {'; '.join(wrong) or f'{len(outcomes)} as expected'}"
