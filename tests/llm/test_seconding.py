"""Where order, a pronoun or a side may matter, an answer in the scene's words needs one in the instruction's own."""

from __future__ import annotations

import pytest

from llm.grounding import ground
from llm.logic_words import before_what_refers_back, is_ordered, is_turned
from tamp.errors import Refusal
from tamp.model.goal import in_pddl

BOWL, PLATE, BOTTLE, BURNER = "akita_black_bowl_1", "plate_1", "wine_bottle_1", "flat_stove_1_cook_region"


def test_goals_come_one_after_the_other_where_both_ways_come_to_the_same(kitchen, domain, scripted) -> None:
    text = "first put the bottle on the stove, then put the bowl on the plate"
    plain = "the wine bottle is on the stove; the bowl is on the plate."
    meaning = "[the bottle] is on [the stove]; then [the bowl] is on [the plate]."
    answer = ground(text, *kitchen, domain, scripted(plain, meaning))
    both = f"(and (on {BOTTLE} {BURNER}) (on {BOWL} {PLATE}))"
    assert in_pddl(answer.goals) == [f"(on {BOTTLE} {BURNER})", both]
    assert answer.reply == plain.removesuffix(".")


def test_two_readings_are_told(kitchen, domain, scripted) -> None:
    told = 'two ways: "the black bowl is on the plate" or "the plate is on the black bowl"; say it in other words'
    with pytest.raises(Refusal, match=told):
        ground("then bowl, plate", *kitchen, domain, scripted("the bowl is on the plate.", "[plate] is on [bowl]."))


def test_only_what_two_readings_differ_in_is_told(kitchen, domain, scripted) -> None:
    drawer = "top drawer of the wooden cabinet"
    model = scripted(
        f"the bowl is in the {drawer}; the {drawer} is closed.",
        "[the top drawer] is open; then [the bowl] is in [the top drawer].",
    )
    with pytest.raises(Refusal, match=f'two ways: "the {drawer} is closed" or "the {drawer} is open"; say it in'):
        ground("slide open the top drawer, then drop the bowl in it and shut it", *kitchen, domain, model)


def test_another_order_than_that_of_the_words_has_to_be_understood(kitchen, domain, scripted) -> None:
    text, plain = "bowl on the plate after bottle on the stove", "the bowl is on the plate; the bottle is on the stove."
    with pytest.raises(Refusal, match="no goal can be made of that"):
        ground(text, *kitchen, domain, scripted(plain, "unclear."))


def test_it_is_the_one_thing_of_another_sentence(kitchen, domain, scripted) -> None:
    text, plain = "There is a bowl. Put it on the stove.", "the bowl is on the stove."
    assert str(ground(text, *kitchen, domain, scripted(plain, "unclear.")).goal) == f"(on {BOWL} {BURNER})"


@pytest.mark.parametrize(
    ("text", "ordered", "turned", "before"),
    [
        ("open it, then close it", True, False, ""),
        ("close it after opening the drawer", True, True, ""),
        ("There is a bowl. Put it away.", False, False, "There is a bowl"),
        ("Put the bowl away. Thanks!", False, False, ""),
    ],
)
def test_words_of_order_and_pronouns(text: str, ordered: bool, turned: bool, before: str) -> None:
    assert (is_ordered(text), is_turned(text), before_what_refers_back(text)) == (ordered, turned, before)
