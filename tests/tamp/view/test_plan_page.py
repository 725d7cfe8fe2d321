"""Plans followed for a page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tamp.files.source import Source
from tamp.pddl.domain_file import load
from tamp.pddl.judges import judge_of, read_for, verdict_on
from tamp.pddl.plan_file import resolve
from tamp.pddl.reading import parse
from tamp.view import page_layout
from tamp.view.page_layout import Layout, in_script, three_js
from tamp.view.table_pages import MOST_STEPS, JudgedPlan, fact_table, plan_page
from tests.page_episodes import MARKUP, PLAN, PROBLEM


def of(*lines: str) -> tuple[Any, Any]:
    problem = parse(Source("domain", load("tabletop").text), Source("problem", PROBLEM))
    return problem, read_for(Source("plan", "\n".join(lines)), problem)


def test_the_facts_over_the_steps() -> None:
    problem, plan = of(*PLAN)
    rows = dict(fact_table(problem, resolve(plan, problem)).rows)
    assert rows["(holding mug_1)"] == ("false", "false", "true", "false")
    assert rows["(on mug_1 table_1)"] == ("true", "true", "false", "false")
    assert "(on plate_1 table_1)" not in rows


def test_an_invalid_plan_breaks_where_its_verdict_says() -> None:
    problem, plan = of(PLAN[1], "(pick plate_1 table_1)", *PLAN)
    judge = judge_of(problem)
    shown = JudgedPlan.of(plan, verdict_on(plan, judge), judge, ["no"])
    assert shown.failed[0] == 2 and shown.repairs[0][0] == "(hand-empty)" and shown.repairs[0][1]
    page = plan_page("d", "p", [shown], Layout.of())
    assert "Step 2 breaks the plan" in page and "What would repair it" in page


def test_plans_without_a_table_are_words_alone() -> None:
    page = plan_page(MARKUP, "", [JudgedPlan(MARKUP, None, (MARKUP,))], Layout.of())
    assert "cannot be read" in page and "<img" not in page


def test_a_long_plan_is_followed_so_far() -> None:
    problem, plan = of(*(["(open-drawer drawer_1)", "(close-drawer drawer_1)"] * MOST_STEPS))
    told = fact_table(problem, resolve(plan, problem))
    assert (len(told.steps), told.left_out) == (MOST_STEPS, MOST_STEPS)


def test_data_cannot_end_its_script() -> None:
    assert "<" not in in_script({"a": MARKUP, "b": "<!--", "c": "\u2028"})


def test_three_js_is_there() -> None:
    """Taken from trimesh, which may lay out its files in another way one day."""
    assert three_js().startswith("/**\n * @license") and "</script" not in three_js()


def test_templates_are_in_the_package() -> None:
    folder = Path(page_layout.__file__).with_name("templates")
    assert {"base.html.j2", "page.css", "common.js"} <= {p.name for p in folder.iterdir()}
