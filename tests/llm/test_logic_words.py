"""Words that turn an instruction into something else: found, and told from manners."""

from __future__ import annotations

import pytest

from llm.logic_words import logic_words
from llm.words import instruction


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
def test_what_changes_the_meaning_is_found(text: str, kind: str, said: str) -> None:
    assert (kind, said) in [(w.kind, w.said) for w in logic_words(instruction(text))]


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
