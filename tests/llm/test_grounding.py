import re

import pytest

from llm.grounding import AmbiguousError, ground
from llm.model import Completion
from llm.words import LONGEST
from tamp.atoms import Atom
from tamp.domain import load
from tamp.errors import InputError, Refusal
from tamp.planning import PlanResult, PlanStatus


@pytest.mark.parametrize("text", ["", "   \n"])
def test_an_empty_instruction(kitchen, domain, scripted, text):
    model = scripted("")
    with pytest.raises(InputError, match="empty"):
        ground(text, *kitchen, domain, model)
    assert model.asked == []


def test_an_overlong_instruction(kitchen, domain, scripted):
    with pytest.raises(InputError, match=f"{LONGEST:,}"):
        ground("bowl " * LONGEST, *kitchen, domain, scripted(""))


def test_an_instruction_about_nothing_there(kitchen, domain, scripted):
    with pytest.raises(Refusal, match="no goal can be made of that"):
        ground("sing loudly", *kitchen, domain, scripted("unclear."))


def test_a_goal_and_its_roles(kitchen, domain, scripted):
    reply = "[the top drawer] is open; [the bowl] is in [the top drawer]."
    result = ground("open the top drawer and put the bowl inside", *kitchen, domain, scripted(reply))
    top = "wooden_cabinet_1_top_region"
    assert str(result.goal) == f"(and (open {top}) (in akita_black_bowl_1 {top}))"
    assert result.roles == {"source": "akita_black_bowl_1", "target": top}
    assert result.reply == reply
    assert not result.ambiguous
    assert 0.0 < result.confidence < 1.0
    assert "put the bowl inside" in result.prompt.question


def test_the_models_answer_is_what_counts(kitchen, domain, scripted):
    """The same words, two answers, two goals: nothing but the model chooses."""
    answers = ("[bowl] is on [plate].", "[plate] is on [bowl].")
    goals = [str(ground("bowl, plate", *kitchen, domain, scripted(a)).goal) for a in answers]
    assert goals == ["(on akita_black_bowl_1 plate_1)", "(on plate_1 akita_black_bowl_1)"]


def test_what_was_left_out_is_not_made_up(kitchen, domain, scripted):
    with pytest.raises(Refusal, match='it also says "bottle"'):
        ground("bowl and bottle onto the plate", *kitchen, domain, scripted("[bowl] is on [the plate]."))


def test_slips_of_the_pen(kitchen, domain, scripted):
    model = scripted("[the bowl] is in [the middle drawer].")
    answer = ground("put the blow in the mdidle darwer", *kitchen, domain, model)
    assert str(answer.goal) == "(in akita_black_bowl_1 wooden_cabinet_1_middle_region)"
    assert model.asked[0].question.endswith("put the bowl in the middle drawer")


@pytest.mark.parametrize(
    ("said", "place"),
    [
        ("to the right of [the plate]", "right-of-plate_1"),
        ("in front of [the wooden cabinet]", "front-of-wooden_cabinet_1"),
        ("behind [the stove]", "behind-flat_stove_1"),
        ("on top of [the wooden cabinet]", "wooden_cabinet_1_top_side"),
    ],
)
def test_a_place_beside_a_thing(said, place, kitchen, domain, scripted):
    text = f"put the bowl {said}".replace("[", "").replace("]", "")
    answer = ground(text, *kitchen, domain, scripted(f"[the bowl] is {said}."))
    assert str(answer.goal) == f"(on akita_black_bowl_1 {place})"
    assert answer.roles["target"] == place


def test_the_plates_left_is_a_place_beside_it(kitchen, domain, scripted):
    reply = "[the bowl] is to the left of [the plate]."
    assert str(ground("put the bowl at the plate's left", *kitchen, domain, scripted(reply)).goal) == (
        "(on akita_black_bowl_1 left-of-plate_1)"
    )


def test_a_place_that_cannot_be_a_goal(kitchen, domain, scripted):
    with pytest.raises(Refusal, match='"next to", not which place that is'):
        ground("put the bowl next to the plate", *kitchen, domain, scripted("[the bowl] is on [the plate]."))


def test_a_side_that_is_asked_for_is_not_dropped(kitchen, domain, scripted):
    text, reply = "put the bowl on the table to the left of the plate", "[the bowl] is on [the plate]."
    with pytest.raises(Refusal, match='it also says "to the left of"'):
        ground(text, *kitchen, domain, scripted(reply))


def test_beside_one_of_two(two_bowls, domain, scripted):
    text, answer = "put the plate behind the bowl", "[the plate] is behind [the bowl]."
    with pytest.raises(AmbiguousError, match="fits 2 goals: bowl: ") as refused:
        ground(text, *two_bowls, domain, scripted(answer))
    assert {g.atoms[0].args[1] for (g,) in refused.value.alternatives} == {
        "behind-akita_black_bowl_1",
        "behind-akita_black_bowl_2",
    }


def test_words_that_fit_two_things(two_bowls, domain, scripted):
    text, answer = "put the bowl on the plate", "[the bowl] is on [the plate]."
    with pytest.raises(AmbiguousError, match="fits 2 goals") as refused:
        ground(text, *two_bowls, domain, scripted(answer))
    assert {str(g) for (g,) in refused.value.alternatives} == {
        "(on akita_black_bowl_2 plate_1)",
        "(on akita_black_bowl_1 plate_1)",
    }
    assert refused.value.exit_code == 1


def test_assume_first_takes_the_first_and_says_so(two_bowls, domain, scripted):
    answer = "[the bowl] is on [the plate]."
    result = ground("put the bowl on the plate", *two_bowls, domain, scripted(answer), assume_first=True)
    assert str(result.goal) == "(on akita_black_bowl_1 plate_1)"
    assert result.ambiguous
    assert [str(g) for (g,) in result.alternatives] == ["(on akita_black_bowl_2 plate_1)"]


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("put the bowl on the right on the plate", "[the bowl on the right] is on [the plate]."),
        ("the bowl near the cookie box goes on the plate", "[the bowl near the cookie box] is on [the plate]."),
        ("put both bowls on the plate", "[both bowls] are on [the plate]."),
    ],
)
def test_words_that_tell_them_apart(two_bowls, domain, scripted, text, answer):
    assert not ground(text, *two_bowls, domain, scripted(answer)).ambiguous


def test_a_drawer_among_three(kitchen, domain, scripted):
    with pytest.raises(AmbiguousError, match="fits 3 goals"):
        ground("open the drawer", *kitchen, domain, scripted("[the drawer] is open."))


def test_the_scenes_own_words(kitchen, domain, scripted):
    top = "wooden_cabinet_1_top_region"
    reply = "[the bowl] is in [the drawer]; [the drawer] is closed."
    text = "put the bowl in the drawer and close it"
    result = ground(text, *kitchen, domain, scripted(reply), names={"drawer": top})
    assert str(result.goal) == f"(and (in akita_black_bowl_1 {top}) (closed {top}))"


def test_what_holds_already_is_a_goal_when_asked_for(kitchen, domain, scripted):
    scene, state = kitchen
    held = state.with_facts(frozenset({Atom("on", ("akita_black_bowl_1", "plate_1"))}))
    answer = ground("leave the bowl on the plate", scene, held, domain, scripted("[the bowl] is on [the plate]."))
    assert str(answer.goal) == "(on akita_black_bowl_1 plate_1)"


def test_a_predicate_that_is_added_can_be_asked_for(kitchen, domain, scripted, tmp_path):
    text = domain.text.replace("(hand-empty)\n", "(hand-empty)\n    (wiped ?s - surface)\n", 1)
    action = "(:action wipe :parameters (?s - surface) :precondition (hand-empty) :effect (wiped ?s))"
    (tmp_path / "domain.pddl").write_text(text.rstrip().removesuffix(")") + action + ")")
    answer = ground("clean the stove", *kitchen, load(str(tmp_path)), scripted("[the stove] is wiped."))
    assert str(answer.goal) == "(wiped flat_stove_1_cook_region)"


def test_a_goal_that_no_plan_reaches_is_refused_and_told(kitchen, domain, scripted):
    told = []

    class Never:
        name, ties_by_name = "never", True

        def solve(self, problem, tell=None):
            return PlanResult(PlanStatus.UNSOLVABLE, None, 0.0)

    with pytest.raises(Refusal, match="no plan reaches"):
        ground(
            "put the bowl on the plate",
            *kitchen,
            domain,
            scripted("[the bowl] is on [the plate]."),
            planner=Never(),
            tell=lambda kind, **data: told.append((kind, data["error"])),
        )
    assert told == [("objection", "unsolvable")]


def test_a_meaning_that_stops_earlier_counts_when_it_is_likelier(kitchen, domain):
    """A small model goes on when all is said; the likeliest whole counts."""

    class GoesOn:
        name, sees = "goes on", False

        def complete(self, prompt, begun, pattern):
            whole = "[the bowl] is on [the plate]; then [the plate] is on [the bowl]."
            rest = whole[len(begun) :]
            said = re.match(pattern, rest)
            assert said, (begun, pattern)
            unlikely = begun.endswith("then") or "then [the plate" in begun
            return Completion(said[0], 0.3 if unlikely else 0.6)

    answer = ground("put the bowl on the plate", *kitchen, domain, GoesOn())
    assert answer.reply == "[the bowl] is on [the plate]."
