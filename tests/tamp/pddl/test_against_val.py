"""Verdicts on plans, compared with VAL's, on our own domains; the public ones are `make bench-validation`."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from tamp.errors import InputError
from tamp.files.source import Source
from tamp.model.atoms import Atom
from tamp.model.state import WorldState, problem_text
from tamp.pddl.domain_file import load
from tamp.pddl.judges import PlanJudge, in_order, judge_of, verdict_on
from tamp.pddl.plan_formats import read_plan
from tamp.pddl.planner import solve_problem
from tamp.pddl.reading import parse
from tests.mutations import MUTATIONS, TIMED_MUTATIONS, Act, Plan
from tests.val import validate

pytestmark = pytest.mark.process

KITCHEN = WorldState(
    {"cup": "item", "dish": "item", "bench": "surface", "shelf": "surface", "chest": "drawer", "lamp": "appliance"},
    frozenset(
        Atom(name, args)
        for name, *args_ in (
            ("hand-empty",),
            ("on", "dish", "bench"),
            ("on", "cup", "dish"),
            ("clear", "cup"),
            ("clear", "shelf"),
            ("closed", "chest"),
            ("turned-off", "lamp"),
        )
        for args in [tuple(args_)]
    ),
)
GOALS = ("(on dish shelf)", "(and (in cup chest) (closed chest))", "(and (on cup shelf) (turned-on lamp))")

LIGHTS = """(define (domain lights)
 (:requirements :strips :typing :negative-preconditions :adl)
 (:types room lamp - object hall - room)
 (:predicates (lit ?l - lamp) (hangs ?l - lamp ?r - room) (in ?r - room) (door ?a ?b - room) (seen ?r - room))
 (:action walk :parameters (?a ?b - room)
  :precondition (and (in ?a) (not (= ?a ?b)) (or (door ?a ?b) (door ?b ?a)))
  :effect (and (not (in ?a)) (in ?b) (when (exists (?l - lamp) (and (hangs ?l ?b) (lit ?l))) (seen ?b))))
 (:action switch :parameters (?r - room) :precondition (in ?r)
  :effect (forall (?l - lamp) (and (when (and (hangs ?l ?r) (lit ?l)) (not (lit ?l)))
                                   (when (and (hangs ?l ?r) (not (lit ?l))) (lit ?l)))))
 (:action leave :parameters (?h - hall) :precondition (and (in ?h) (forall (?l - lamp) (imply (lit ?l) (hangs ?l ?h))))
  :effect (not (in ?h)))
 (:action wait :parameters (?r - room) :precondition (in ?r) :effect (and)))
"""
HOUSE = """(define (problem house) (:domain lights) (:objects h - hall k b - room l1 l2 l3 - lamp)
 (:init (in b) (door h k) (door b k) (hangs l1 k) (hangs l2 k) (hangs l3 h) (lit l1))
 (:goal (and (seen k) (in k) (not (exists (?l - lamp) (and (hangs ?l h) (lit ?l)))) (imply (lit l2) (lit l3)))))
"""
OVEN = """(define (domain oven)
 (:requirements :strips :typing :durative-actions :negative-preconditions :fluents)
 (:types loaf - object)
 (:predicates (hot) (baked ?l - loaf) (free))
 (:functions (minutes ?l - loaf))
 (:durative-action heat :parameters () :duration (and (>= ?duration 2) (<= ?duration 20))
  :condition (and (at start (not (hot)))) :effect (and (at start (hot)) (at end (not (hot)))))
 (:durative-action bake :parameters (?l - loaf) :duration (= ?duration (minutes ?l))
  :condition (and (at start (free)) (over all (hot)))
  :effect (and (at start (not (free))) (at end (free)) (at end (baked ?l)))))
"""
BAKERY = """(define (problem bakery) (:domain oven) (:objects rye oat - loaf)
 (:init (free) (= (minutes rye) 3) (= (minutes oat) 4)) (:goal (and (baked rye) (baked oat))))
"""
WRITTEN = {
    "lights": (LIGHTS, HOUSE, "(walk b k)\n(switch k)\n(wait k)\n(switch k)\n(walk k b)\n(walk b k)\n"),
    "oven": (OVEN, BAKERY, "0: (heat) [9]\n1: (bake rye) [3]\n4.5: (bake oat) [4]\n"),
}
SEEDS = range(4)


def words(text: str, judge: PlanJudge) -> str:
    try:
        verdict = verdict_on(in_order(read_plan(Source("plan", text))), judge)
    except InputError:
        return "bad input"
    return "valid" if verdict.valid else "invalid"


def compare(domain: str, problem: str, plan: Plan, folder: Path) -> dict[str, int]:
    """Every mutation with every seed, judged by both; how many got which verdict."""
    files = {name: folder / name for name in ("domain.pddl", "problem.pddl", "plan.txt")}
    files["domain.pddl"].write_text(domain)
    files["problem.pddl"].write_text(problem)
    parsed: Any = parse(Source("domain.pddl", domain), Source("problem.pddl", problem))
    judge, counted = judge_of(parsed), {"valid": 0, "invalid": 0, "bad input": 0}
    timed = any(a.duration is not None for a in plan)
    judged: set[str] = set()
    for name, mutation in (TIMED_MUTATIONS if timed else MUTATIONS).items():
        for seed in SEEDS:
            spoilt = mutation(plan, parsed, random.Random(seed))
            text = None if spoilt is None else "".join(f"{a}\n" for a in spoilt) or "; nothing\n"
            if text is None or text in judged:
                continue
            judged.add(text)
            files["plan.txt"].write_text(text)
            ours = words(text, judge)
            val = validate(*files.values(), *(("-t", "0.00001") if timed else ()))
            if val.word == "crash" and name in ("missing_argument", "extra_argument"):
                assert ours == "bad input"  # VAL does not survive a wrong number of arguments
            else:
                assert ours == val.word, f"{name}:\n{text}\n{val.output}"
            counted[ours] += 1
    return counted


def steps(text: str) -> Plan:
    return tuple(Act((s.name, *s.args), s.start, s.duration) for s in read_plan(Source("plan", text)).steps)


@pytest.mark.parametrize("goal", GOALS)
def test_the_domain_that_tamp_plans_with(goal: str, tmp_path: Path) -> None:
    domain = load("tabletop")
    problem = problem_text(domain, KITCHEN, goal)
    found = solve_problem(parse(Source("domain.pddl", domain.text), Source("problem.pddl", problem))).plan
    assert found is not None
    counted = compare(domain.text, problem, steps(str(found)), tmp_path)
    assert min(counted.values()) >= 1 and sum(counted.values()) >= 25, counted


@pytest.mark.parametrize("name", WRITTEN)
def test_conditions_quantifiers_and_time(name: str, tmp_path: Path) -> None:
    counted = compare(*WRITTEN[name][:2], steps(WRITTEN[name][2]), tmp_path)
    assert counted["invalid"] >= 5 and counted["bad input"] >= 4, counted
    assert counted["valid"] >= 2, counted  # as it is, and in upper case


TOGETHER = """(define (domain together)
 (:requirements :strips :typing :durative-actions :negative-preconditions :fluents)
 (:types thing - object) (:predicates (p) (q) (r ?x - thing)) (:functions (n))
 (:durative-action make :parameters () :duration (= ?duration 2)
  :condition (at start (q)) :effect (and (at start (p)) (at end (not (p)))))
 (:durative-action take :parameters (?x - thing) :duration (= ?duration 2)
  :condition (and (at start (p))) :effect (at end (r ?x)))
 (:durative-action keep :parameters (?x - thing) :duration (= ?duration 2)
  :condition (and (over all (p))) :effect (at end (r ?x)))
 (:durative-action close :parameters (?x - thing) :duration (= ?duration 2)
  :condition (and (at end (p))) :effect (at end (r ?x)))
 (:action delete :parameters () :precondition (q) :effect (not (q)))
 (:action add :parameters () :precondition () :effect (q))
 (:action need :parameters (?x - thing) :precondition (q) :effect (r ?x))
 (:action any :parameters (?x - thing) :precondition (exists (?y - thing) (r ?y)) :effect (r ?x))
 (:action one :parameters () :precondition () :effect (and (increase (n) 1)))
 (:action two :parameters (?x - thing) :precondition () :effect (and (increase (n) 2) (r ?x)))
 (:action set :parameters (?x - thing) :precondition () :effect (and (assign (n) 2) (r ?x))))
"""
THINGS = """(define (problem things) (:domain together) (:objects a b - thing)
 (:init (q) (= (n) 0) (at 5 (not (q)))) (:goal (r a)))
"""


@pytest.mark.parametrize(
    ("plan", "verdict"),
    [
        ("0: (make) [2]\n0: (take a) [2]", "invalid"),  # (p) comes at the very time when it is needed
        ("0: (make) [2]\n0: (keep a) [2]", "valid"),  # needed from after 0 to before 2 only
        ("0: (make) [2]\n0: (close a) [2]", "invalid"),
        ("0: (make) [2]\n1: (keep a) [2]", "invalid"),
        ("0: (make) [2]\n2: (take a) [2]", "invalid"),
        ("0: (make) [2]\n1: (take a) [2]", "valid"),
        ("0: (make) [2]\n1: (take a) [1]", "invalid"),
        ("0: (delete)\n0: (need a)", "invalid"),
        ("0: (delete)\n0: (add)\n1: (need a)", "invalid"),
        ("0: (one)\n0: (two a)", "valid"),  # increases come to the same in any order
        ("0: (set a)\n0: (one)", "invalid"),
        ("0: (set a)\n0: (set b)", "invalid"),
        ("0: (make) [2]\n0: (delete)\n1: (take a) [2]", "invalid"),
        ("0: (make) [2]\n0: (make) [2]\n1: (take a) [2]", "valid"),
        ("0: (make) [2]\n1: (make) [2]\n1.5: (take a) [2]", "valid"),
        ("0: (make) [2]\n2: (make) [2]\n3: (take a) [2]", "invalid"),
        ("0: (need a)\n0: (need b)", "valid"),
        ("0: (need a)\n0: (need a)", "valid"),  # twice the same fact, at one time
        ("0: (make) [2]\n1: (take a) [2]\n1: (take a) [2]", "valid"),
        ("0: (need b)\n0: (any a)", "invalid"),
        ("0: (need b)\n1: (any a)", "valid"),
        ("5: (need a)", "invalid"),
        ("4.5: (need a)", "valid"),
        ("5.5: (need a)", "invalid"),
    ],
)
def test_what_may_happen_at_one_time(plan: str, verdict: str, tmp_path: Path) -> None:
    paths = []
    for name, text in {"domain": TOGETHER, "problem": THINGS, "plan": f"{plan}\n"}.items():
        paths.append(tmp_path / name)
        paths[-1].write_text(text)
    judge = judge_of(parse(Source("domain", TOGETHER), Source("problem", THINGS)))
    assert (words(plan, judge), validate(*paths, "-t", "0.00001").word) == (verdict, verdict)
