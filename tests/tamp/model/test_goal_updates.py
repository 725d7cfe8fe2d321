"""Wishes one after another: the last word about a thing counts, and the rest stays wanted."""

from __future__ import annotations

from tamp.model.atoms import Atom
from tamp.model.formula import Not
from tamp.model.goal import Goal
from tamp.model.goal_updates import taken_back, together

A, ELSEWHERE = Goal(Atom("on", ("cup", "shelf"))), Goal(Atom("on", ("cup", "tray")))
B, C = Goal(Atom("open", ("drawer",))), Goal(Atom("turned-on", ("stove",)), ("pan",))


def both(*goals: Goal) -> Goal:
    return Goal.of([p for g in goals for p in g.parts], tuple(u for g in goals for u in g.untouched))


def test_the_last_word_about_a_thing_counts() -> None:
    assert together((A,), (ELSEWHERE,)) == (ELSEWHERE,)
    assert together((both(A, B),), (ELSEWHERE,)) == (both(B, ELSEWHERE),)
    denied = Goal(Not(Atom("on", ("cup", "shelf"))))
    assert together((both(A, C),), (denied,)) == (both(C, denied),)


def test_a_mistake_is_not_to_stay_so() -> None:
    assert taken_back((A,), frozenset(), frozenset()) == Goal(Not(*A.atoms))
    assert taken_back((A,), frozenset(A.atoms), frozenset()) is None, "it was so before"
    assert taken_back((A,), frozenset(), frozenset({"cup"})) is None, "the cup is put elsewhere anyway"
    free = Goal(Atom("hand-empty"))
    assert taken_back((free,), frozenset(), frozenset({"cup"})) == Goal(Not(*free.atoms)), "it is about no thing"
