import re

from llm.reader.setting import plural
from llm.vocabulary.phrases import vocabulary


def test_every_symbol_has_a_name_of_its_own(kitchen, two_bowls):
    for scene, state in (kitchen, two_bowls):
        words = vocabulary(scene, state)
        for symbol, kind in state.symbols.items():
            same = [s for s in words.phrases[words.name[symbol]] if state.symbols[s] == kind]
            assert same == [symbol]


def test_parts_are_named_after_their_object(kitchen):
    words = vocabulary(*kitchen)
    assert words.phrases["top drawer of the wooden cabinet"] == ("wooden_cabinet_1_top_region",)
    assert words.phrases["upper drawer"] == ("wooden_cabinet_1_top_region",)
    assert words.phrases["top of the cabinet"] == ("wooden_cabinet_1_top_side",)
    assert set(words.phrases["stove"]) == {"flat_stove_1", "flat_stove_1_cook_region"}
    assert len(words.phrases["drawer"]) == 3


def test_same_things_are_told_apart_by_where_they_are(two_bowls):
    words = vocabulary(*two_bowls)
    first, second = ("akita_black_bowl_1",), ("akita_black_bowl_2",)
    assert words.phrases["black bowl between the plate and the ramekin"] == first
    assert words.phrases["bowl between the plate and the ramekin"] == first
    assert words.phrases["black bowl next to the cookie box"] == second
    assert words.phrases["left bowl"] == first
    assert words.phrases["right bowl"] == second
    assert words.phrases["bowl"] == first + second


def test_what_carries_a_thing_tells_it_apart(two_bowls, builders):
    scene, _ = two_bowls
    state = builders["state"](scene, "(on akita_black_bowl_1 cookies_1)")
    words = vocabulary(scene, state)
    assert words.phrases["black bowl on the cookie box"] == ("akita_black_bowl_1",)
    assert words.phrases["bowl on the table"] == ("akita_black_bowl_2",)


def test_nothing_is_said_that_holds_of_both(two_bowls):
    words = vocabulary(*two_bowls)
    assert "bowl on the table" not in words.phrases


def test_things_that_nothing_tells_apart_keep_a_name(builders):
    scene = builders["scene"](builders["item"]("mug_1", "mug", 0.0, 0.0), builders["item"]("mug_2", "mug", 0.0, 0.0))
    words = vocabulary(scene, builders["state"](scene))
    assert words.phrases[words.name["mug_1"]] == ("mug_1",)
    assert words.phrases[words.name["mug_2"]] == ("mug_2",)


def test_the_scenes_own_words_win(kitchen):
    scene, state = kitchen
    assert vocabulary(scene, state, {"Drawer": "wooden_cabinet_1_top_region"}).phrases["drawer"] == (
        "wooden_cabinet_1_top_region",
    )


def test_two_cabinets_have_two_top_drawers(builders):
    cabinet = builders["cabinet"]
    scene = builders["scene"](cabinet(), cabinet("white_cabinet_1", "white_cabinet", y=0.3))
    words = vocabulary(scene, builders["state"](scene))
    assert len(words.phrases["top drawer of the cabinet"]) == 2
    assert words.phrases["top drawer of the white cabinet"] == ("white_cabinet_1_top_region",)


def test_phrases_are_words_only(kitchen, two_bowls):
    for scene, state in (kitchen, two_bowls):
        assert [p for p in vocabulary(scene, state).phrases if not re.fullmatch(r"[a-z]+( [a-z]+)*", p)] == []


def test_plural():
    assert [plural(n) for n in ("bowl", "box", "dish", "caddy", "tray")] == [
        "bowls",
        "boxes",
        "dishes",
        "caddies",
        "trays",
    ]
