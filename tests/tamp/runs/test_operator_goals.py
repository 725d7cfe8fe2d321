"""Goals that are found for an operator: of the right types, not true yet, and such that the operator is needed."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from tamp.runs.operator_goals import OperatorGoals, own_operators

from tamp.api.templates import new
from tamp.errors import Refusal
from tamp.model.atoms import Atom
from tamp.model.domain import Domain
from tamp.model.scene import Part, RobotState, Scene, SceneObject
from tamp.model.state import WorldState
from tamp.pddl.domain_file import load
from tamp.skills.python_check import CUP
from tamp.skills.registry import bound

pytestmark = pytest.mark.slow

ROBOT = RobotState(np.zeros(6), 0.08, np.eye(4))
SCENE = Scene(
    tuple(SceneObject(n, n, True, (Part(n, "body", np.eye(4), ()),)) for n in (CUP, "dish_1", "egg_1", "table")), ROBOT
)
STATE = WorldState(
    {CUP: "item", "dish_1": "item", "egg_1": "item", "table": "surface"},
    frozenset(
        {
            Atom("hand-empty"),
            *(Atom("on", (o, "table")) for o in (CUP, "dish_1")),
            Atom("on", ("egg_1", "dish_1")),
            Atom("clear", (CUP,)),
            Atom("clear", ("egg_1",)),
        }
    ),
)
NO_LOG = cast(Any, None)


def goals(effects: OperatorGoals, domain: Domain) -> list[str]:
    found = []
    while True:
        try:
            found += [str(g) for g in effects(SCENE, STATE, domain, NO_LOG, None)]
        except Refusal:
            return found


def test_a_folders_own_operators_are_those_with_a_skill_or_an_effect_of_its_own(tmp_path: Path) -> None:
    assert own_operators(load("tabletop")) == []
    assert own_operators(load("kitchen")) == ["wipe", "stack", "pour", "press"]
    assert own_operators(load(str(new("domain", "mine", tmp_path).folder))) == ["tap"]


def test_every_pair_of_fitting_things_is_a_goal_once() -> None:
    domain = load("kitchen")
    found = goals(OperatorGoals("stack", np.random.default_rng(0)), domain)
    things = (CUP, "dish_1", "egg_1")
    assert sorted(found) == sorted(f"(stacked {a} {b})" for a in things for b in things if a != b)


def test_what_holds_is_no_goal_and_what_its_observer_does_not_look_at_is_none() -> None:
    domain = load("kitchen")
    assert (
        # No symbol of this scene is a region.
        goals(OperatorGoals("wipe", np.random.default_rng(0), bound(domain).observers), domain) == []
    )  # none is a region
    pressed = WorldState(STATE.symbols, STATE.atoms | {Atom("pressed", (CUP,))})
    effects, found = OperatorGoals("press", np.random.default_rng(0)), []
    with pytest.raises(Refusal):
        while True:
            found += [str(g) for g in effects(SCENE, pressed, domain, NO_LOG, None)]
    assert f"(pressed {CUP})" not in found and "(pressed dish_1)" in found


def test_where_nothing_fits_it_is_told_what_lacks() -> None:
    domain = load("tabletop")
    with pytest.raises(Refusal, match="nothing of type drawer is there"):
        OperatorGoals("open-drawer", np.random.default_rng(0))(SCENE, STATE, domain, NO_LOG, None)


def test_a_goal_counts_only_where_the_operator_is_needed_for_it() -> None:
    domain = load("tabletop")
    found = goals(OperatorGoals("place-in", np.random.default_rng(0)), domain)
    assert found == []  # no interior is there
    assert f"(holding {CUP})" in goals(OperatorGoals("pick", np.random.default_rng(0)), domain)
