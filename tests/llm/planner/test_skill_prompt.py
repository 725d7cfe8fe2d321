"""What a planning model is shown: skills from the domain, examples that the domain bears out, facts by nearness."""

import re

import pytest

from llm.planner.skill_prompt import EXAMPLES, borne_out, prompt, question
from tamp.files.source import Source
from tamp.model.atoms import Atom
from tamp.model.state import WorldState, problem_of
from tamp.pddl.domain_file import load
from tamp.pddl.reading import parse

DOMAIN = load("tabletop")
STATE = WorldState(
    {"cup": "item", "dish": "item", "bench": "surface", "chest": "drawer"},
    frozenset(
        {
            *(Atom("hand-empty"), Atom("closed", ("chest",)), Atom("clear", ("cup",)), Atom("no-grasp", ("dish",))),
            *(Atom("on", ("dish", "bench")), Atom("on", ("cup", "dish"))),
        }
    ),
)
PROBLEM = problem_of(DOMAIN, STATE, [Atom("in", ("cup", "chest"))])
ROVER = """(define (domain rover) (:requirements :strips :typing) (:types site)
  (:predicates (at ?s - site) (joined ?a - site ?b - site))
  (:action drive :parameters (?a - site ?b - site) :precondition (and (at ?a) (joined ?a ?b))
   :effect (and (at ?b) (not (at ?a)))))"""


def edited(old, new):
    assert DOMAIN.text.count(old) == 1
    text = "(define (problem p) (:domain tabletop) (:objects desk - surface) (:init) (:goal (clear desk)))"
    return parse(Source("domain.pddl", DOMAIN.text.replace(old, new)), Source("problem.pddl", text))


def test_every_operator_is_told_with_what_it_needs_and_makes():
    told = prompt(PROBLEM).system
    assert all(f"\n{name}(" in told for name in DOMAIN.operators)
    assert "place-in(o: item, i: interior) needs holding o, open i, not does-not-fit o i" in told
    assert "jams o i if too-tall o i" in told
    assert "not crowded i any" in told


def test_every_example_is_a_plan_of_the_domain():
    assert len(borne_out(EXAMPLES, PROBLEM)) == len(EXAMPLES)
    assert len(prompt(PROBLEM).examples) == len(EXAMPLES)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(not (does-not-slide ?o ?s))\n", "(not (does-not-slide ?o ?s)) (holding ?o)\n"),
        ("(:action slide-onto", "(:action push-onto"),
    ],
)
def test_an_example_that_the_domain_does_not_bear_out_is_not_shown(old, new):
    shown = str(prompt(edited(old, new)).examples)
    assert "rug" not in shown
    assert "scarf" in shown


def test_a_domain_that_shares_nothing_has_no_examples():
    problem = "(define (problem p) (:domain rover) (:objects a b - site) (:init (at a) (joined a b)) (:goal (at b)))"
    asked = prompt(parse(Source("domain.pddl", ROVER), Source("problem.pddl", problem)))
    assert asked.examples == ()
    assert "drive(a: site, b: site) needs at a, joined a b; makes at b, not at a" in asked.system
    assert asked.question.endswith("Goal: (at b)")


def test_what_has_to_do_with_the_goal_is_told_what_it_is_about_last():
    _, state, goal = question(PROBLEM).splitlines()
    facts = re.findall(r"\([^)]*\)", state)
    assert sorted(facts) == sorted(map(str, STATE.atoms - {Atom("on", ("dish", "bench"))}))
    assert state.endswith("(closed chest) (clear cup) (on cup dish)")
    assert goal == "Goal: (in cup chest)"


def test_every_object_is_listed():
    objects = question(PROBLEM).splitlines()[0]
    assert objects == "Objects: surface: bench; drawer: chest; item: cup, dish"


def test_what_is_in_the_way_brings_its_own_facts():
    state = STATE.with_facts(frozenset({Atom("obstructed", ("chest", "dish"))}))
    asked = question(problem_of(DOMAIN, state, [Atom("open", ("chest",))]))
    assert "(obstructed chest dish)" in asked and "(no-grasp dish)" in asked
    assert "(clear cup)" not in asked
