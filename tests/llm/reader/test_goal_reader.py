"""From a model's program to goals: what code refuses, asks about and checks, whatever the model writes."""

from dataclasses import replace

import pytest

from llm.reader.constrained_decoding import LONGEST
from llm.reader.goal_reader import AmbiguousError, UnsureError, ground, seen_stage, stage_of, understand
from llm.vocabulary.phrases import vocabulary_of
from tamp.errors import InputError, Refusal
from tamp.model.state import WorldState
from tamp.pddl.planner import PlanResult, PlanStatus

BOWL, TOP = "akita_black_bowl_1", "wooden_cabinet_1_top_region"


@pytest.mark.parametrize(("text", "says"), [("   \n", "empty"), ("bowl " * LONGEST, f"{LONGEST:,}")])
def test_an_instruction_that_is_empty_or_too_long(kitchen, domain, scripted, text, says):
    with pytest.raises(InputError, match=says):
        ground(text, *kitchen, domain, scripted("nothing"))


def test_a_goal_and_its_roles(kitchen, domain, scripted):
    answer = "open(top drawer of the wooden cabinet)\nin(black bowl, top drawer of the wooden cabinet)"
    model = scripted(answer)
    result = ground("open the top drawer and put the bowl inside", *kitchen, domain, model)
    assert str(result.goal) == f"(and (open {TOP}) (in {BOWL} {TOP}))"
    assert result.roles == {"source": BOWL, "target": TOP}
    assert (result.reply, result.ambiguous, result.probability) == (answer, False, 0.99)
    assert model.asked[0].question.endswith("said: open the top drawer and put the bowl inside")


@pytest.mark.parametrize(
    ("text", "answer", "kind", "shown"),
    [
        ("put the banana on the plate", 'on("banana", plate)', "absent", r'has no "banana"; it has: .*wine bottle'),
        ("put the bowl next to the plate", '"next to the plate"', "no goal", r"no predicate for it; it has: on, in, "),
        ("how are you?", "nothing", "nothing", "asks for nothing"),
        ("stop", "stop", "nothing", "asks for nothing"),
        ("leave the bottle alone", "keep(wine bottle)", "nothing", "asks for nothing"),
    ],
)
def test_what_is_no_goal_is_refused(kitchen, domain, scripted, text, answer, kind, shown):
    with pytest.raises(Refusal, match=shown) as refused:
        ground(text, *kitchen, domain, scripted(answer))
    assert refused.value.kind == kind


def test_where_what_is_absent_may_be(kitchen, domain, scripted):
    answer = 'on("spoon", plate)\nopen(top drawer of the wooden cabinet)\nnot on(black bowl, plate)'
    with pytest.raises(Refusal) as refused:
        ground("the spoon from the top drawer goes on the plate, not the bowl", *kitchen, domain, scripted(answer))
    assert (refused.value.lacks, refused.value.places, refused.value.forbids) == (("spoon",), (TOP,), True)


def test_a_condition_that_does_not_hold_asks_for_nothing(kitchen, domain, scripted):
    answer = "if turned on(stove): on(black bowl, plate)"
    with pytest.raises(Refusal, match="asks for nothing"):
        ground("if the stove is on, the bowl goes on the plate", *kitchen, domain, scripted(answer))


def test_a_world_without_a_thing(domain, scripted):
    empty = WorldState({}, frozenset())
    with pytest.raises(Refusal, match="not a single thing"):
        understand("put it there", stage_of(domain, empty, vocabulary_of(empty, domain)), scripted("nothing"))


def test_which_of_two_is_asked_in_words(two_bowls, domain, scripted):
    model = scripted("on(which of bowls, plate)")
    with pytest.raises(
        AmbiguousError, match=r"fits 2 goals: the left black bowl is on the plate \| the right black bowl"
    ) as refused:
        ground("put the bowl on the plate", *two_bowls, domain, model)
    goals = {str(g) for (g,) in refused.value.alternatives}
    assert goals == {"(on akita_black_bowl_2 plate_1)", "(on akita_black_bowl_1 plate_1)"}
    first = ground("put the bowl on the plate", *two_bowls, domain, model, assume_first=True)
    assert first.ambiguous and len(first.alternatives) == 1


def test_the_one_is_meant_of_which_the_words_have_the_name_or_the_place(two_bowls, kitchen, domain, scripted):
    model = scripted("on(which of bowls, plate)")
    for where, bowl in (("next to the cookie box", 2), ("between the plate and the ramekin", 1), ("on the right", 2)):
        goal = ground(f"the bowl {where}, put it on the plate", *two_bowls, domain, model).goal
        assert str(goal) == f"(on akita_black_bowl_{bowl} plate_1)"
    named = ground("open the drawer", *kitchen, domain, scripted("open(which of drawers)"), names={"drawer": TOP}).goal
    assert str(named) == f"(open {TOP})"


def test_things_are_put_away_where_a_user_says_that_they_belong(kitchen, domain, scripted, tmp_path):
    """The first place that is there counts; a group means those of it that belong somewhere."""
    words = '[belongs]\n"bowl" = ["dishwasher", "top drawer"]\n"wine bottle" = ["plate"]\n'
    (tmp_path / "words.toml").write_text((domain.path.parent / "words.toml").read_text() + words)
    own = replace(domain, path=tmp_path / "domain.pddl")
    goal = ground("tidy up", *kitchen, own, scripted("put away(all items)")).goal
    assert str(goal) == f"(and (in {BOWL} {TOP}) (on wine_bottle_1 plate_1))"
    assert "put away" not in {form.words for form in seen_stage(*kitchen, domain).can.forms}


def test_nothing_is_asked_where_the_answer_changes_nothing(kitchen, domain, scripted):
    """Two of three drawers are open already: it is the third that is to be opened."""
    scene, state = kitchen
    rest = {a for a in state.atoms if "bottom" in str(a) or "cabinet" not in str(a)}
    opened = {type(a)("open", a.args) for a in state.atoms - rest}
    now = type(state)(state.symbols, frozenset(rest | opened))
    goal = ground("open the drawer", scene, now, domain, scripted("open(which of drawers)")).goal
    assert str(goal) == "(open wooden_cabinet_1_bottom_region)"


def test_what_is_unlikely_is_asked_about(kitchen, domain, scripted):
    model = scripted("on(black bowl, plate)", 0.2)
    with pytest.raises(UnsureError, match=r"is this meant: the black bowl is on the plate\?"):
        ground("bowl, plate", *kitchen, domain, model)
    taken = ground("bowl, plate", *kitchen, domain, model, assume_first=True)
    assert "asked back" in taken.assumed and str(taken.goal) == f"(on {BOWL} plate_1)"


def test_a_goal_that_no_plan_reaches_is_refused(kitchen, domain, scripted):
    class Never:
        name, ties_by_name = "never", True

        def solve(self, problem, tell=None):
            return PlanResult(PlanStatus.UNSOLVABLE, None, 0.0)

    with pytest.raises(Refusal, match="no plan reaches") as refused:
        ground("bowl to the plate", *kitchen, domain, scripted("on(black bowl, plate)"), planner=Never())
    assert refused.value.kind == "unsolvable"


def test_a_model_that_was_not_taught_is_shown_the_nearest_examples(kitchen, domain, scripted):
    model = scripted("on(black bowl, plate)")
    model.taught = False
    ground("put the bowl on the plate", *kitchen, domain, model)
    assert len(model.asked[0].examples) > 3 and "any of cups" in model.asked[0].system
