"""`tamp report`: several results as one table, and what it refuses."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tamp.runs.bench.records import FIELDS, NOTHING

pytestmark = pytest.mark.process

TAMP = Path(sys.executable).with_name("tamp")


def report(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([TAMP, "report", *map(str, arguments)], capture_output=True, text=True, check=False)


def record(suite: str, task: int, k: int, **told: Any) -> dict[str, Any]:
    whole = {**NOTHING, "suite": suite, "task_id": task, "init_state": k, "language": "do it", "seed": 0}
    whole |= {"wall_seconds": 2.0, "tree": "abc123", "success": True, "lasting": True, "steps": 90} | told
    return {name: whole[name] for name in FIELDS}


@pytest.fixture
def results(tmp_path: Path) -> tuple[Path, Path]:
    """A run's folder and a compressed file."""
    folder, packed = tmp_path / "run", tmp_path / "other.jsonl.gz"
    folder.mkdir()
    goal = [record("libero_goal", 0, 0), record("libero_goal", 0, 1, success=False, failure_stage="plan")]
    (folder / "results.jsonl").write_text("".join(json.dumps(r) + "\n" for r in goal))
    packed.write_bytes(gzip.compress((json.dumps(record("libero_90", 3, 0)) + "\n").encode()))
    return folder, packed


def test_several_results_are_one_table(results: tuple[Path, Path]) -> None:
    told = report(*results).stdout
    lines = [line.split() for line in told.splitlines()]
    assert [line[:3] for line in lines[1:4]] == [
        ["libero_goal", "2", "50.0"],
        ["libero_90", "1", "100.0"],
        ["all", "3", "66.7"],
    ]
    assert "oracle perception; git tree abc123" in told
    assert "libero_goal/0" in told.split("failures")[1]


@pytest.mark.parametrize("form", ["markdown", "latex"])
def test_the_table_is_made_for_papers(results: tuple[Path, Path], form: str) -> None:
    told = report(*results, "--format", form).stdout
    assert told.startswith({"markdown": "| suite |", "latex": r"\begin{tabular}"}[form])
    assert [line for line in told.splitlines() if "all" in line and "66.7" in line and "20.8 to 93.9" in line]


def test_the_same_as_data(results: tuple[Path, Path]) -> None:
    told = json.loads(report(*results, "--json").stdout)
    whole = told["suites"][-1]
    assert (whole["suite"], whole["successes"], whole["lasting_rate"]) == ("all", 2, pytest.approx(2 / 3))
    assert told["suites"][0]["contact_steps"] == {"median": 0, "percentile_95": 0}


def test_what_makes_no_table_is_refused(results: tuple[Path, Path], tmp_path: Path) -> None:
    folder, packed = results
    other = tmp_path / "later.jsonl"
    other.write_text(json.dumps(record("libero_90", 4, 0, tree="def456")) + "\n")
    for arguments, says in (
        ((folder, folder), "2 episodes are in the results more than once, libero_goal/0 init 0 first"),
        ((folder, other), "2 trees"),
        ((packed, "--tree", "999"), "no episode ran on it"),
        ((tmp_path / "none",), "no results at"),
    ):
        done = report(*arguments)
        assert done.returncode == 2 and says in done.stderr, done.stderr
        assert done.stdout == "" and "Traceback" not in done.stderr
