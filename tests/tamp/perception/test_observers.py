"""What is believed: as operators say, for as long as the table says."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from motion.world import World
from tamp.model.atoms import Atom, GroundAction
from tamp.model.state import WorldState
from tamp.pddl.domain_file import load
from tamp.perception.observers import Beliefs, Observer, StateEstimator

DOMAIN = """(define (domain d)
  (:requirements :strips :typing :conditional-effects)
  (:types item)
  (:predicates (clean ?i - item) (wet ?i - item) (soapy ?i - item) (on ?i ?j - item))
  (:action wash :parameters (?i - item) :precondition () :effect (and (wet ?i) (when (soapy ?i) (clean ?i))))
  (:action dry :parameters (?i - item) :precondition (wet ?i) :effect (forall (?j - item) (not (wet ?j))))
  (:action move :parameters (?i ?j - item) :precondition () :effect (on ?i ?j)))
"""


def beliefs(folder: Path, table: str) -> Beliefs:
    (folder / "domain.pddl").write_text(DOMAIN)
    (folder / "skills.toml").write_text(table)
    domain = load(str(folder))
    return Beliefs(domain, domain.table.beliefs)


def state(*soapy: str) -> WorldState:
    return WorldState({"cup": "item", "dish": "item"}, frozenset(Atom("soapy", (s,)) for s in soapy))


def test_an_operator_that_was_carried_out_is_believed_with_its_conditions_and_quantifiers(tmp_path: Path) -> None:
    held = beliefs(tmp_path, "[predicates.clean]\nbelieved = true\n[predicates.wet]\nbelieved = true\n")
    assert held.carried_out(GroundAction("wash", ("cup",)), state("cup"), 1.0)
    assert held.carried_out(GroundAction("wash", ("dish",)), state("cup"), 2.0)
    wet = {Atom("wet", ("cup",)), Atom("wet", ("dish",))}
    assert held.at(2.0) == wet | {Atom("clean", ("cup",))}, "the dish was not soapy"
    held.carried_out(GroundAction("dry", ("cup",)), state(), 3.0)
    assert held.at(3.0) == {Atom("clean", ("cup",))}


def test_what_is_older_than_its_age_is_doubted(tmp_path: Path) -> None:
    held = beliefs(tmp_path, "[predicates.wet]\nbelieved = true\nage = 10.0\n")
    held.carried_out(GroundAction("wash", ("cup",)), state("cup"), 1.0)
    assert held.at(11.0) == {Atom("wet", ("cup",))} and not held.at(11.1)


def test_a_conditional_effect_that_an_observer_looks_at_is_missing_where_its_condition_held(tmp_path: Path) -> None:
    domain = beliefs(tmp_path, "").domain
    seen = Observer("clean", lambda view, item: False)
    sight = StateEstimator(domain, {"clean": seen}, cast(World, None))
    wash = GroundAction("wash", ("cup",))
    assert sight.missing(wash, state(), state("cup")) == "(clean cup) is not seen"
    assert sight.missing(wash, state(), state("dish")) is None, "the cup was not soapy"
