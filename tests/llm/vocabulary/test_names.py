import re

import pytest

from llm.vocabulary.names import nouns


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


@pytest.mark.parametrize("category", ["akita_black_bowl", "red_bowl", "big_wooden_bowl"])
def test_the_bare_noun_is_offered_too(category):
    assert "bowl" in nouns(category)


def test_every_libero_category_reads_as_words():
    from libero.libero.envs.objects import OBJECTS_DICT

    assert len(OBJECTS_DICT) > 50
    odd = {c: n for c in OBJECTS_DICT for n in nouns(c) if not re.fullmatch(r"[a-z]+( [a-z]+)*", n)}
    assert odd == {}
