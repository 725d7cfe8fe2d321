"""The form between words and goal, as text and typed."""

from __future__ import annotations

import pytest

from llm.meaning import Referent, facts_in_words, read_meaning, read_referent


def test_clauses_are_joined_ordered_and_left_open() -> None:
    said = (
        "[the lid] is closed; then [the lamp] is in [the crate] or on [the shelf]; or [the lamp] is not held; [x] is y."
    )
    meaning = read_meaning(said)
    assert [c.later for c in meaning.clauses] == [False, True, False]
    assert [(f.words, f.holds) for f in meaning.clauses[1].facts] == [("in", True), ("on", True), ("held", False)]
    assert [r.words for r in meaning.clauses[1].facts[1].referents] == ["lamp", "shelf"]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("the red cup", Referent("red cup", "the")),
        ("red cup", Referent("red cup", "")),
        ("both cups", Referent("cups", "both")),
        ("3 cups", Referent("cups", "3")),
        ("everything in the box", Referent("things in the box", "all")),
        ("all cups except the red one", Referent("cups", "all", Referent("red one", "the"))),
    ],
)
def test_a_referent_has_a_quantifier_a_description_and_an_exception(text: str, meant: Referent) -> None:
    assert read_referent(text) == meant


def test_what_no_goal_can_be_made_of_is_kept_apart() -> None:
    assert read_meaning("unclear.").unclear
    assert not read_meaning("[the lid] is closed.").unclear


def test_facts_in_plain_words() -> None:
    said = "[both lids] are closed; then [the lamp] is in [the crate]; [the vase] is untouched."
    assert facts_in_words(said) == ("both lids are closed", "the lamp is in the crate")
