"""A PDDL problem in words: no geometry, only names and types."""

from __future__ import annotations

from pathlib import Path

import pytest

from llm.reader.goal_reader import stage_of, understand
from llm.vocabulary.phrases import vocabulary_of
from tamp.model.domain import Domain
from tamp.model.state import WorldState, state_of
from tamp.pddl.domain_file import load
from tamp.pddl.reading import read_problem

DOMAIN = """(define (domain orchestra)
  (:requirements :typing :negative-preconditions)
  (:types player piece hall)
  (:predicates (tuned ?p - player) (rehearsed ?c - piece ?h - hall ?p - player))
  (:action tune :parameters (?p - player) :precondition (not (tuned ?p)) :effect (tuned ?p))
  (:action rehearse :parameters (?c - piece ?h - hall ?p - player) :precondition (tuned ?p)
    :effect (rehearsed ?c ?h ?p)))"""
PROBLEM = """(define (problem tonight) (:domain orchestra)
  (:objects first_violin second_violin cello - player slow_waltz - piece main_hall - hall)
  (:init (tuned cello)) (:goal (tuned first_violin)))"""


@pytest.fixture
def orchestra(tmp_path: Path) -> tuple[WorldState, Domain]:
    (tmp_path / "domain.pddl").write_text(DOMAIN)
    (tmp_path / "problem.pddl").write_text(PROBLEM)
    domain = load(str(tmp_path))
    return state_of(read_problem(domain.path, tmp_path / "problem.pddl")[2]), domain


def test_identifiers_and_types_are_phrases(orchestra) -> None:
    words = vocabulary_of(*orchestra)
    assert words.phrases["second violin"] == ("second_violin",)
    assert words.phrases["violin"] == ("first_violin", "second_violin")
    assert words.phrases["second violin player"] == ("second_violin",)
    assert words.phrases["player"] == ("first_violin", "second_violin", "cello")
    assert words.name == {s: s.replace("_", " ") for s in words.name}


@pytest.mark.parametrize(
    ("text", "reply", "goal"),
    [
        ("tune the cello player", "tuned(cello)", "(tuned cello)"),
        ("tune both violins", "tuned(all violins)", "(and (tuned first_violin) (tuned second_violin))"),
        (
            "the cello rehearses the waltz in the hall",
            "rehearsed(slow waltz, main hall, cello)",
            "(rehearsed slow_waltz main_hall cello)",
        ),
        (
            "every player but the cello has to be tuned",
            "tuned(all players except cello)",
            "(and (tuned first_violin) (tuned second_violin))",
        ),
    ],
)
def test_a_goal_of_any_domain_and_of_any_arity(orchestra, scripted, text: str, reply: str, goal: str) -> None:
    state, domain = orchestra
    assert str(understand(text, stage_of(domain, state, vocabulary_of(state, domain)), scripted(reply)).goal) == goal
