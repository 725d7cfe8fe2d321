import re
from dataclasses import replace
from itertools import product

import pytest

from llm.grammar import forms, language
from llm.meaning_examples import LOGIC, PLAIN
from llm.phrases import vocabulary
from llm.prompt import EXAMPLES, answer, prompt
from llm.skill_prompt import EXAMPLES as PLANNED

SUITES = ("libero_spatial", "libero_object", "libero_goal", "libero_10", "libero_90")
NEAR = 0.6


def tokens(text):
    return set(re.findall(r"[a-z]+", text.lower()))


def overlap(a, b):
    return len(a & b) / len(a | b)


@pytest.fixture(scope="module")
def official():
    from libero.libero import benchmark

    known = benchmark.get_benchmark_dict()
    return [known[s]().get_task(i).language for s in SUITES for i in range(known[s]().n_tasks)]


def test_no_example_is_near_an_official_instruction(official, domain):
    assert len(official) == 130
    known = {f.predicate: f for f in forms(domain)} | {"to-the-right-of": forms(domain)[0]}
    shown = [t for e in EXAMPLES for t in (e.instruction, answer(e.goal, known))]
    shown += [text for e in (*PLAIN, *LOGIC) for text in (e.instruction, e.meaning)]
    shown += [text for e in PLANNED for text in (e.init, e.goal, e.plan)]
    near = [(a, b) for a, b in product(shown, official) if overlap(tokens(a), tokens(b)) >= NEAR]
    assert near == []


def test_the_overlap_measure_finds_what_is_near():
    assert overlap(tokens("Put the bowl on a plate"), tokens("put the bowl on the plate")) >= NEAR


def asked(scene, state, domain, text):
    words = vocabulary(scene, state)
    return prompt(text, language(domain, state, words, text), state)


def test_everything_nameable_is_listed_once(kitchen, domain):
    question = asked(*kitchen, domain, "tidy up").question
    for name in (
        "black bowl",
        "wine bottle",
        "top of the wooden cabinet",
        "bottom drawer of the wooden cabinet",
        "stove",
    ):
        assert question.count(name) == 1
    assert question.endswith("tidy up")


def test_things_are_listed_in_the_instructions_own_words(kitchen, domain):
    question = asked(*kitchen, domain, "switch on the cooker").question
    assert "cooker" in question.splitlines()[0]
    assert "stove" not in question


def test_examples_need_their_predicates(kitchen, domain):
    scene, state = kitchen
    words = vocabulary(scene, state)
    full = language(domain, state, words, "")
    without = tuple(f for f in full.forms if f.predicate != "turned-on")
    smaller = prompt("x", replace(full, forms=without), state)
    assert "turned on" not in str(smaller.messages())
    assert "turned on" in str(prompt("x", full, state).messages())


def test_the_answer_language(domain):
    known = {f.predicate: f for f in forms(domain)}
    assert answer((("the lamps", "turned-on", ""), ("the fan", "on", "the desk")), known) == (
        "the lamps are turned on; the fan is on the desk."
    )
