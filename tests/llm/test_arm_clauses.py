"""Instructions to an arm cut into clauses, in the order in which they are done."""

import pytest

from llm.arm_clauses import spoken
from tamp.errors import InputError

NAMES = ["home", "above_table", "bin_drop"]
LABELS = ["cup", "bottle", "wine glass"]


def clauses(text):
    return [c.text for c in spoken(text, NAMES, LABELS).clauses]


@pytest.mark.parametrize(
    "text",
    [
        "touch the cup, then go home",
        "after touching the cup, go home",
        "before going home, touch the cup",
        "touch the cup, and only after that go home",
        "go home after touching the cup",
        "touch the cup before going home",
        "once you have touched the cup, go home",
        "go home, but first touch the cup",
        "go home, but touch the cup first",
        "go home as soon as you have touched the cup",
        "hey robot, please touch the cup n go home. thanks!",
        "wait 1 s. touch the cup and after to go home",
        "after you have touched the cup go home",
        "before you go home touch the cup",
        "once the cup is touched return home",
        "(1) touch the cup (2) go home",
        "1. touch the cup 2. go home",
    ],
)
def test_what_is_done_first_comes_first(text):
    said = [c.text for c in spoken(text, NAMES, LABELS).clauses if c.mentions]
    assert ["cup" in c for c in said] == [True, False]
    assert "home" in said[1]


def test_what_comes_before_the_last_is_all_of_the_sentence():
    assert clauses("Before going home, touch the cup and lift 5 cm. Wait 1 s.") == [
        "touch the cup",
        "lift 50 mm",
        "going home",
        "wait 1 s",
    ]


def test_what_is_first_is_all_that_follows_in_the_sentence():
    said = ["wait 1 s", "touch the cup", "lift", "go home", "wait 2 s"]
    assert clauses("Wait 1 s. Go home, but first touch the cup and lift. Wait 2 s.") == said


def test_a_number_between_commas_belongs_to_what_is_before_it():
    assert clauses("go above the cup nearest to the bin, 6 cm, and then touch it") == [
        "go above the cup nearest to the bin_drop at 60 mm",
        "touch it",
    ]
    assert clauses("of all the cups, touch the one closest to the bin") == ["touch the cup closest to the bin_drop"]


def test_words_that_english_has_are_no_slips_of_common_ones():
    assert clauses("wait there for three seconds") == ["wait there for 3 s"]
    assert clauses("wait thre seconds") == ["wait 3 s"]


def test_the_model_reads_the_names_of_the_world_and_one_unit():
    said = spoken("Hover 12-cm over the glass nearest to the bin for half a minute", NAMES, LABELS)
    assert said.text == "hover 120 mm over the wine glass nearest to the bin_drop for 30 s"
    assert said.clauses[0].things == ("wine glass",)
    assert said.clauses[0].places == ("bin_drop",)
    assert clauses("go to x=400 y=0 z=250 roll=180 pitch=0 yaw=45") == ["go to xyz 400 0 250 rpy 180 0 45"]


def test_slips_of_the_pen_are_put_right():
    assert clauses("approch the botle adn wait 2 s") == ["approach the bottle", "wait 2 s"]


def test_the_same_height_is_the_one_that_was_said():
    last = spoken("hover 6 cm over the cup and then at the same height over the bottle", NAMES, LABELS).clauses[-1]
    assert [n.value for n in last.numbers] == [60]


def test_one_stands_for_the_thing_that_was_named():
    assert clauses("touch the cup closest to the bin, then the one closest to home, then the second one") == [
        "touch the cup closest to the bin_drop",
        "the cup closest to home",
        "the second cup",
    ]


def test_a_heading_only_says_what_it_is_about():
    said = spoken("the cup: go 20 cm above it, touch it", NAMES, LABELS).clauses
    assert [c.heads for c in said] == [True, False, False]
    assert [c.heads for c in spoken("hover over the cup: 20 cm above the bottle", NAMES, LABELS).clauses] == [False] * 2


@pytest.mark.parametrize("text", ["", "  \n", "touch the cup " * 200])
def test_an_empty_or_endless_instruction_is_bad_input(text):
    with pytest.raises(InputError):
        spoken(text, NAMES, LABELS)
