"""What things are called, which phrase means which symbol, and where a thing is among its namesakes."""

import re

import pytest

from llm.reader.setting import plural
from llm.vocabulary.names import nouns
from llm.vocabulary.phrases import templates, vocabulary


@pytest.mark.parametrize(
    ("category", "first"),
    [
        ("akita_black_bowl", "black bowl"),
        ("porcelain_mug", "white mug"),
        ("white_yellow_mug", "yellow and white mug"),
        ("red_coffee_mug", "red mug"),
        ("glazed_rim_porcelain_ramekin", "ramekin"),
        ("cookies", "cookie box"),
        ("chefmate_8_frypan", "frying pan"),
        ("chefmate8_frypan", "frying pan"),
        ("cream_cheese", "cream cheese"),
        ("orange_juice", "orange juice"),
        ("wooden_cabinet", "wooden cabinet"),
        ("flat_stove", "stove"),
        ("red_akita_black_bowl", "red bowl"),
        ("bigger_akita_black_bowl", "bigger black bowl"),
        ("blue_teapot_3", "blue teapot"),
        ("garden_gnome", "garden gnome"),
        ("tea_tin_004", "tea tin"),
        ("tea_tin_500g", "tea tin"),
        ("cola_can_0_33l", "cola can"),
        ("cola_can_12_oz", "cola can"),
    ],
)
def test_usual_name(category, first):
    assert nouns(category)[0] == first


def test_every_libero_category_reads_as_words():
    from libero.libero.envs.objects import OBJECTS_DICT

    assert len(OBJECTS_DICT) > 50
    odd = {c: n for c in OBJECTS_DICT for n in nouns(c) if not re.fullmatch(r"[a-z]+( [a-z]+)*", n)}
    assert odd == {}


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
    assert "bowl on the table" not in words.phrases, "it holds of both"


def test_what_carries_a_thing_tells_it_apart(two_bowls, builders):
    scene, _ = two_bowls
    state = builders["state"](scene, "(on akita_black_bowl_1 cookies_1)")
    words = vocabulary(scene, state)
    assert words.phrases["black bowl on the cookie box"] == ("akita_black_bowl_1",)
    assert words.phrases["bowl on the table"] == ("akita_black_bowl_2",)


def test_two_cabinets_have_two_top_drawers(builders):
    cabinet = builders["cabinet"]
    scene = builders["scene"](cabinet(), cabinet("white_cabinet_1", "white_cabinet", y=0.3))
    words = vocabulary(scene, builders["state"](scene))
    assert len(words.phrases["top drawer of the cabinet"]) == 2
    assert words.phrases["top drawer of the white cabinet"] == ("white_cabinet_1_top_region",)


def test_plural():
    assert [plural(n) for n in ("bowl", "box", "dish", "caddy", "tray")] == [
        "bowls",
        "boxes",
        "dishes",
        "caddies",
        "trays",
    ]


def said(builders, positions, marks=(), which=0):
    group = [builders["item"](f"cup_{i}", "cup", x, y) for i, (x, y) in enumerate(positions)]
    landmarks = {name: builders["item"](name, name, x, y) for name, x, y in marks}
    return templates(group[which], group, landmarks, builders["scene"](*group, *landmarks.values()))


@pytest.mark.parametrize(("which", "name"), [(0, "front {}"), (1, "middle {}"), (2, "back {}")])
def test_the_name_is_by_the_axis_on_which_they_are_spread(builders, which, name):
    """From the front to the back, a little to the left and right of one another, and one beside a lamp."""
    cups = [(0.3, 0.0), (0.0, 0.08), (-0.3, -0.08)]
    assert said(builders, cups, [("lamp", 0.3, 0.12)], which)[0] == name


def test_next_to_the_nearer_one_only(builders):
    cups, marks = [(0.0, 0.0), (0.0, 0.4)], [("lamp", 0.0, -0.12)]
    assert "{} next to the lamp" in said(builders, cups, marks, 0)
    assert "{} next to the lamp" not in said(builders, cups, marks, 1)


def test_between_needs_to_be_on_the_line(builders):
    marks = [("lamp", 0.0, -0.2), ("vase", 0.0, 0.2)]
    assert "{} between the lamp and the vase" in said(builders, [(0.0, 0.0), (0.4, 0.0)], marks, 0)
    assert "{} between the lamp and the vase" not in said(builders, [(0.0, 0.0), (0.4, 0.0)], marks, 1)
    assert "{} between the lamp and the vase" not in said(builders, [(0.0, 0.0), (0.02, 0.05)], marks, 0)


def test_the_center_of_the_table(builders):
    assert "{} in the middle of the table" in said(builders, [(0.02, 0.02), (0.3, 0.3)], which=0)
    assert "{} in the middle of the table" not in said(builders, [(0.02, 0.02), (0.3, 0.3)], which=1)
