"""Times that are printed rounded."""

from __future__ import annotations

import random
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

import pytest

from tamp.files.source import Source
from tamp.pddl.judges import in_order, judge_of, verdict_on
from tamp.pddl.plan_formats import read_plan
from tamp.pddl.reading import parse
from tamp.pddl.verdict import Verdict

DOMAIN = """(define (domain ferry) (:requirements :typing :durative-actions :fluents :timed-initial-literals)
 (:types port) (:predicates (at ?p - port) (lit) (swept ?p - port) (free)) (:functions (way ?a ?b - port) (pace))
 (:durative-action sail :parameters (?a ?b - port) :duration (= ?duration (/ (way ?a ?b) (pace)))
  :condition (and (at start (at ?a)) (at start (free)))
  :effect (and (at start (not (at ?a))) (at start (not (free))) (at end (at ?b)) (at end (free))))
 (:durative-action light :parameters () :duration (and (>= ?duration 1) (<= ?duration 9))
  :condition (at start (free)) :effect (and (at start (lit)) (at end (not (lit)))))
 (:durative-action sweep :parameters (?p - port) :duration (= ?duration (/ 4 (pace)))
  :condition (over all (lit)) :effect (at end (swept ?p))))
"""


def verdict(plan: str, goal: str, pace: int = 3) -> Verdict:
    problem = f"""(define (problem p) (:domain ferry) (:objects a b - port)
     (:init (at a) (free) (= (way a b) 10) (= (way b a) 8) (= (pace) {pace})) (:goal {goal}))"""
    judge = judge_of(parse(Source("domain.pddl", DOMAIN), Source("problem.pddl", problem)))
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
    found = verdict("".join(lines), "(at a)", pace)
    assert found.valid and found.rounded
    assert not verdict("".join(lines), "(at b)", pace).valid


@pytest.mark.parametrize(
    ("lasts", "valid"),
    [("3.333", True), ("3.33", True), ("3.3", True), ("3.334", False), ("3.332", False), ("3.9", False), ("3", False)],
)
def test_a_duration_is_within_half_of_its_last_digit(lasts: str, valid: bool) -> None:
    assert verdict(f"0.000: (sail a b) [{lasts}]\n", "(at b)").valid is valid


@pytest.mark.parametrize(
    ("start", "valid"), [("0.000", True), ("2.667", True), ("2.668", True), ("2.669", False), ("0.001", True)]
)
def test_what_may_begin_or_end_together_may_be_printed_one_before_the_other(start: str, valid: bool) -> None:
    """A light of 4 s from 0.001 s, and 4/3 s of sweeping in it, to its very end and from its very beginning."""
    found = verdict(f"0.001: (light) [4.000]\n{start}: (sweep a) [1.333]\n", "(swept a)")
    assert found.valid is valid


def test_steps_of_which_one_needs_the_end_of_the_other_are_not_put_in_order() -> None:
    """VAL neither: what is printed does not say which comes first."""
    assert not verdict("0.000: (sail a b) [3.333]\n3.333: (sail b a) [2.667]\n", "(at a)").valid
    assert verdict("0.000: (sail a b) [3.333]\n3.334: (sail b a) [2.667]\n", "(at a)").rounded == (1, 2)
