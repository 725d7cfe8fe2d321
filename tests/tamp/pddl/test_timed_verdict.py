"""Plans by the clock: verdicts, what a step lacks, and which step took it away."""

from __future__ import annotations

import pytest

from tamp.errors import InputError
from tamp.files.source import Source
from tamp.pddl.judges import in_order, judge_of, verdict_on
from tamp.pddl.plan_formats import read_plan
from tamp.pddl.reading import parse
from tamp.pddl.verdict import Verdict

DOMAIN = """(define (domain cellar)
 (:requirements :strips :typing :durative-actions :timed-initial-literals :negative-preconditions)
 (:types fuse - object)
 (:predicates (light) (hand) (mended ?f - fuse) (open) (burnt))
 (:durative-action strike :parameters () :duration (= ?duration 5)
  :condition (at start (not (burnt))) :effect (and (at start (light)) (at end (not (light))) (at end (burnt))))
 (:durative-action mend :parameters (?f - fuse) :duration (and (>= ?duration 2) (<= ?duration 4))
  :condition (and (at start (hand)) (over all (light)))
  :effect (and (at start (not (hand))) (at end (hand)) (at end (mended ?f))))
 (:durative-action look :parameters () :duration (= ?duration 1) :condition (over all (open)) :effect (at end (burnt)))
 (:action knock :parameters () :precondition (open) :effect (hand)))
"""
PROBLEM = """(define (problem c) (:domain cellar) (:objects a b - fuse)
 (:init (hand) (at 6 (open)) (at 9 (not (open)))) (:goal (mended a)))
"""


def verdict(plan: str, trace: bool = False) -> Verdict:
    judge = judge_of(parse(Source("domain.pddl", DOMAIN), Source("problem.pddl", PROBLEM)))
    return verdict_on(in_order(read_plan(Source("plan", plan))), judge, trace)


def test_a_plan_that_keeps_to_the_times_is_valid() -> None:
    found = verdict("0: (strike) [5]\n0.5: (mend a) [3]\n", trace=True)
    assert (found.valid, found.length) == (True, 2)
    assert found.changes == (("(light)", "(burnt)", "(not (light))"), ("(not (hand))", "(hand)", "(mended a)"))


def test_what_ends_too_early_is_told_with_the_step_that_ended_it() -> None:
    found = verdict("3: (mend a) [3]\n0: (strike) [5]\n")
    assert (found.valid, found.failed_at) == (False, 2)  # in the order of their times
    assert [(u.literal, u.lost_at) for u in found.unmet] == [("(light)", 1)]


def test_what_was_never_true_is_told_as_that() -> None:
    found = verdict("0: (mend a) [3]\n")
    assert found.failed_at == 1
    assert [(u.literal, u.lost_at, u.lost_time) for u in found.unmet] == [("(light)", None, None)]


@pytest.mark.parametrize("start", ["0", "8.5"])
def test_a_condition_over_all_counts_from_the_very_beginning(start: str) -> None:
    """Even where nothing changes then, which unified-planning's validator does not look at."""
    found = verdict(f"0: (strike) [5]\n0.5: (mend a) [3]\n{start}: (look) [1]\n")
    assert not found.valid
    assert [u.literal for u in found.unmet] == ["(open)"]


def test_what_the_problem_itself_takes_away_is_told_with_its_time() -> None:
    (unmet,) = verdict("0: (strike) [5]\n0.5: (mend a) [3]\n8.5: (look) [1]\n").unmet
    assert (unmet.lost_at, unmet.lost_time) == (None, 9.0)
    assert verdict("0: (strike) [5]\n0.5: (mend a) [3]\n7.5: (look) [1]\n").valid


@pytest.mark.parametrize("lasts", ["1.5", "4.5"])
def test_a_duration_out_of_its_bounds_fails_its_step(lasts: str) -> None:
    found = verdict(f"0: (strike) [5]\n0.25: (mend a) [{lasts}]\n")
    assert (found.valid, found.failed_at) == (False, 2)
    assert lasts in found.message or "<=" in found.message


def test_a_number_is_told_as_it_is_at_the_time_when_it_must_hold() -> None:
    domain = """(define (domain oven) (:requirements :durative-actions :numeric-fluents)
     (:predicates (baked)) (:functions (heat))
     (:durative-action warm :parameters () :duration (= ?duration 2) :condition ()
      :effect (and (at end (increase (heat) 4))))
     (:durative-action bake :parameters () :duration (= ?duration 1) :condition (at start (>= (heat) 8))
      :effect (at end (baked))))"""
    problem = "(define (problem o) (:domain oven) (:init (= (heat) 1.5)) (:goal (baked)))"
    judge = judge_of(parse(Source("domain.pddl", domain), Source("problem.pddl", problem)))
    found = verdict_on(in_order(read_plan(Source("plan", "0: (warm) [2]\n1: (bake) [1]\n"))), judge)
    assert found.unmet[0].values == (("(heat)", 1.5),)
    found = verdict_on(in_order(read_plan(Source("plan", "0: (warm) [2]\n3: (bake) [1]\n"))), judge)
    assert found.unmet[0].values == (("(heat)", 5.5),)
    assert found.message.endswith("does not hold then: (heat) is 5.5")


def test_a_missed_goal_is_told_with_its_literals() -> None:
    found = verdict("0: (strike) [5]\n0.5: (mend b) [3]\n")
    assert (found.valid, found.failed_at) == (False, None)
    assert [u.literal for u in found.unmet] == ["(mended a)"]


def test_an_action_without_duration_has_a_time_only() -> None:
    assert verdict("0: (strike) [5]\n0.5: (mend a) [3]\n7: (knock)\n").valid
    assert [u.literal for u in verdict("0: (strike) [5]\n0.5: (mend a) [3]\n5.5: (knock)\n").unmet] == ["(open)"]


@pytest.mark.parametrize(
    ("plan", "says"),
    [
        ("(strike)\n", r"plan:1: \(strike\) has no time.*valid: 0.5: \(strike\) \[2.0\]"),
        ("0.5: (strike)\n", r"plan:1: \(strike\) has no duration"),
        ("0: (strike) [5]\n1: (mend c) [3]\n", "there is no object 'c'"),
    ],
)
def test_a_plan_without_its_times_is_bad_input(plan: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        verdict(plan)


CLASSICAL = """(define (domain doors) (:requirements :strips) (:predicates (open) (through))
 (:action push :parameters () :precondition () :effect (open))
 (:action go :parameters () :precondition (open) :effect (through)))
"""


@pytest.mark.parametrize(
    ("plan", "valid"),
    [
        ("1.5: (go)\n0.5: (push)\n", True),
        ("0.5: (go)\n1.5: (push)\n", False),
        ("0.0: (push) [1.0]\n1.0: (go) [1.0]\n", True),
        ("2: (go)\n1: (push)\n", True),
    ],
)
def test_times_only_order_the_steps_of_a_problem_without_durations(plan: str, valid: bool) -> None:
    problem = "(define (problem p) (:domain doors) (:init) (:goal (through)))"
    judge = judge_of(parse(Source("domain.pddl", CLASSICAL), Source("problem.pddl", problem)))
    assert verdict_on(in_order(read_plan(Source("plan", plan))), judge).valid is valid
