"""Changes of a plan: what it is after them, and how they are shown."""

from __future__ import annotations

import pytest

from tamp.pddl.edits import Edit, Mend, changed, edits_between

STEPS = ("(a)", "(b)", "(c)", "(d)", "(e)")


@pytest.mark.parametrize(
    ("edits", "after", "words"),
    [
        ([Edit("add", None, "(x)", 1)], "xabcde", "valid with (x) before step 1"),
        ([Edit("add", None, "(x)", 6)], "abcdex", "valid with (x) at the end"),
        ([Edit("leave out", 2)], "acde", "valid without step 2"),
        ([Edit("replace", 2, "(x)")], "axcde", "valid with (x) as step 2"),
        ([Edit("add", None, "(x)", 3), Edit("add", None, "(y)", 3)], "abxycde", "valid with 2 changes"),
        ([Edit("add", None, "(x)", 2), Edit("replace", 2, "(y)")], "axycde", "valid with 2 changes"),
        (
            [Edit("leave out", 1), Edit("add", None, "(c)", 5), Edit("replace", 5, "(x)")],
            "bcdcx",
            "valid with 3 changes",
        ),
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


@pytest.mark.parametrize(
    ("one", "other"), [("abcd", "abxd"), ("abcd", ""), ("", "ab"), ("abcd", "dcxab"), ("ab", "xayb")]
)
def test_the_changes_between_two_plans_lead_from_one_to_the_other(one: str, other: str) -> None:
    lines = changed(one, edits_between(one, other))
    assert "".join(line.text for line in lines if line.sign != "-") == other
    assert "".join(line.text for line in lines if line.sign != "+") == one
