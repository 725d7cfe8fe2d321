"""Where an instruction speaks of places and things, whatever they are called."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm.arm_mentions import mark_mentions
from tamp.errors import Refusal

NAMES = ["home", "above_table", "bin_drop"]
ODD = ["wine glass", 'Bob\'s "cup"', "tür_2", "杯子", "café [1]", "a\\b {2}", "ΣΟΦΙΑ", "x-ray box"]


def meant(text, names=NAMES, labels=("cup", "wine glass")):
    return [m.what for m in mark_mentions(text, names, labels)[1]]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("above_table", ["above_table"]),
        ("above the table", ["above_table"]),
        ("to the table", ["above_table"]),
        ("over the bin", ["bin_drop"]),
        ("to the Bin Drop", ["bin_drop"]),
        ("the drop", ["bin_drop"]),
        ("above it", []),
        ("the glass", ["wine glass"]),
        ("the wine glasses", ["wine glass"]),
        ("the wine", []),
        ("the cup, then the cups", ["cup", "cup"]),
        ("the cupboard", []),
    ],
)
def test_a_place_by_any_part_of_its_name_and_a_thing_by_the_last_word(text, what):
    assert meant(text) == what


def test_the_whole_name_counts_before_a_part():
    assert meant("the glass", labels=["glass", "wine glass"]) == ["glass"]
    assert meant("the wine glass", labels=["glass", "wine glass"]) == ["wine glass"]
    assert meant("the bowl", ["bowl_stand"], ["bowl"]) == ["bowl"]


@pytest.mark.parametrize(
    ("text", "names", "labels"),
    [
        ("the glass", [], ["wine glass", "water glass"]),
        ("the bin", ["bin_left", "bin_right"], []),
        ("the glass", ["glass_rack"], ["wine glass"]),
    ],
)
def test_a_part_of_several_is_ambiguous(text, names, labels):
    with pytest.raises(Refusal) as told:
        meant(text, names, labels)
    assert told.value.kind == "ambiguous"
    assert all(name in str(told.value) for name in names + labels)


def test_a_unit_is_no_part_of_a_name():
    assert meant("wait 2 s, lift 5 m, 2 min", ["bob's bin", "m_1", "min_pose"]) == []


@given(st.sampled_from(ODD), st.booleans())
def test_odd_names_are_found_as_they_are_written(name, is_thing):
    names, labels = ([], ODD) if is_thing else (ODD, [])
    text, found = mark_mentions(f"go to the {name} now", names, labels)
    assert [(m.what, m.is_thing) for m in found] == [(name, is_thing)]
    assert "@0" in text


def test_marks_in_the_instruction_mean_nothing():
    text, found = mark_mentions("go @0 to #1 &2 cup", [], ["cup"])
    assert text.count("@") == len(found) == 1
    assert "#" not in text and "&" not in text


def test_no_names_and_no_labels():
    assert mark_mentions("go to the cup", [], [])[1] == ()
    assert mark_mentions("go to the cup", ["__"], ["—"])[1] == ()
