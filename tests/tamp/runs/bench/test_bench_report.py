"""Tables from results: one tree, sums that add up, every failure with its cause."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from tamp.errors import InputError
from tamp.runs.bench.bench_report import BenchRun, failures, rows, suite_rows, table, tree_of
from tamp.runs.bench.records import EpisodeRecord, Results, read
from tests import page_episodes
from tests.page_episodes import lines


def record(suite: str = "libero_goal", task: int = 0, k: int = 0, **shown: Any) -> EpisodeRecord:
    return page_episodes.record(suite, task, k, **{"tree": "abc", **shown})


RECORDS = [
    record(steps=80, planning_seconds=1.0),
    record(k=1, steps=100, planning_seconds=3.0),
    record(task=1, success=False, failure_stage="execution", failure_reason="it fell", planning_seconds=4.0),
    record("libero_10", lasting=False, steps=50, touched={"cup_1": 2}),
]


def test_rows_add_up() -> None:
    goal, ten, everything = suite_rows(RECORDS)
    assert (goal.episodes, goal.successes, goal.worst, goal.steps) == (3, 2, 0.0, 90.0)
    assert goal.planning == 3.0, "the median over tasks of 2 and 4 seconds"
    assert (ten.steps, ten.lasting) == (None, 0.0), "a success that does not last has no steps to count"
    assert (ten.clean, ten.contacts, everything.clean) == (0.0, (2, 2), 0.75)
    assert (everything.name, everything.episodes, everything.successes) == ("all", 4, 3)
    assert goal.cells()[7] == "33", "90 of 270 steps"


def test_contacts_are_told_by_median_and_95th_percentile() -> None:
    records = [record(k=k, touched={"cup_1": 3, "plate_1": 4} if k >= 18 else {}) for k in range(20)]
    (row,) = rows(records)
    assert row.contacts == (0, 7), "steps of all things that were touched, added up"
    assert row.cells()[-2:] == ("90.0", "0, 7")


def test_failures_are_told_with_stage_reason_and_tasks() -> None:
    assert failures(RECORDS) == [("execution", "it fell", "libero_goal/1", 1)]


def test_a_table_is_made_from_one_tree() -> None:
    assert tree_of(RECORDS) == "abc"
    with pytest.raises(InputError, match=r"2 trees: abc \(4 episodes\), def \(1 episodes\)"):
        tree_of([*RECORDS, record(k=7, tree="def")])


def test_tables_for_papers() -> None:
    written = table([BenchRun("run", RECORDS[:3], "abc")])
    assert written.markdown().splitlines()[2].startswith("| libero_goal | 3 | 66.7 | 20.8 to 93.9 |")
    assert r"libero\_goal & 3 & 66.7" in written.latex()


def test_results_are_read_plain_and_compressed_and_cut_short(tmp_path: Path) -> None:
    text = lines(*RECORDS)
    (tmp_path / "results.jsonl").write_text(text + '{"suite": "libero_g')
    (tmp_path / "all.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    assert read(tmp_path) == read(tmp_path / "all.jsonl.gz") == RECORDS


def test_an_episode_that_is_there_twice_counts_once(tmp_path: Path) -> None:
    """As two runs at once left it: the first of a git tree counts, and of all where a run goes on."""
    records = [record(steps=80), record(k=1), record(steps=95), record(tree="def", steps=70)]
    (tmp_path / "results.jsonl").write_text(lines(*records))
    assert read(tmp_path) == [records[0], records[1], records[3]]
    assert Results(tmp_path).open({}) == records[:2]


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("none.jsonl", None, "no results at"),
        ("empty.jsonl", b"", "holds no episode"),
        ("old.jsonl", b'{"suite": "s"}\n', "not an episode of this version of tamp: no task_id"),
        ("text.jsonl", b"hello\n", "1:1: not JSON"),
        ("seed.jsonl", lines(record(seed=[0])).encode(), r"1: not an episode of tamp: seed is \[0\]"),
        ("steps.jsonl", lines(record(steps="x")).encode(), "1: not an episode of tamp: steps is 'x'"),
        ("touched.jsonl", lines(record(touched=[1])).encode(), r"touched is \[1\]"),
        ("broken.jsonl.gz", b"hello\n", "cannot read"),
    ],
)
def test_what_is_no_results_file_is_refused(name: str, content: bytes | None, says: str, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=says):
        read(tmp_path / name)
