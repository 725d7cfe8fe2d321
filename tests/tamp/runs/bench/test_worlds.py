"""Drawn worlds: what is drawn can be read, is the seed's, and asks for what the domain's operators bring about."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from tamp.backends.libero.categories import load
from tamp.backends.libero.scene_file import read_scene
from tamp.backends.libero.world_drawing import could_hold, drawn_scene
from tamp.model.atoms import Atom
from tamp.model.scene import RobotState, Scene
from tamp.model.state import WorldState
from tamp.pddl.domain_file import load as load_domain
from tamp.perception import relations
from tamp.perception.predicates import SEEN, symbols_of
from tamp.runs.bench import worlds


def test_a_drawn_scene_is_read_without_complaint_and_is_the_seeds(tmp_path: Path) -> None:
    found = [drawn_scene(np.random.default_rng([3, n])) for n in range(30)]
    assert found == [drawn_scene(np.random.default_rng([3, n])) for n in range(30)] and len({*found}) == 30
    things = []
    for text in found:
        (tmp_path / "scene.toml").write_text(text)
        declared = read_scene(tmp_path / "scene.toml").declared
        assert declared is not None
        things.append(declared.things)
    carried = [sum(not t.category.fixed for t in of) for of in things]
    assert (
        min(carried) >= 2
        and max(carried) <= 12
        and max(len(of) - c for of, c in zip(things, carried, strict=True)) <= 3
    )
    assert {t.relation for of in things for t in of} == {"on", "in", "beside"}


@pytest.mark.parametrize("name", ["tabletop", "kitchen"])
def test_goals_are_what_the_domains_operators_are_for(name: str) -> None:
    """Neither what holds nor what is in the hand, of nothing twice, and nothing too large for its place."""
    categories = [load(c, f"{c}_1") for c in ("wooden_cabinet", "flat_stove", "butter", "plate", "bigger_milk")]
    scene = Scene(tuple(c.thing for c in categories), RobotState(np.zeros(7), 0.0, np.eye(4)))
    domain = load_domain(name)
    state = WorldState(symbols_of(scene), frozenset()).known_to(domain)
    seen = (SEEN | relations.seen(domain)) - {"holding"}
    found = {*itertools.islice(worlds._proposals(domain, state, seen, np.random.default_rng(0)), 2000)}
    predicates = {a.predicate for a in found}
    assert {"on", "in", "open", "turned-on"} <= predicates and not {"holding", "hand-empty", "clear"} & predicates
    inside = {a.args[0] for a in found if a.predicate == "in" and worlds._fits(a, (), scene)}
    assert "butter_1" in inside and "bigger_milk_1" not in inside, "longer than a drawer"
    on_butter, on_plate, too_much = (
        Atom("on", args) for args in (("plate_1", "butter_1"), ("butter_1", "plate_1"), ("bigger_milk_1", "plate_1"))
    )
    assert worlds._fits(on_plate, (), scene) and worlds._fits(too_much, (), scene)
    assert not worlds._fits(on_plate, (on_butter,), scene), "one would stand on the other"
    assert not worlds._fits(too_much, (on_plate,), scene), "what is on a plate is in its middle"
    if name == "tabletop":
        assert {"left-of", "next-to", "between"} <= predicates
        assert not worlds._fits(Atom("behind", ("butter_1", "wooden_cabinet_1_top_side")), (), scene)


def test_nothing_is_put_on_a_rim_a_tower_or_what_is_narrower() -> None:
    plate, bowl, box, bottle, basket = (
        load(c, "it").thing for c in ("plate", "akita_black_bowl", "butter", "wine_bottle", "basket")
    )
    assert could_hold(plate, bowl) and could_hold(bowl, bowl) and could_hold(box, box)
    assert not any(could_hold(place, box) for place in (bottle, basket)) and not could_hold(box, plate)
