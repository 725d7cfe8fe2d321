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


def test_sizes_are_of_things_as_they_stand() -> None:
    low, high = categories.load("wine_bottle", "x").thing.bounds()
    assert 0.1 < high[2] - low[2] < 0.3 and max((high - low)[:2]) < 0.06
    assert len(categories.load("wooden_cabinet", "x").doors) == 3


def test_whether_pictures_are_looked_at_changes_nothing_else() -> None:
    for name in ("akita_black_bowl", "microwave"):
        quick, whole = (categories.load(name, "x", whole=w).thing for w in (False, True))
        assert quick.extent == pytest.approx(whole.extent, abs=1e-6)
        assert [r.name for r in quick.regions] == [r.name for r in whole.regions]


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
