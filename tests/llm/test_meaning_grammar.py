"""What a model may write: noun phrases of the instruction, and of each only what can be said of it."""

from __future__ import annotations

import re

import pytest

from llm.forms import sayable
from llm.meaning_grammar import MeaningGrammar, noun_phrases
from llm.phrases import vocabulary
from llm.referents import Reader


@pytest.fixture
def grammar(kitchen, domain):
    scene, state = kitchen
    words = vocabulary(scene, state)
    text = "put the bowl, not the soup dish, on the stove"
    return MeaningGrammar(text, sayable(domain, state, words, text), Reader(words))


def test_phrases_are_the_instructions_own_and_end_at_stops_and_words_of_logic() -> None:
    phrases = noun_phrases("Put the red cup, or not the can, in it")
    assert "red cup" in phrases and "can" in phrases
    assert not any(w in p.split() for p in phrases for w in ("or", "not")) and not any("," in p for p in phrases)


def test_a_subject_is_what_something_can_be_said_of_or_unknown(grammar) -> None:
    for subject in ("[the bowl] is ", "[soup dish] is ", "[the stove] is ", "[all bowl except the soup dish] are "):
        assert re.fullmatch(grammar.subjects(), subject), subject
    assert not re.fullmatch(grammar.subjects(), "[the cup] is ")


@pytest.mark.parametrize(
    ("subject", "said", "allowed"),
    [
        ("bowl", "not on [the stove].", True),
        ("bowl", "on [the stove] or on [the soup dish].", True),
        ("bowl", "on [the bowl].", False),
        ("bowl", "turned on.", False),
        ("stove", "turned on.", True),
        ("stove", "on [the bowl].", False),
        ("soup dish", "on [the stove].", True),
        ("bowl", "untouched.", True),
        ("bowl", "not untouched.", False),
    ],
)
def test_of_a_subject_only_what_fits_its_type_can_be_said(grammar, subject: str, said: str, allowed: bool) -> None:
    assert bool(re.fullmatch(grammar.predicates(subject, r"\."), said)) == allowed
