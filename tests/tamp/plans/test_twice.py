"""Several changes by simulation alone: numbers, misspelt names, and no engine that could be asked."""

from __future__ import annotations

import pytest

from tamp.api.judging import judged
from tamp.files.source import Source
from tamp.pddl.reading import read_problem
from tamp.plans.edits import Edit, Mend, changed
from tamp.plans.judges import judge_of
from tamp.plans.steps import BadPlan
from tamp.plans.twice import edits_between
from tests.walked_plans import ROOT

GARDEN = ROOT / "problems" / "cases" / "watering_can"
FILL, ROSES, BEANS = "(refill)", "(water roses)", "(water beans)"
WHY = (
    "no mend was found, but not everything was tried: fast-downward does not support decrease effects, "
    "fluents in numeric assignments, general numeric planning, real fluents"
)


def mend(*steps: str) -> Mend:
    judge = judge_of(read_problem(str(GARDEN), GARDEN / "problem.pddl")[2])
    try:
        return judged(Source("plan", "\n".join(steps)), judge).verdict.mended
    except BadPlan as e:
        return e.mend


@pytest.mark.parametrize(
    ("steps", "mended", "changes"),
    [
        ([ROSES, BEANS], [FILL, ROSES, FILL, BEANS], 2),
        ([FILL, ROSES, ROSES, BEANS], [FILL, ROSES, FILL, BEANS], 1),
        ([ROSES, ROSES, FILL, BEANS], [FILL, ROSES, FILL, BEANS], 1),
        (["(refil)", "(water rosses)", FILL, BEANS], [FILL, ROSES, FILL, BEANS], 2),
        (["(water rosses)", FILL, "(water bens)"], [FILL, ROSES, FILL, BEANS], 3),
    ],
)
def test_plans_with_numbers_are_mended_by_two_changes(steps: list[str], mended: list[str], changes: int) -> None:
    found = mend(*steps)
    assert (found.steps, len(found.edits)) == (mended, changes)


def test_where_nothing_is_found_it_says_that_not_everything_was_tried() -> None:
    assert mend(FILL, FILL, FILL, FILL, FILL).why_none == WHY
    assert mend("(dig)", "what now").why_none == WHY


@pytest.mark.parametrize(
    ("one", "other"), [("abcd", "abxd"), ("abcd", ""), ("", "ab"), ("abcd", "dcxab"), ("ab", "xayb")]
)
def test_the_changes_between_two_plans_lead_from_one_to_the_other(one: str, other: str) -> None:
    lines = changed(one, edits_between(one, one, other))
    assert "".join(line.text for line in lines if line.sign != "-") == other
    assert "".join(line.text for line in lines if line.sign != "+") == one


def test_what_a_misspelt_step_means_is_not_another_change() -> None:
    assert edits_between(["aa", "b"], ["a", "b"], ["b", "a", "b"]) == [
        Edit("add", None, "b", 1),
        Edit("replace", 1, "a"),
    ]
