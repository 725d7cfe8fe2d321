"""`tamp check`: what is wrong with a domain and its problems, a finding a line, as editors read it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tamp
from cli.output import emit_json, say
from tamp.api.checking import run_cases
from tamp.errors import InputError
from tamp.quiet import quiet_stdout

if TYPE_CHECKING:
    from tamp import Finding, Report
    from tamp.api.checking import CaseResult

FINE, WRONG, NOT_PDDL = 0, 1, 2
SHOWN = 100
"""Characters of a line of text that are shown."""


def check(domain: str | None, problems: list[Path], fix: bool, cases: Path | None, json_output: bool) -> int:
    """Print what is wrong; with `fix` add missing requirements first, with `cases` run those instead."""
    if cases is not None:
        if domain is not None or fix:
            raise InputError("--cases takes no DOMAIN and no --fix")
        return _run_cases(cases, json_output)
    if domain is None:
        raise InputError("nothing to check; give a DOMAIN, or --cases DIR")
    with quiet_stdout() as stdout:
        report = _checked(domain, problems, fix)
        if json_output:
            emit_json(as_json(report), stdout)
        else:
            stdout.write("".join(f"{shown(f)}\n" for f in report.findings))
    if report.unread:
        first = next(f for f in report.findings if f.code == "not-pddl")
        say(f"tamp: error: {first.file}:{first.line}:{first.column}: {first.message}")
        return NOT_PDDL
    if not json_output:
        say(counted(report))
    return WRONG if report.errors else FINE


def _checked(domain: str, problems: list[Path], fix: bool) -> Report:
    report = tamp.check(domain, problems, fix=fix)
    if report.added and report.domain is not None:
        say(f"{report.domain.notes.source.name}: added {' '.join(report.added)}")
    return report


def shown(finding: Finding) -> str:
    """A finding as a line."""
    text = finding.text.strip()
    if len(text) > SHOWN:
        start = max(0, min(finding.column - 1 - SHOWN // 2, len(finding.text) - SHOWN))
        before, after = "…" if start else "", "…" if start + SHOWN < len(finding.text) else ""
        text = f"{before}{finding.text[start : start + SHOWN].strip()}{after}"
    told = f"{finding.file}:{finding.line}:{finding.column}: {finding.code} {finding.message}"
    return f"{told} | {text}" if text else told


def counted(report: Report) -> str:
    """How many findings there are, in words."""
    errors, warnings = report.errors, len(report.findings) - report.errors
    if not report.findings:
        return "nothing found"
    return f"{errors} error{'' if errors == 1 else 's'}, {warnings} warning{'' if warnings == 1 else 's'}"


def as_json(report: Report) -> dict[str, Any]:
    """All findings, and how many are errors."""
    findings = [asdict(f) | {"severity": f.severity} for f in report.findings]
    errors = report.errors
    return {"ok": not errors, "errors": errors, "warnings": len(findings) - errors, "findings": findings}


def _run_cases(where: Path, json_output: bool) -> int:
    """Print a line a case. A case that cannot be read does not keep the others from being run."""
    with quiet_stdout() as stdout:
        answers = []
        for found in run_cases(where):
            answers.append(_answer(found))
            if not json_output:
                stdout.write("".join(f"{line}\n" for line in _lines(answers[-1])))
                stdout.flush()
        if json_output:
            emit_json({"ok": all(a["ok"] for a in answers), "cases": answers}, stdout)
    if any("error" in a for a in answers):
        return NOT_PDDL
    return FINE if all(a["ok"] for a in answers) else WRONG


def _answer(found: CaseResult) -> dict[str, Any]:
    answer: dict[str, Any] = {"case": found.name, "folder": found.folder, "ok": bool(found)}
    if found.error is not None:
        say(f"tamp: error: {' '.join(found.error.split())}")
        return answer | {"error": found.error}
    return answer | {"outcomes": [asdict(o) | {"ok": o.agrees} for o in found.outcomes]}


def _lines(answer: dict[str, Any]) -> list[str]:
    if "error" in answer:
        return [f"{answer['case']}: cannot be run"]
    outcomes = answer["outcomes"]
    wrong = [o for o in outcomes if not o["ok"]]
    count = f"{len(outcomes)} as expected"
    if not wrong:
        return [f"{answer['case']}: {count}"]
    told = "; ".join(f"{o['what']}: expected {o['expected']}, came out {o['found']}" for o in wrong)
    return [f"{answer['case']}: {told}"]
