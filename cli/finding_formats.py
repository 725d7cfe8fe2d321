"""What `tamp check` finds, as other programs read it: annotations of GitHub's workflows, and SARIF 2.1.0."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

if TYPE_CHECKING:
    from tamp import Finding

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def as_annotation(finding: Finding) -> str:
    """The workflow command that annotates a line of a file in a pull request."""
    place = {"file": finding.file, "line": finding.line, "col": finding.column, "title": finding.code}
    fields = ",".join(f"{name}={_escaped(str(value), ':,')}" for name, value in place.items())
    return f"::{finding.severity} {fields}::{_escaped(finding.message)}"


def _escaped(text: str, more: str = "") -> str:
    return "".join(f"%{ord(c):02X}" if c in "%\r\n" + more else c for c in text)


def sarif(findings: Iterable[Finding]) -> dict[str, Any]:
    """A SARIF log with one run."""
    found = list(findings)
    rules = [{"id": code} for code in dict.fromkeys(f.code for f in found)]
    tool = {"driver": {"name": "tamp check", "version": version("tamp-toolkit"), "rules": rules}}
    run = {"tool": tool, "columnKind": "unicodeCodePoints", "results": [_result(f) for f in found]}
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(finding: Finding) -> dict[str, Any]:
    path = Path(finding.file)
    region = {"startLine": finding.line, "startColumn": finding.column}
    place = {"artifactLocation": {"uri": path.as_uri() if path.is_absolute() else quote(path.as_posix())}}
    return {
        "ruleId": finding.code,
        "level": finding.severity,
        "message": {"text": finding.message},
        "locations": [{"physicalLocation": place | {"region": region}}],
    }
