"""What things there are: kinds, sizes, regions, and those that cannot be used."""

from __future__ import annotations

import pytest

from tamp.backends.libero import categories
from tamp.errors import InputError


@pytest.mark.parametrize(
    ("name", "kind", "regions"),
    [
        ("porcelain_mug", "item", []),
        ("basket", "container", ["x_contain_region"]),
        ("flat_stove", "appliance", ["x_cook_region"]),
        ("wooden_cabinet", "fixture", ["x_top_side", "x_top_region", "x_middle_region", "x_bottom_region"]),
        ("microwave", "fixture", ["x_top_side", "x_heating_region"]),
        ("wooden_tray", "container", ["x_contain_region"]),
    ],
)
def test_a_category_is_known_by_what_can_be_done_with_it(name: str, kind: str, regions: list[str]) -> None:
    category = categories.load(name, "x")
    assert category.kind == kind
    assert [r.name for r in category.regions("surface", "interior")] == regions


def test_what_is_no_category_and_what_lacks_files_are_told_apart() -> None:
    with pytest.raises(InputError, match="no category 'baskett'; valid: basket"):
        categories.load("baskett", "x")
    with pytest.raises(categories.UnusableError, match=r"cannot load 'red_box': it lacks red_box\.xml"):
        categories.load("red_box", "x")


def test_most_categories_can_be_used() -> None:
    usable = 0
    for name in categories.names():
        try:
            category = categories.load(name, "x")
        except categories.UnusableError:
            continue
        usable += 1
        assert 0.005 < category.thing.extent.max() < 0.6, name
    assert usable > 70
