"""Plans in chunks: what belongs together, what each is for, and which may change places."""

from __future__ import annotations

from tamp.model.atoms import Atom, GroundAction
from tamp.model.domain import load
from tamp.model.goal import Goal
from tamp.model.state import WorldState
from tamp.plans.chunks import ChunkedPlan, chunked

DOMAIN = load("tabletop")
SYMBOLS = {"cup": "item", "egg": "item", "dish": "item", "bench": "surface", "chest": "drawer"}
STATE = WorldState(
    SYMBOLS,
    frozenset(
        {
            *(Atom("hand-empty"), Atom("closed", ("chest",))),
            *(Atom("on", (x, "bench")) for x in ("cup", "egg", "dish")),
            *(Atom("clear", (x,)) for x in ("cup", "egg", "dish")),
        }
    ),
)
GOAL = Goal.of([Atom("in", ("cup", "chest")), Atom("on", ("egg", "dish")), Atom("closed", ("chest",))])
PLAN = "open-drawer chest, pick cup bench, place-in cup chest, close-drawer chest, pick egg bench, place-on egg dish"


def cut(text: str, goal: Goal = GOAL, state: WorldState = STATE) -> ChunkedPlan:
    actions = [GroundAction(name, tuple(args)) for name, *args in map(str.split, text.split(", "))]
    return chunked(actions, goal, state, DOMAIN)


def test_what_a_hand_does_from_empty_to_empty_belongs_together() -> None:
    chunks = cut(PLAN).chunks
    assert [len(c.actions) for c in chunks] == [1, 2, 1, 2]
    assert [str(c.goal) for c in chunks] == ["(open chest)", "(in cup chest)", "(closed chest)", "(on egg dish)"]


def test_what_needs_each_other_keeps_its_order() -> None:
    plan = cut(PLAN)
    opened, put, shut, other = plan.chunks
    assert plan.may_begin(opened, (), ()) and plan.may_begin(other, (), (opened,))
    assert (
        not plan.may_begin(put, (), ())
        and not plan.may_begin(put, (), (opened,))
        and plan.may_begin(put, (opened,), ())
    )
    assert not plan.may_begin(shut, (opened,), ()) and plan.may_begin(shut, (opened, put), (other,))
    assert plan.may_begin(put, (opened,), (other,))


def test_what_is_moved_out_of_the_way_comes_first() -> None:
    state = WorldState(SYMBOLS, STATE.atoms | {Atom("obstructed", ("cup", "egg"))})
    goal = Goal.of([Atom("on", ("cup", "dish"))])
    plan = cut("open-drawer chest, pick egg bench, place-in egg chest, pick cup bench, place-on cup dish", goal, state)
    away, wanted = plan.chunks[1:]
    assert not plan.may_begin(wanted, (plan.chunks[0],), (away,)) and plan.may_begin(wanted, plan.chunks[:2], ())
    assert str(away.goal) == "(in egg chest)", "what it brings, where nothing later says what it is for"
