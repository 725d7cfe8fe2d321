"""Pages of tables: plans that are followed, and benchmark runs."""

from __future__ import annotations

from typing import Any

import pytest

from tamp.files.source import Source
from tamp.pddl.domain_file import load
from tamp.pddl.judges import read_for
from tamp.pddl.plan_file import resolve
from tamp.pddl.reading import parse
from tamp.runs.bench.bench_report import rows, suite_rows
from tamp.runs.bench.compare import compare
from tamp.view.page_layout import in_script, three_js
from tamp.view.table_pages import MOST_STEPS, changes, fact_table
from tests.page_episodes import MARKUP, PLAN, PROBLEM, record


def of(*lines: str) -> tuple[Any, Any]:
    problem = parse(Source("domain", load("tabletop").text), Source("problem", PROBLEM))
    return problem, read_for(Source("plan", "\n".join(lines)), problem)


def test_the_facts_over_the_steps() -> None:
    problem, plan = of(*PLAN)
    rows = dict(fact_table(problem, resolve(plan, problem)).rows)
    assert rows["(holding mug_1)"] == ("false", "false", "true", "false")
    assert rows["(on mug_1 table_1)"] == ("true", "true", "false", "false")
    assert "(on plate_1 table_1)" not in rows


def test_a_long_plan_is_followed_so_far() -> None:
    problem, plan = of(*(["(open-drawer drawer_1)", "(close-drawer drawer_1)"] * MOST_STEPS))
    shown = fact_table(problem, resolve(plan, problem))
    assert (len(shown.steps), shown.left_out) == (MOST_STEPS, MOST_STEPS)


def test_data_cannot_end_its_script() -> None:
    assert "<" not in in_script({"a": MARKUP, "b": "<!--", "c": "\u2028"})


def test_three_js_is_there() -> None:
    """Taken from trimesh, which may lay out its files in another way one day."""
    assert three_js().startswith("/**\n * @license") and "</script" not in three_js()


def test_rates_have_wilsons_interval() -> None:
    records = [record("a", task, k, success=task == 0) for task in (0, 1) for k in range(5)] + [record("b", 0, 0)]
    a, b, whole = suite_rows(records)
    assert (a.successes, a.episodes, b.name, whole.name, whole.episodes) == (5, 10, "b", "all", 11)
    assert a.interval == (pytest.approx(23.7, abs=0.1), pytest.approx(76.3, abs=0.1))
    by_task = rows(records, lambda r: r.task_name)
    assert [(r.name, r.successes) for r in by_task] == [("a/0", 5), ("a/1", 0), ("b/0", 1)]
    assert len(suite_rows(records[:10])) == 1


def test_tasks_that_changed_the_worst_first() -> None:
    old = [record("a", t, k, success=t != 2) for t in (0, 1, 2) for k in (0, 1)]
    new = [record("a", t, k, success=t != 1) for t in (0, 1, 2) for k in (0, 1)]
    assert changes(compare(old, new)) == [("a/1", 2, 0), ("a/2", 0, 2)]
