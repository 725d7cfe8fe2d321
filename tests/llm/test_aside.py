"""Clauses that ask for no new state: to leave a thing alone, or to have it back as it was."""

from __future__ import annotations

import pytest

from llm.aside import BACK, LEAVE
from llm.grounding import ground
from tamp.errors import Refusal
from tamp.model.goal import in_pddl

BOWL, BOTTLE, PLATE, TABLE = "akita_black_bowl_1", "wine_bottle_1", "plate_1", "main_table"
TOP = "wooden_cabinet_1_top_region"


@pytest.mark.parametrize(
    ("text", "clause"),
    [
        ("open the top drawer but leave the bowl alone", "leave the bowl alone"),
        ("open the top drawer, but the bowl stays where it is", "the bowl stays where it is"),
        ("mind your own business about the bowl; open the top drawer", "mind your own business about the bowl"),
        ("open the top drawer without moving the bowl", "without moving the bowl"),
    ],
)
def test_what_is_to_be_left_alone_is_no_goal_and_the_rest_is_taken(kitchen, domain, scripted, text, clause) -> None:
    found = ground(text, *kitchen, domain, scripted("the top drawer is open.", aside={clause: LEAVE}))
    assert (in_pddl(found.goals), found.goal.untouched) == (f"(open {TOP})", (BOWL,))
    assert found.reply == "the top drawer is open; the black bowl is untouched"


def test_a_thing_that_is_to_be_moved_cannot_be_left_alone(kitchen, domain, scripted) -> None:
    model = scripted("the bowl is on the plate.", aside={"don't touch the bowl": LEAVE})
    with pytest.raises(Refusal, match="the black bowl is not to be touched, and yet"):
        ground("put the bowl on the plate, don't touch the bowl", *kitchen, domain, model)


def test_what_is_to_be_left_alone_tells_which_of_two_is_meant(two_bowls, domain, scripted) -> None:
    clause = "leave the right bowl alone"
    model = scripted("the black bowl on the right is on the plate.", aside={clause: LEAVE})
    found = ground(f"put the bowl on the plate, {clause}", *two_bowls, domain, model)
    assert (in_pddl(found.goals), found.ambiguous) == (f"(on {BOWL} {PLATE})", False)


@pytest.mark.parametrize(
    ("text", "clause", "reply", "goals"),
    [
        (
            "put the bowl in the top drawer, then put it back",
            "put it back",
            "the bowl is in the top drawer.",
            [f"(in {BOWL} {TOP})", f"(on {BOWL} {TABLE})"],
        ),
        (
            "open the top drawer and return it to how it was",
            "return it to how it was",
            "the top drawer is open.",
            [f"(open {TOP})", f"(closed {TOP})"],
        ),
        (
            "put the bowl on the plate and the bottle on the stove, then put the bottle back",
            "put the bottle back",
            "the bowl is on the plate; the wine bottle is on the stove.",
            [
                f"(and (on {BOWL} {PLATE}) (on {BOTTLE} flat_stove_1_cook_region))",
                f"(and (on {BOWL} {PLATE}) (on {BOTTLE} {TABLE}))",
            ],
        ),
    ],
)
def test_what_is_to_be_as_it_was_is_a_goal_of_its_own(kitchen, domain, scripted, text, clause, reply, goals) -> None:
    assert in_pddl(ground(text, *kitchen, domain, scripted(reply, aside={clause: BACK})).goals) == goals


@pytest.mark.parametrize(
    ("text", "clause", "reply", "why"),
    [
        (
            "put the bowl on the plate and the bottle on the stove, then put it back",
            "put it back",
            "the bowl is on the plate; the wine bottle is on the stove.",
            "the black bowl or the wine bottle was to be changed",
        ),
        (
            "open the top drawer, then put the bowl back",
            "put the bowl back",
            "the top drawer is open.",
            "not clear here",
        ),
        (
            "put the bowl on the plate, put it back, then open the top drawer",
            "put it back",
            "the bowl is on the plate; the top drawer is open.",
            "say the place",
        ),
    ],
)
def test_what_was_to_be_as_it_was_is_never_lost(kitchen, domain, scripted, text, clause, reply, why) -> None:
    with pytest.raises(Refusal, match=why):
        ground(text, *kitchen, domain, scripted(reply, aside={clause: BACK}))


def test_going_back_to_a_place_that_only_one_way_reads_is_refused(kitchen, domain, scripted) -> None:
    model = scripted("the bowl is on the plate.", meaning="unclear.")
    with pytest.raises(Refusal, match="no goal can be made"):
        ground("put the bowl on the plate and then back on the table", *kitchen, domain, model)


def test_going_back_that_neither_way_reads_is_refused(kitchen, domain, scripted) -> None:
    model = scripted("the bowl is on the plate.", meaning="[the bowl] is on [the plate].")
    with pytest.raises(Refusal, match="what is to go back"):
        ground("put the bowl on the plate and then put it back on the table", *kitchen, domain, model)
