"""The question: worked examples that the grammar allows, and only what the words may be about."""

from __future__ import annotations

import re

import pytest

from llm.forms import sayable
from llm.logic_words import is_involved
from llm.meaning import read_meaning
from llm.meaning_examples import LOGIC, PLAIN
from llm.meaning_grammar import noun_phrases
from llm.meaning_prompt import meaning_prompt
from llm.phrases import vocabulary


def tokens(text: str) -> set[str]:
    return set(re.findall(r"[a-z]+", text.lower()))


@pytest.mark.parametrize("example", [*PLAIN, *LOGIC], ids=lambda e: e.instruction)
def test_examples_say_what_the_grammar_allows(example) -> None:
    """Their things are called by words of the instruction, their predicates are among the words."""
    meaning = read_meaning(example.meaning)
    assert meaning.unclear or meaning.facts
    phrases = noun_phrases(example.instruction)
    for fact in meaning.facts:
        assert fact.words in (*example.words.split(", "), "untouched")
        for referent in fact.referents:
            assert set(tokens(referent.words)) <= {w for p in phrases for w in tokens(p)} | {"things"}


@pytest.mark.parametrize(
    ("text", "involved"),
    [
        ("put the bowl on the plate", False),
        ("put the bowl on the plate.", False),
        ("put the bowl on the plate. Then the mug.", True),
        ("don't touch the bowl", True),
        ("open the drawer, then close it", True),
    ],
)
def test_words_of_logic_order_and_several_sentences_make_it_involved(text: str, involved: bool) -> None:
    assert is_involved(text) == involved


def asked(scene, state, domain, text: str) -> str:
    words = vocabulary(scene, state)
    return meaning_prompt(text, sayable(domain, state, words, text)).question


def test_what_the_words_may_be_about_is_listed_once(kitchen, domain) -> None:
    question = asked(*kitchen, domain, "put the bowl in the bottom drawer")
    assert question.splitlines()[0].count("bowl") == 1
    assert "bottom drawer" in question.splitlines()[0]
    assert "wine bottle" not in question
    assert question.endswith("put the bowl in the bottom drawer")


def test_everything_is_listed_for_everything(kitchen, domain) -> None:
    question = asked(*kitchen, domain, "put everything on the stove")
    for name in ("bowl", "wine bottle", "plate", "stove", "bottom drawer"):
        assert name in question.splitlines()[0]


def test_things_are_listed_in_the_instructions_own_words(kitchen, domain) -> None:
    question = asked(*kitchen, domain, "switch on the cooker, the plate can wait")
    assert "cooker" in question.splitlines()[0]
    assert "stove" not in question
