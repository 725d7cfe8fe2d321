"""Plans shared out between arms: as short as can be, in order, and clear of each other."""

from __future__ import annotations

import itertools

import pytest

from tamp.model.atoms import Atom, GroundAction
from tamp.model.goal import Goal
from tamp.planning.assignment import Entry, assigned
from tamp.plans.chunks import Chunk, ChunkedPlan


def plan(count: int, *related: tuple[int, int]) -> ChunkedPlan:
    goal = Goal.of([Atom("done")])
    return ChunkedPlan(
        tuple(Chunk(n, (GroundAction("do", (str(n),)),), goal) for n in range(1, count + 1)), frozenset(related)
    )


def evenly(count: int) -> dict[tuple[int, int], float]:
    return {(arm, n): 3.0 for arm in (0, 1) for n in range(1, count + 1)}


def never(entry: Entry, arm: int, chunk: Chunk) -> float:
    return 0.0


def ends(entries: tuple[Entry, ...] | None) -> float:
    assert entries is not None
    return max(e.end for e in entries)


def test_two_take_half_the_time() -> None:
    entries = assigned(plan(6), evenly(6), never, 2)
    assert ends(entries) == pytest.approx(9.0)
    assert entries == assigned(plan(6), evenly(6), never, 2), "the same every time"
    for arm in (0, 1):
        mine = [e for e in entries or () if e.arm == arm]
        assert all(a.end <= b.begin for a, b in itertools.pairwise(mine))


def test_each_arm_does_what_it_reaches() -> None:
    seconds = {(0, 1): 1.0, (1, 2): 1.0, (0, 3): 5.0, (1, 3): 1.0}
    entries = assigned(plan(3), seconds, never, 2)
    assert {(e.arm, e.chunk.number) for e in entries or ()} == {(0, 1), (1, 2), (1, 3)}
    assert assigned(plan(2), {(0, 1): 1.0}, never, 2) is None, "no arm reaches the second"


def test_what_needs_another_waits_for_it() -> None:
    entries = assigned(plan(2, (1, 2)), evenly(2), never, 2)
    assert [(e.chunk.number, e.begin) for e in entries or ()] == [(1, 0.0), (2, 3.0)]


def test_an_arm_begins_once_the_other_has_freed_its_way() -> None:
    entries = assigned(plan(2), evenly(2), lambda entry, arm, chunk: 1.0, 2)
    assert [e.begin for e in entries or ()] == [0.0, 1.0] and len({e.arm for e in entries or ()}) == 2
    alone = assigned(plan(2), evenly(2), lambda entry, arm, chunk: 10.0, 2)
    assert ends(alone) == pytest.approx(6.0), "where the ways are never clear one follows the other"
