"""The question: worked examples far from any benchmark, and only what the words may be about."""

from __future__ import annotations

import re
from itertools import product

import pytest

from llm.forms import sayable
from llm.logic_words import is_involved
from llm.meaning import read_meaning
from llm.meaning_examples import LOGIC, PLAIN
from llm.meaning_grammar import noun_phrases
from llm.meaning_prompt import meaning_prompt
from llm.phrases import vocabulary
from llm.skill_prompt import EXAMPLES as PLANNED

SUITES = ("libero_spatial", "libero_object", "libero_goal", "libero_10", "libero_90")
NEAR = 0.6


def tokens(text: str) -> set[str]:
    return set(re.findall(r"[a-z]+", text.lower()))


def overlap(a: set[str], b: set[str]) -> float:
    return len(a & b) / len(a | b)


@pytest.fixture(scope="module")
def official():
    from libero.libero import benchmark

    known = benchmark.get_benchmark_dict()
    return [known[s]().get_task(i).language for s in SUITES for i in range(known[s]().n_tasks)]


def test_no_example_is_near_an_official_instruction(official) -> None:
    assert len(official) == 130
    shown = [text for e in (*PLAIN, *LOGIC) for text in (e.instruction, e.meaning)]
    shown += [text for e in PLANNED for text in (e.init, e.goal, e.plan)]
    near = [(a, b) for a, b in product(shown, official) if overlap(tokens(a), tokens(b)) >= NEAR]
    assert near == []


def test_the_overlap_measure_finds_what_is_near() -> None:
    assert overlap(tokens("Put the bowl on a plate"), tokens("put the bowl on the plate")) >= NEAR


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
