"""`tamp check --cases`: whether problems and plans still come out as their cases say."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from cli.output import emit_json, say
from tamp.quiet import quiet_stdout

if TYPE_CHECKING:
    from tamp.api.checking import CaseResult
    from tamp.runs.cases.run import Outcome

AS_EXPECTED, DIFFERS, BAD_INPUT = 0, 1, 2


def run_cases(where: Path, json_output: bool) -> int:
    """Print a line a case. A case that cannot be read does not keep the others from being run."""
    with quiet_stdout() as stdout:
        from tamp.api import checking

        answers = []
        for found in checking.run_cases(where):
            answers.append(_answer(found))
            if not json_output:
                stdout.write("".join(f"{line}\n" for line in _lines(answers[-1])))
                stdout.flush()
        if json_output:
            emit_json({"ok": all(a["ok"] for a in answers), "cases": answers}, stdout)
    if any("error" in a for a in answers):
        return BAD_INPUT
    return AS_EXPECTED if all(a["ok"] for a in answers) else DIFFERS


def _answer(found: CaseResult) -> dict[str, Any]:
    answer: dict[str, Any] = {"case": found.name, "folder": found.folder, "ok": bool(found)}
    if found.error is not None:
        say(f"tamp: error: {' '.join(found.error.split())}")
        return answer | {"error": found.error}
    return answer | {"outcomes": [_as_json(o) for o in found.outcomes]}


def _as_json(outcome: Outcome) -> dict[str, Any]:
    return {"what": outcome.what, "expected": outcome.expected, "found": outcome.found, "ok": outcome.agrees}


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
