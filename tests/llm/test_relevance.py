"""Two hundred things: the question is about those that the words may mean, and says so in the log."""

import pytest

from llm.grounding import AmbiguousError, ground
from llm.phrases import vocabulary
from llm.relevance import MANY, relevant

KINDS = ("akita_black_bowl", "plate", "red_coffee_mug", "milk", "ketchup", "butter", "cookies", "black_book")


@pytest.fixture
def warehouse(builders):
    """200 things in a grid, 25 of each kind, a frying pan and a teapot."""
    item = builders["item"]
    things = [
        item(f"{kind}_{n}", kind, 0.1 * (n % 14) - 0.7, 0.1 * k + 0.01 * (n // 14), half=(0.004, 0.004, 0.03))
        for k, kind in enumerate(KINDS)
        for n in range(25)
    ]
    scene = builders["scene"](*things, item("frypan_1", "frypan", 0.9, 0.9), item("teapot_1", "blue_teapot", 0.9, -0.9))
    return scene, builders["state"](scene)


def test_what_the_words_may_mean_is_asked_about(warehouse, domain, scripted):
    told = []

    def tell(kind, **data):
        told.append((kind, data))

    model = scripted("the frying pan is on the teapot.")
    answer = ground("put the frying pan on the teapot", *warehouse, domain, model, tell=tell)
    assert str(answer.goal) == "(on frypan_1 teapot_1)"
    assert told == [("shortened", {"symbols": 203, "kept": 2})]
    assert "teapot" in model.asked[0].question and "ketchup" not in model.asked[0].question


def test_what_is_ambiguous_among_many_stays_so(warehouse, domain, scripted):
    with pytest.raises(AmbiguousError, match=r"fits 25 goals: .* and 17 more; say which") as refused:
        ground("put a bowl on the teapot", *warehouse, domain, scripted("the akita black bowl 3 is on the teapot."))
    assert len(refused.value.alternatives) == 25


def test_a_small_scene_is_left_whole(kitchen):
    scene, state = kitchen
    words = vocabulary(scene, state)
    assert len(state.symbols) < MANY
    assert relevant("put the bowl on the plate", words, state) == (words, state)
