"""Instructions with words of logic: what the model wrote becomes goals, or a refusal that names what stopped it."""

from __future__ import annotations

import re

import pytest

from llm.grounding import ground
from llm.meaning_grammar import MeaningGrammar, write_meaning
from llm.meaning_stage import Reading, Stage
from llm.model import Completion, Prompt
from llm.phrases import vocabulary
from tamp.errors import Refusal
from tamp.model.goal import in_pddl
from tamp.planning.engine import Engine

BOWL, BOTTLE, PLATE = "akita_black_bowl_1", "wine_bottle_1", "plate_1"
BURNER, TOP = "flat_stove_1_cook_region", "wooden_cabinet_1_top_region"


def read(scene, state, domain, text: str, reply: str, names: dict[str, str] | None = None) -> tuple[Reading, ...]:
    """What a reply makes of an instruction, without a model."""
    words = vocabulary(scene, state, names)
    stage = Stage(text, words, state, domain, Silent())
    return stage.understand(Completion(reply, 0.9)).readings


class Silent:
    """Says that nothing means anything."""

    name, sees = "silent", False

    def complete(self, prompt, begun: str, pattern: str) -> Completion:
        assert pattern == "(yes|no)"
        return Completion("no", 0.95)


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
            "the bowl goes to the stove, except the bottle",
            "[the bowl] is on [the stove].",
            '"except" \\(exception\\)',
        ),
        ("put the bowl on the plate if it is clean", "[the bowl] is on [the plate].", '"if" \\(condition\\)'),
        ("she said: put the bowl on the plate", "[the bowl] is on [the plate].", '"said" \\(report\\)'),
        ("put two bowls on the plate or the stove", "[2 bowls] are on [the plate].", "there is 1 in the scene"),
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


@pytest.mark.parametrize(
    ("said", "place"),
    [
        ("to the right of [the plate]", "right-of-plate_1"),
        ("in front of [the wooden cabinet]", "front-of-wooden_cabinet_1"),
        ("behind [the stove]", "behind-flat_stove_1"),
        ("on top of [the wooden cabinet]", "wooden_cabinet_1_top_side"),
    ],
)
def test_a_place_beside_a_thing(said: str, place: str, kitchen, domain) -> None:
    text = f"put the bowl {said}".replace("[", "").replace("]", "")
    (found,) = read(*kitchen, domain, text, f"[the bowl] is {said}.")
    assert in_pddl(found.goals) == f"(on {BOWL} {place})"


@pytest.mark.parametrize(
    ("text", "reply", "why"),
    [
        ("put the bowl next to the plate", "[the bowl] is on [the plate].", '"next to", not which place that is'),
        ("put the bowl to the left of the plate", "[the bowl] is on [the plate].", 'it also says "to the left of"'),
        ("bowl and bottle onto the plate", "[bowl] is on [the plate].", 'it also says "bottle"'),
        ("put the kettle and the bowl on the plate", "[the bowl] is on [the plate].", 'it also says "kettle"'),
        ("drop the bowl in the drawer of the cabinet", "[the bowl] is on [the cabinet].", 'it also says "drawer"'),
        ("the plate on the bowl", "[the bowl] is on [the plate].", '"bowl" is the place, not "plate"'),
        ("open the top drawer after putting the bowl on the plate", "[the top drawer] is open; then [the bowl] is on "
         "[the plate].", "out of order"),
        ("the bottle on the stove, the other one on the plate", "[the bottle] is on [the stove]; [the bowl] is on "
         "[the plate].", 'nothing is said of "the other"'),
        ("bowl and bottle: the former on the plate", "[the bowl] is on [the plate].", '"former" \\(rank\\)'),
        ("stove on or off", "[the stove] is turned on or turned off.", "one or the other is always so"),
    ],
)  # fmt: skip
def test_what_the_words_place_and_order_otherwise_is_refused(kitchen, domain, text: str, reply: str, why: str) -> None:
    with pytest.raises(Refusal, match=why):
        read(*kitchen, domain, text, reply)


@pytest.mark.parametrize(
    ("text", "reply", "bowl"),
    [
        ("put the bowl on the right on the plate", "[the bowl on the right] is on [the plate].", 2),
        ("the bowl near the cookie box goes on the plate", "[the bowl near the cookie box] is on [the plate].", 2),
        ("between plate and ramekin is a bowl, put it on the plate", "[the bowl] is on [the plate].", 1),
    ],
)
def test_words_that_tell_namesakes_apart(two_bowls, domain, text: str, reply: str, bowl: int) -> None:
    (found,) = read(*two_bowls, domain, text, reply)
    assert in_pddl(found.goals) == f"(on akita_black_bowl_{bowl} plate_1)"


@pytest.mark.parametrize(("text", "n"), [("put the bowl on the plate", 2), ("put the plate behind the bowl", 2)])
def test_words_that_fit_two_things_have_two_readings(two_bowls, domain, text: str, n: int) -> None:
    reply = "[the bowl] is on [the plate]." if "behind" not in text else "[the plate] is behind [the bowl]."
    found = read(*two_bowls, domain, text, reply)
    assert len({r.goals for r in found}) == n and all("black bowl" in r.chosen for r in found)


def test_where_it_is_now_and_that_it_is_taken_are_no_goals(two_bowls, domain) -> None:
    text = "take the bowl on the right from the table and put it on the plate"
    reply = "[the bowl on the right] is held; [the bowl on the right] is on [the table]; [the bowl on the right] is on "
    (found,) = read(*two_bowls, domain, text, f"{reply}[the plate].")
    assert in_pddl(found.goals) == "(on akita_black_bowl_2 plate_1)"


def test_a_meaning_that_stops_earlier_counts_when_it_is_likelier(kitchen, domain) -> None:
    """A small model goes on when all is said; of whole meanings that name as much the likeliest counts."""

    class GoesOn:
        name, sees = "goes on", False

        def complete(self, prompt: Prompt, begun: str, pattern: str) -> Completion:
            whole = "[the bowl] is on [the plate]; then [the plate] is on [the bowl]."
            said = re.match(pattern, whole[len(begun) :])
            assert said, (begun, pattern)
            return Completion(said[0], 0.3 if "then" in begun else 0.6)

    stage = Stage("put the bowl on the plate", vocabulary(*kitchen), kitchen[1], domain, GoesOn())
    grammar = MeaningGrammar(stage.text, stage.can, stage.reader)
    assert write_meaning(GoesOn(), stage.prompt, grammar).text == "[the bowl] is on [the plate]."
