import pytest

from llm.decoding import Clause
from llm.grammar import language
from llm.phrases import vocabulary
from llm.reference import coverage, heard_as, heard_in, narrowed, rivals, things_of
from tamp.model.atoms import Atom

LEFT, RIGHT = "akita_black_bowl_1", "akita_black_bowl_2"


@pytest.fixture
def bowls(two_bowls, domain):
    scene, state = two_bowls

    def of(text):
        return language(domain, state, vocabulary(scene, state), text, again=True)

    return of


def on(a, b):
    return Atom("on", (a, b))


@pytest.mark.parametrize(
    ("text", "symbols", "words"),
    [
        ("put the bowl on the plate", (LEFT, "plate_1"), 2),
        ("put the right black bowl on the plate", (RIGHT, "plate_1"), 4),
        ("put the right black bowl on the plate", (LEFT, "plate_1"), 3),
        ("the bowl on the bowl", (LEFT, RIGHT), 2),
        ("the bowl on the plate", (LEFT, RIGHT), 1),
        ("the bowl onto the right one", (LEFT, RIGHT), 3),
        ("the cookies", ("plate_1",), 0),
    ],
)
def test_how_many_words_are_accounted_for(bowls, text, symbols, words):
    allowed = bowls(text)
    assert coverage(symbols, allowed.vocabulary, heard_in(text, allowed)) == words


def test_relations_are_no_descriptions(bowls):
    text = "put the plate to the right of the bowl"
    allowed = bowls(text)
    heard = heard_in(text, allowed)
    assert heard["right"] == 0
    assert coverage((RIGHT,), allowed.vocabulary, heard) == coverage((LEFT,), allowed.vocabulary, heard) == 1
    assert heard_as(RIGHT, allowed.vocabulary, heard) == "bowl"


def test_the_side_of_a_thing_tells_which_part_of_it(kitchen, domain):
    scene, state = kitchen
    text = "put the bowl in the drawer on the left side of the cabinet"
    allowed = language(domain, state, vocabulary(scene, state), text)
    drawer, beside = "wooden_cabinet_1_top_region", Atom("on", ("akita_black_bowl_1", "plate_1"))
    assert heard_in(text, allowed, [Atom("in", ("akita_black_bowl_1", drawer))])["left"] == 1
    assert heard_in(text, allowed, [beside])["left"] == 0


def test_what_was_left_somewhere_is_on_no_side(bowls):
    text = "the bowl that was left there"
    assert heard_in(text, bowls(text))["left"] == 0


def test_of_what_a_vague_answer_can_mean_what_the_words_fit_best(bowls):
    text = "put the right bowl on the plate"
    vague = Clause("the bowl is on the plate", (on(LEFT, "plate_1"), on(RIGHT, "plate_1")), 1.0)
    assert [c.atoms for c in narrowed((vague,), text, bowls(text))] == [(on(RIGHT, "plate_1"),)]
    text = "put the bowl on the plate"
    assert narrowed((vague,), text, bowls(text)) == (vague,)


def test_the_drawer_of_one_clause_is_that_of_another(kitchen, domain):
    scene, state = kitchen
    text = "open the top drawer and put the bowl inside of him"
    top, middle = (f"wooden_cabinet_1_{q}_region" for q in ("top", "middle"))
    within = tuple(Atom("in", ("akita_black_bowl_1", drawer)) for drawer in (middle, top))
    opened = Clause("the top drawer is open", (Atom("open", (top,)),), 1.0)
    said = opened, Clause("the bowl is in the drawer", within, 1.0)
    found = narrowed(said, text, language(domain, state, vocabulary(scene, state), text, again=True))
    assert [c.meaning for c in found] == [(Atom("open", (top,)),), (Atom("in", ("akita_black_bowl_1", top)),)]


@pytest.mark.parametrize(
    ("text", "answer", "other", "gain"),
    [
        ("put the bowl on the plate", on(LEFT, "plate_1"), RIGHT, 0),
        ("put the right bowl on the plate", on(LEFT, "plate_1"), RIGHT, 1),
        ("put the bowl next to the cookie box on the plate", on(LEFT, "plate_1"), RIGHT, 3),
        ("put the bowl with the cookie box on the plate", on(LEFT, "plate_1"), RIGHT, 2),
    ],
)
def test_what_fits_as_well_or_better(bowls, text, answer, other, gain):
    found = list(rivals(text, (answer,), bowls(text)))
    assert [(r.other, r.gain) for r in found] == [(other, gain)]
    assert found[0].said == (on(other, "plate_1"),)


@pytest.mark.parametrize("text", ["put the right bowl on the plate", "put the bowl near the cookie box on the plate"])
def test_nothing_fits_as_well_as_what_the_words_single_out(bowls, text):
    assert list(rivals(text, (on(RIGHT, "plate_1"),), bowls(text))) == []


def test_which_of_two_goes_onto_the_other(bowls):
    text = "stack one bowl on the other"
    assert [r.said for r in rivals(text, (on(LEFT, RIGHT),), bowls(text))] == [(on(RIGHT, LEFT),)]
    text = "stack the left bowl on the right bowl"
    assert list(rivals(text, (on(LEFT, RIGHT),), bowls(text))) == []


def test_a_thing_and_its_inside_are_one(builders, domain):
    scene = builders["scene"](builders["basket"](), builders["item"]("milk_1", "milk", 0, 0))
    words = vocabulary(scene, builders["state"](scene))
    inside = Atom("in", ("milk_1", "basket_1_contain_region"))
    assert things_of((inside, on("basket_1", "main_table")), words) == ("milk_1", "basket_1", "main_table")
