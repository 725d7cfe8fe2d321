"""Instructions with words of logic: what the model wrote becomes goals, or a refusal that names what stopped it."""

from __future__ import annotations

import pytest

from llm.grounding import ground
from tamp.errors import Refusal
from tamp.goal import in_pddl
from tamp.planning import Engine

BOWL, BOTTLE, PLATE = "akita_black_bowl_1", "wine_bottle_1", "plate_1"
BURNER, TOP = "flat_stove_1_cook_region", "wooden_cabinet_1_top_region"


def goal_of(kitchen, domain, scripted, text, reply):
    return in_pddl(ground(text, *kitchen, domain, scripted(reply)).goals)


@pytest.mark.parametrize(
    ("text", "reply", "goal"),
    [
        ("don't put the bowl on the plate", "[the bowl] is not on [the plate].", f"(not (on {BOWL} {PLATE}))"),
        (
            "put the bowl on the stove or on the plate",
            "[the bowl] is on [the stove] or on [the plate].",
            f"(or (on {BOWL} {BURNER}) (on {BOWL} {PLATE}))",
        ),
        (
            "put everything but the wine bottle on the stove",
            "[everything except the wine bottle] is on [the stove].",
            f"(and (on {BOWL} {BURNER}) (on {PLATE} {BURNER}))",
        ),
        (
            "all the drawers but the top one have to be open",
            "[all drawers except the top one] are open.",
            "(and (open wooden_cabinet_1_middle_region) (open wooden_cabinet_1_bottom_region))",
        ),
        (
            "put both the bowl and the bottle on the stove, don't touch the plate",
            "[the bowl and the bottle] are on [the stove]; [the plate] is untouched.",
            f"(and (on {BOWL} {BURNER}) (on {BOTTLE} {BURNER}))",
        ),
    ],
)
def test_what_is_said_is_what_is_asked_for(kitchen, domain, scripted, text, reply, goal) -> None:
    assert goal_of(kitchen, domain, scripted, text, reply) == goal


def test_what_comes_later_is_a_goal_of_its_own_and_keeps_what_it_does_not_undo(kitchen, domain, scripted) -> None:
    text = "first open the top drawer, then put the bowl or the bottle in it, then close it again"
    reply = "[the top drawer] is open; then [the bowl] is in [the top drawer]; or [the bottle] is in [the top drawer]; "
    goals = goal_of(kitchen, domain, scripted, text, f"{reply}then [the top drawer] is closed.")
    inside = f"(or (in {BOWL} {TOP}) (in {BOTTLE} {TOP}))"
    assert goals == [
        f"(open {TOP})",
        f"(and (open {TOP}) {inside})",
        f"(and {inside} (closed {TOP}))",
    ]


def test_what_is_not_to_be_touched_goes_with_the_goal(kitchen, domain, scripted) -> None:
    text, reply = (
        "put the bowl on the plate, don't touch the bottle",
        "[the bowl] is on [the plate]; [the bottle] is untouched.",
    )
    goals = ground(text, *kitchen, domain, scripted(reply)).goals
    assert (in_pddl(goals), goals[0].untouched) == (f"(on {BOWL} {PLATE})", (BOTTLE,))


@pytest.mark.parametrize(
    ("text", "reply", "why"),
    [
        ("don't put the bowl on the plate", "[the bowl] is on [the plate].", '"don\'t" \\(negation\\)'),
        ("put the bowl on the plate or the stove", "[the bowl] is on [the plate].", '"or" \\(choice\\)'),
        (
            "everything except the bottle goes to the stove",
            "[everything] is on [the stove].",
            '"except" \\(exception\\)',
        ),
        ("put the bowl on the plate if it is clean", "[the bowl] is on [the plate].", '"if" \\(condition\\)'),
        ("she said: put the bowl on the plate", "[the bowl] is on [the plate].", '"said" \\(report\\)'),
        ("put two bowls on the plate or the stove", "[2 bowls] are on [the plate].", "there are 1 in the scene"),
        ("never put the bowl on the plate", "unclear.", "no goal can be made of"),
        ("bowl on the plate, not the bottle", "[the bowl] is not on [the plate].", 'also says "bottle"'),
        (
            "put the bowl on the plate but not on the plate",
            "[the bowl] is on [the plate]; [the bowl] is not on [the plate].",
            "contradicts itself",
        ),
        (
            "bowl on the plate, don't touch the bowl",
            "[the bowl] is on [the plate]; [the bowl] is untouched.",
            "is not to be touched",
        ),
        (
            "do not leave the bowl there; the plate is where I want it",
            "[the bowl] is on [the plate]; [the plate] is untouched.",
            "denies something else",
        ),
        ("don't put the bowl next to the plate", "[the bowl] is not on [the plate].", "not which place that is"),
    ],
)
def test_what_the_meaning_does_not_take_up_is_refused(kitchen, domain, scripted, text, reply, why) -> None:
    with pytest.raises(Refusal, match=why):
        goal_of(kitchen, domain, scripted, text, reply)


def test_one_of_several_namesakes_is_asked_about(two_bowls, domain, scripted) -> None:
    with pytest.raises(Refusal, match="say which"):
        ground("don't leave the bowl on the plate", *two_bowls, domain, scripted("[the bowl] is not on [the plate]."))


def test_the_words_of_the_instruction_tell_namesakes_apart(two_bowls, domain, scripted) -> None:
    text = "the bowl between the plate and the ramekin must not be on the plate"
    reply = "[the bowl between the plate and the ramekin] is not on [the plate]."
    assert str(ground(text, *two_bowls, domain, scripted(reply)).goal) == f"(not (on {BOWL} {PLATE}))"


def test_a_goal_that_no_plan_reaches_is_refused(kitchen, domain, scripted) -> None:
    reply = "[the bowl] is on [the plate]; [the bottle] is not on [the table]; [the plate] is on [the bowl]."
    text = "bowl on plate, plate on the bowl, bottle not on the table"
    with pytest.raises(Refusal, match="no plan reaches"):
        ground(text, *kitchen, domain, scripted(reply), planner=Engine())


def test_a_reply_that_the_model_finds_unlikely_is_not_taken(kitchen, domain, scripted) -> None:
    class Unsure(scripted):
        def complete(self, prompt, begun, pattern):
            from dataclasses import replace

            return replace(super().complete(prompt, begun, pattern), probability=0.1)

    with pytest.raises(Refusal, match="not understood for certain"):
        ground("don't put the bowl on the plate", *kitchen, domain, Unsure("[the bowl] is not on [the plate]."))
