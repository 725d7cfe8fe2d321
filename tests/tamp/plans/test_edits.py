"""Changes of a plan: what it is after them, and how they are shown."""

from __future__ import annotations

import pytest

from tamp.plans.edits import Edit, Mend

STEPS = ("(a)", "(b)", "(c)", "(d)", "(e)")


@pytest.mark.parametrize(
    ("edits", "after", "words"),
    [
        ([Edit("add", None, "(x)", 1)], "xabcde", "valid with (x) before step 1"),
        ([Edit("add", None, "(x)", 6)], "abcdex", "valid with (x) at the end"),
        ([Edit("leave out", 2)], "acde", "valid without step 2"),
        ([Edit("replace", 2, "(x)")], "axcde", "valid with (x) as step 2"),
        ([Edit("move", 1, "(a)", 6)], "bcdea", "valid with step 1 moved to the end"),
        ([Edit("move", 5, "(e)", 2)], "aebcd", "valid with step 5 moved before step 2"),
        ([Edit("add", None, "(x)", 3), Edit("add", None, "(y)", 3)], "abxycde", "valid with 2 changes"),
        ([Edit("add", None, "(x)", 2), Edit("replace", 2, "(y)")], "axycde", "valid with 2 changes"),
        ([Edit("leave out", 1), Edit("move", 3, "(c)", 5), Edit("replace", 5, "(x)")], "bdcx", "valid with 3 changes"),
    ],
)
def test_a_plan_after_its_changes(edits: list[Edit], after: str, words: str) -> None:
    mend = Mend.of(edits, STEPS)
    assert (mend.steps, mend.words) == ([f"({a})" for a in after], words)


def test_what_goes_and_comes_is_shown_with_its_neighbours() -> None:
    mend = Mend.of([Edit("replace", 2, "(x)"), Edit("add", None, "(y)", 9)], [f"({a})" for a in "abcdefgh"])
    assert list(mend.told()) == ["  1 (a)", "- 2 (b)", "+   (x)", "  3 (c)", "…", "  8 (h)", "+   (y)"]
    assert list(Mend.of([Edit("leave out", 1)], STEPS).told(around=0)) == ["- 1 (a)", "…"]
    assert list(Mend().told()) == []
