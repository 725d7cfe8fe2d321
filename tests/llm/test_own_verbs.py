"""Verbs by which the predicates of a domain are asked for, and what they keep their prepositions from asking for."""

from __future__ import annotations

import re

import pytest

from llm.own_verbs import beyond, is_imperative, naming_verbs, verb_pattern, verb_stem

STEMS = [verb_stem(w) for w in ("wipe", "pour", "press", "tap", "tidy")]


@pytest.mark.parametrize(
    "forms",
    [
        ("wipe", "wipes", "wiped", "wiping"),
        ("press", "presses", "pressed", "pressing"),
        ("tap", "taps", "tapped", "tapping"),
        ("tidy", "tidies", "tidied", "tidying"),
        ("stack", "stacks", "stacked", "stacking"),
        ("fill", "fills", "filled", "filling"),
        ("pour", "pours", "poured", "pouring"),
    ],
)
def test_the_forms_of_a_regular_verb_have_one_stem_and_are_found_by_it(forms):
    assert len({verb_stem(f) for f in forms}) == 1
    assert all(re.search(verb_pattern([verb_stem(forms[0])]), f"please {f} it") for f in forms)


@pytest.mark.parametrize(
    "text", ["put it next to the press", "the wiped table is mine", "a tap", "my tidy desk", "the wiper", "pressure"]
)
def test_nouns_adjectives_and_other_words_are_no_such_verbs(text):
    assert not re.search(verb_pattern(STEMS), text)


def test_a_verb_names_what_is_called_like_its_operator_or_else_what_comes_first():
    named = naming_verbs(
        [("stack", ["on", "stacked", "hand-empty"]), ("wipe", ["shiny"]), ("place-on", ["on"]), ("place-in", ["in"])]
    )
    assert named["stacked"] == {"stack"}
    assert named["shiny"] == {"wip", "shiny"}
    assert "place" not in {stem for stems in named.values() for stem in stems}, "it would name both on and in"


def test_prepositions_in_the_clause_of_such_a_verb_are_its_own():
    verbs = verb_pattern(STEMS)
    text = "pour the bowl and the mug into the pan, then put the plate on the stove"
    assert beyond(text, verbs).strip(" ,") == "then put the plate on the stove"
    assert beyond("put the plate on the stove", verbs) == "put the plate on the stove"


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("press the stove", True),
        ("Please wipe the table!", True),
        ("the table is wiped", False),
        ("I'd hate you to wipe the table", False),
        ("wipe the table, no, leave it", False),
        ("press the stove and open the drawer", False),
    ],
)
def test_an_imperative_is_one_clause_that_begins_with_the_verb(text, is_one):
    assert is_imperative(text, verb_pattern(STEMS)) is is_one
