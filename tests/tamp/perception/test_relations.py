"""Relations between things: what is put for one holds, and what stands elsewhere does not."""

from __future__ import annotations

import numpy as np
import pytest

from motion.poses import pose
from motion.shapes import Shape
from tamp.errors import Refusal
from tamp.model.atoms import Atom
from tamp.model.formula import Not
from tamp.model.goal import Goal, parse_goal
from tamp.model.scene import Part, Region, RobotState, Scene, SceneObject, with_object_at
from tamp.model.state import WorldState, problem_of
from tamp.pddl.domain_file import load
from tamp.pddl.planner import Engine
from tamp.perception.relations import GAP, NEXT_TO, RELATIONS, areas, check, holds, observed, spots, wishes

TOP = 0.4
HALF = {"cup": (0.03, 0.03, 0.05), "tray": (0.15, 0.10, 0.01), "jar": (0.04, 0.04, 0.06), "stove": (0.1, 0.1, 0.02)}
ROBOT = RobotState(np.zeros(7), 0.08, np.eye(4))
TABLETOP = load("tabletop")


def thing(name: str, x: float, y: float, on: float = TOP) -> SceneObject:
    half = np.array(HALF[name])
    T = pose([x, y, on + half[2]])
    body = Part(name, "body", T, (Shape("box", half, np.eye(4)),))
    return SceneObject(name, name, name != "stove", (body,))


def table() -> SceneObject:
    half = np.array([0.5, 0.6, 0.02])
    part = Part("desk_body", "body", pose([0.0, 0.0, TOP - half[2]]), (Shape("box", half, np.eye(4)),))
    top = Region("desk", "surface", pose([0.0, 0.0, TOP]), np.array([0.5, 0.6, 0.0]), "desk_body")
    return SceneObject("desk_body", "table", False, (part,), (top,))


def desk(*some: SceneObject) -> Scene:
    return Scene((*some, table()), ROBOT)


def put(scene: Scene, p: np.ndarray) -> Scene:
    return with_object_at(scene, "cup", pose([*p, TOP + HALF["cup"][2]]))


@pytest.mark.parametrize("relation", RELATIONS)
def test_a_spot_for_a_relation_is_where_it_is_seen_to_hold(relation: str) -> None:
    scene = desk(thing("cup", -0.4, 0.5), thing("tray", 0.0, -0.2), thing("jar", 0.05, 0.25))
    atom = Atom(relation, ("cup", "tray", "jar")[: 3 if relation == "between" else 2])
    assert not holds(atom, scene)
    wanted = wishes([atom], "cup", "desk", scene)
    half = np.array(HALF["cup"][:2])
    found = spots(wanted, half)
    assert found and all(holds(atom, put(scene, p)) for p in found)
    assert all(
        holds(atom, put(scene, p), slack=0.0)
        for p in found
        if wanted[0].met("cup", put(scene, p).object("cup").bounds())
    )
    (denied,) = wishes([Not(atom)], "cup", "desk", scene)
    assert not any(denied.met("cup", put(scene, p).object("cup").bounds()) for p in found)


@pytest.mark.parametrize(
    ("side", "direction"), [("in-front-of", [1, 0]), ("behind", [-1, 0]), ("right-of", [0, 1]), ("left-of", [0, -1])]
)
def test_what_is_put_on_a_side_stands_there_with_a_gap(side: str, direction: list[int]) -> None:
    scene = desk(thing("cup", 0.0, 0.5), thing("tray", 0.05, 0.0))
    (area,) = areas(Atom(side, ("cup", "tray")), np.array(HALF["cup"][:2]), scene)
    there = put(scene, area.best)
    (low, high), (under, over) = there.object("cup").bounds(), there.object("tray").bounds()
    apart = np.maximum(low - over, under - high)[:2]
    assert apart @ np.abs(direction) == pytest.approx(GAP)
    assert np.dot(direction, area.best - there.object("tray").position[:2]) > 0
    turned = [s for s in ("in-front-of", "behind", "right-of", "left-of") if holds(Atom(s, ("cup", "tray")), there)]
    assert turned == [side] and holds(Atom("next-to", ("cup", "tray")), there)


def test_on_another_level_nothing_is_beside() -> None:
    scene = desk(thing("tray", 0.0, 0.0), thing("cup", 0.0, 0.0, TOP + 0.02), thing("jar", 0.0, 0.2))
    assert holds(Atom("next-to", ("jar", "cup")), scene), (
        "what stands on the tray is beside what stands beside the tray"
    )
    lifted = with_object_at(scene, "jar", pose([0.0, 0.2, TOP + 0.3]))
    assert not holds(Atom("next-to", ("jar", "cup")), lifted)


def test_there_is_no_room_beyond_the_edge_of_the_table_nor_between_what_is_close() -> None:
    scene = desk(thing("cup", 0.0, 0.5), thing("tray", 0.34, 0.0), thing("jar", 0.34, 0.17))
    with pytest.raises(Refusal, match="no room for cup in front of tray: it is at the edge of desk"):
        check(Goal(Atom("in-front-of", ("cup", "tray"))), scene, TABLETOP)
    with pytest.raises(Refusal, match="between tray and jar: they are 3 cm apart, it is 6 cm wide"):
        check(Goal(Atom("between", ("cup", "tray", "jar"))), scene, TABLETOP)
    check(Goal(Atom("behind", ("cup", "tray"))), scene, TABLETOP)
    moved = Goal.of([Atom("in-front-of", ("cup", "tray")), Atom("left-of", ("tray", "jar"))])
    check(moved, scene, TABLETOP)


STATE = WorldState(
    {"cup": "item", "jar": "item", "tray": "item", "stove": "fixture", "desk": "surface", "shelf": "surface"},
    frozenset({Atom("hand-empty"), Atom("clear", ("cup",)), Atom("clear", ("tray",)), Atom("clear", ("jar",))})
    | {Atom(p, (o, "desk")) for o in ("cup", "jar", "tray") for p in ("on", "rests-on")}
    | {Atom("rests-on", ("stove", "desk"))},
)


@pytest.mark.parametrize(
    ("goal", "plan"),
    [
        ("(and (next-to cup stove) (left-of cup tray))", ["(pick cup desk)", "(place-on cup desk)"]),
        ("(between cup tray stove)", ["(pick cup desk)", "(place-on cup desk)"]),
        (
            "(and (right-of cup tray) (on tray shelf))",
            ["(place-on tray shelf)", "(pick cup desk)", "(place-on cup shelf)"],
        ),
        ("(stacked jar cup)", ["(pick cup desk)", "(place-on cup jar)"]),
    ],
)
def test_one_placement_brings_about_all_that_is_wanted_of_a_thing(goal: str, plan: list[str]) -> None:
    """What it is related to is put where it is to stand before."""
    wanted = parse_goal(goal, TABLETOP, STATE.symbols)
    found = Engine().solve(problem_of(TABLETOP, STATE, wanted.parts))
    assert found.plan is not None and list(map(str, found.plan.actions))[-len(plan) :] == plan


def test_effects_that_matter_to_no_goal_are_not_grounded() -> None:
    for goal in ("(on cup shelf)", "(near cup tray)"):
        problem = problem_of(TABLETOP, STATE, parse_goal(goal, TABLETOP, STATE.symbols).parts)
        (place,) = (a for a in problem.actions if a.name == "place-on")
        names = {e.fluent.fluent().name for e in place.effects}
        assert ("near" in names, "rests-on" in names) == ((True, True) if "near" in goal else (False, False))
        assert not any(e.forall for a in problem.actions for e in a.effects if e.fluent.fluent().name == "near")


def test_what_is_stacked_is_seen_without_being_asked_for() -> None:
    scene = desk(thing("tray", 0.0, 0.0), thing("cup", 0.0, 0.0, TOP + 0.02), thing("stove", 0.3, 0.3))
    on = {Atom("on", ("tray", "desk")), Atom("on", ("cup", "tray"))}
    state = WorldState({"tray": "item", "cup": "item", "desk": "surface", "stove": "fixture"}, frozenset(on))
    seen = observed(state, scene, [Atom("near", ("cup", "stove"))], TABLETOP)
    assert {a for a in seen if a.predicate != "rests-on"} == {
        Atom("stacked", ("cup", "tray")),
        Atom("stacked", ("tray", "cup")),
        Atom("near", ("cup", "stove")),
    }
    pairs = {("tray", "desk"), ("cup", "tray"), ("cup", "desk"), ("stove", "desk")}
    assert {a.args for a in seen if a.predicate == "rests-on"} == pairs


def test_next_to_is_up_to_its_distance() -> None:
    scene = desk(thing("cup", 0.0, 0.5), thing("tray", 0.0, 0.0))
    for gap, near in ((NEXT_TO - 0.001, True), (NEXT_TO + 0.02, False)):
        there = put(scene, np.array([0.0, HALF["tray"][1] + HALF["cup"][1] + gap]))
        assert holds(Atom("next-to", ("cup", "tray")), there) is near
