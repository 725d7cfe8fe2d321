"""What the page of a benchmark run shows, without a browser."""

from __future__ import annotations

from pathlib import Path

import pytest

from tamp.runs.bench.bench_report import BenchRun, rows, suite_rows
from tamp.runs.bench.compare import compare
from tamp.view.table_pages import changes, times_of
from tests.page_episodes import record, write


def test_rates_have_wilsons_interval() -> None:
    records = [record("a", task, k, success=task == 0) for task in (0, 1) for k in range(5)] + [record("b", 0, 0)]
    a, b, whole = suite_rows(records)
    assert (a.successes, a.episodes, b.name, whole.name, whole.episodes) == (5, 10, "b", "all", 11)
    assert a.interval == (pytest.approx(23.7, abs=0.1), pytest.approx(76.3, abs=0.1))
    by_task = rows(records, lambda r: r.task_name)
    assert [(r.name, r.successes) for r in by_task] == [("a/0", 5), ("a/1", 0), ("b/0", 1)]
    assert len(suite_rows(records[:10])) == 1


def test_times_have_their_median_and_what_few_exceed() -> None:
    records = [record("a", 0, k, planning_seconds=s) for k, s in enumerate((0.0, 0.1, 1.0, 10.0))]
    assert times_of(records)[0] == ("planning and refinement", 0.55, 10.0, 10.0)


def test_tasks_that_changed_the_worst_first() -> None:
    old = [record("a", t, k, success=t != 2) for t in (0, 1, 2) for k in (0, 1)]
    new = [record("a", t, k, success=t != 1) for t in (0, 1, 2) for k in (0, 1)]
    assert changes(compare(old, new)) == [("a/1", 2, 0), ("a/2", 0, 2)]


def test_an_episode_is_found_by_its_folder(tmp_path: Path) -> None:
    folder = write(tmp_path / "run" / "episodes" / "a-0-0", [{"event": "start", "t": 0}])
    r = record("a", 0, 0)
    assert BenchRun("run", [r], "abc", (tmp_path / "run",)).log_of(r) == folder / "episode.jsonl"
    assert BenchRun("run", [r], "abc").log_of(r) is None
