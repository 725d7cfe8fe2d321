import pytest

from llm.grammar import language
from llm.phrases import vocabulary
from llm.spatial_cues import plain, wheres

CABINET_TOP, STOVE = "wooden_cabinet_1_top_side", "flat_stove_1_cook_region"


def said(scene, state, domain, text):
    """(relation, symbols) of an instruction; only symbols of things and places where something can be."""
    words = vocabulary(scene, state)
    forms = [f for f in language(domain, state, words, text).forms if len(f.types) > 1]
    return [(w.form.words if w.form else "", w.symbols) for w in wheres(text, forms, words)]


@pytest.mark.parametrize(
    ("text", "relation", "symbol"),
    [
        ("put the bowl on the stove", "on", STOVE),
        ("the bowl goes onto the top of the cabinet", "on", CABINET_TOP),
        ("set it in the upper drawer", "in", "wooden_cabinet_1_top_region"),
        ("move it to the plate", "", "plate_1"),
        ("set the bowl left of the plate", "to the left of", "plate_1"),
        ("on the plate's right-hand side set the bowl", "to the right of", "plate_1"),
        ("the bowl, top drawer inside please put", "in", "wooden_cabinet_1_top_region"),
    ],
)
def test_a_relation_and_its_thing(kitchen, domain, text, relation, symbol):
    assert any(r == relation and symbol in symbols for r, symbols in said(*kitchen, domain, text))


def test_the_longest_phrase_counts(kitchen, domain):
    (_, symbols), *_ = said(*kitchen, domain, "put the bowl on the cabinet's top")
    assert symbols == {CABINET_TOP}


@pytest.mark.parametrize(
    "text",
    [
        "turn on the stove",
        "switch the stove on",
        "open the drawer and put the bowl on it",
        "lift the bowl",
        "open the drawer and put the bowl inside",
        "push the drawer in",
        "shift the plate over, please",
        "put it on the banana",
    ],
)
def test_where_nothing_is_said_of_a_place(kitchen, domain, text):
    assert said(*kitchen, domain, text) == []


def test_a_bigger_relation_hides_the_small_one_in_it(kitchen, domain):
    found = said(*kitchen, domain, "put the bowl in front of the plate")
    assert {relation for relation, _ in found} <= {"to the front of", "in front of"}
    assert all(symbols == {"plate_1"} for _, symbols in found)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("The bowl that was left on the stove", "the bowl that   on the stove"),
        ("at the plate's left-hand side", "at left side of the plate"),
        ("left of the plate", "left of the plate"),
    ],
)
def test_what_left_means(text, told):
    assert plain(text) == told
