"""Plans by the clock: verdicts, what a step lacks, and which step took it away."""

from __future__ import annotations

import random
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

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


@pytest.mark.parametrize(
    ("plan", "needs"),
    [
        ("0: (strike) [5.5]\n1: (mend a) [3]\n", "(= ?duration 5), which does not hold then: ?duration is 5.5"),
        ("0: (strike) [5]\n1: (mend a) [1]\n", "(>= ?duration 2), which does not hold then: ?duration is 1"),
        ("0: (strike) [5]\n0.5: (mend a) [4.25]\n", "(<= ?duration 4), which does not hold then: ?duration is 4.25"),
    ],
)
def test_a_duration_is_compared_as_the_domain_has_it(plan: str, needs: str) -> None:
    assert verdict(plan).message == f"needs {needs}"


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


FERRY = """(define (domain ferry) (:requirements :typing :durative-actions :fluents :timed-initial-literals)
 (:types port) (:predicates (at ?p - port) (lit) (swept ?p - port) (free)) (:functions (way ?a ?b - port) (pace))
 (:durative-action sail :parameters (?a ?b - port) :duration (= ?duration (/ (way ?a ?b) (pace)))
  :condition (and (at start (at ?a)) (at start (free)))
  :effect (and (at start (not (at ?a))) (at start (not (free))) (at end (at ?b)) (at end (free))))
 (:durative-action light :parameters () :duration (and (>= ?duration 1) (<= ?duration 9))
  :condition (at start (free)) :effect (and (at start (lit)) (at end (not (lit)))))
 (:durative-action sweep :parameters (?p - port) :duration (= ?duration (/ 4 (pace)))
  :condition (over all (lit)) :effect (at end (swept ?p))))
"""


def sailed(plan: str, goal: str, pace: int = 3) -> Verdict:
    problem = f"""(define (problem p) (:domain ferry) (:objects a b - port)
     (:init (at a) (free) (= (way a b) 10) (= (way b a) 8) (= (pace) {pace})) (:goal {goal}))"""
    judge = judge_of(parse(Source("domain.pddl", FERRY), Source("problem.pddl", problem)))
    return verdict_on(in_order(read_plan(Source("plan", plan))), judge)


def printed(number: Fraction, digits: int) -> str:
    exact = Decimal(number.numerator) / Decimal(number.denominator)
    return str(exact.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP))


@pytest.mark.parametrize("digits", [2, 3, 4])
@pytest.mark.parametrize("seed", range(4))
def test_a_plan_stays_valid_when_its_times_are_printed_with_some_digits(seed: int, digits: int) -> None:
    rng = random.Random(seed)
    pace, now, lines = rng.choice([3, 6, 7, 9, 11]), Fraction(0), []
    for a, b, way in (("a", "b", 10), ("b", "a", 8)) * 4:
        lasts = Fraction(way, pace)
        lines.append(f"{printed(now, digits)}: (sail {a} {b}) [{printed(lasts, digits)}]\n")
        now += lasts + Fraction(1, 10**digits)  # planners leave one unit of the last digit between two steps
    found = sailed("".join(lines), "(at a)", pace)
    assert found.valid and found.rounded
    assert not sailed("".join(lines), "(at b)", pace).valid


@pytest.mark.parametrize(
    ("lasts", "valid"),
    [("3.333", True), ("3.33", True), ("3.3", True), ("3.334", False), ("3.332", False), ("3.9", False), ("3", False)],
)
def test_a_duration_is_within_half_of_its_last_digit(lasts: str, valid: bool) -> None:
    assert sailed(f"0.000: (sail a b) [{lasts}]\n", "(at b)").valid is valid


@pytest.mark.parametrize(
    ("start", "valid"), [("0.000", True), ("2.667", True), ("2.668", True), ("2.669", False), ("0.001", True)]
)
def test_what_may_begin_or_end_together_may_be_printed_one_before_the_other(start: str, valid: bool) -> None:
    """A light of 4 s from 0.001 s, and 4/3 s of sweeping in it, to its very end and from its very beginning."""
    found = sailed(f"0.001: (light) [4.000]\n{start}: (sweep a) [1.333]\n", "(swept a)")
    assert found.valid is valid
