"""Words that turn an instruction into something else: found, and refused where no goal can say them."""

from __future__ import annotations

import pytest

from llm.logic_words import logic_words, refuse_logic, refuse_quantity
from llm.words import instruction
from tamp.errors import Refusal


@pytest.mark.parametrize(
    ("text", "kind", "said"),
    [
        ("don't put the bowl on the plate", "negation", "don't"),
        ("don\u2019t put the bowl on the plate", "negation", "don't"),
        ("dont put the bowl on the plate", "negation", "dont"),
        ("do n't put the bowl on the plate", "negation", "do n't"),
        ("never put the bowl on the stove", "negation", "never"),
        ("the bowl must not be on the stove", "negation", "not"),
        ("leave the wine bottle alone", "negation", "leave the wine bottle alone"),
        ("put the bowl anywhere but on the plate", "exception", "anywhere but"),
        ("put every item except the bowl on the stove", "exception", "except"),
        ("put everything but the wine bottle on the stove", "exception", "everything but"),
        ("put the bowl on the stove or on the plate", "choice", "or"),
        ("if the drawer is open, close it", "condition", "if"),
        ("she said: put the bowl on the plate", "report", "said"),
    ],
)
def test_what_changes_the_meaning_is_refused_with_the_word_that_stopped_it(text: str, kind: str, said: str) -> None:
    with pytest.raises(Refusal, match=f'"{said}" \\({kind}\\)'):
        refuse_logic(instruction(text))


@pytest.mark.parametrize(
    "text",
    [
        "put the bowl on the plate, if you don't mind",
        "could you open the drawer, if it's not too much trouble?",
        "don't forget to close the drawer",
        "I'd rather have the all-white mug on the front plate",
        "move the rearmost of the three bowls onto the plate",
        "put the bowl between the other two bowls on the cabinet",
    ],
)
def test_manners_and_what_only_describes_are_not(text: str) -> None:
    assert logic_words(text) == ()


@pytest.mark.parametrize(
    ("text", "things", "together", "taken"),
    [
        ("put both the soup and the milk in the basket", 2, False, True),
        ("put both bowls on the tray", 1, False, False),
        ("put three cans in the basket", 2, False, False),
        ("put all the bowls on the tray", 3, True, True),
        ("put all the bowls on the tray", 1, False, False),
        ("put at least one bowl on the tray", 3, True, False),
    ],
)
def test_a_quantity_is_refused_unless_the_answer_takes_it_up(
    text: str, things: int, together: bool, taken: bool
) -> None:
    if taken:
        refuse_quantity(text, things, together)
    else:
        with pytest.raises(Refusal, match="quantity"):
            refuse_quantity(text, things, together)
