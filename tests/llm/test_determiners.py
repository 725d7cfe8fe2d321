"""How many things are spoken of is read from the words before them, whatever the model wrote."""

from __future__ import annotations

import pytest

from llm.determiners import quantified, unnamed
from llm.meaning import read_meaning


@pytest.mark.parametrize(
    ("text", "written", "read"),
    [
        ("open all the drawers", "[the drawers] are open.", "all"),
        ("2 drawers open please", "[the drawers] are open.", "2"),
        ("any three of the drawers open", "[the drawers] are open.", "3"),
        ("one of the mugs onto the plate", "[the mugs] are on [the plate].", "any"),
        ("both mugs onto the plate", "[the mugs] are on [the plate].", "both"),
        ("both the mug and the bowl onto the plate", "[the mug] is on [the plate].", "the"),
        ("put a mug on the plate", "[the mug] is on [the plate].", "a"),
        ("put the mug on the plate", "[a mug] is on [the plate].", "the"),
        ("the mugs, all of them, onto the plate", "[all mugs] are on [the plate].", "all"),
    ],
)
def test_the_quantifier_is_the_instructions(text: str, written: str, read: str) -> None:
    (fact,) = quantified(read_meaning(written), text).facts
    assert fact.subject.quantifier == read


@pytest.mark.parametrize(
    ("text", "names", "words"),
    [
        ("put two things on the plate", 1, "two things"),
        ("Three objects into the drawer", 1, "three objects"),
        ("two things: the bowl and the mug onto the plate", 3, ""),
        ("put two bowls on the plate", 1, ""),
        ("one thing: open the drawer", 1, ""),
    ],
)
def test_things_that_have_only_a_number_are_asked_for(text: str, names: int, words: str) -> None:
    assert unnamed(text, names) == words
