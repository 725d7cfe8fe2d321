"""What `tamp ground` prints of a goal."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from cli.ground import ground
from cli.output import Output
from llm.models.language_model import Completion, Prompt, fits
from tamp.api.configs import GroundConfig

DOMAIN = """(define (domain orchestra)
  (:requirements :typing)
  (:types player)
  (:predicates (tuned ?p - player) (seated ?p - player) (untouchable ?o - player))
  (:action tune :parameters (?p - player) :precondition (seated ?p) :effect (tuned ?p)))"""
PROBLEM = """(define (problem tonight) (:domain orchestra)
  (:objects cello viola - player)
  (:init (seated cello) (seated viola)) (:goal (tuned viola)))"""
TEXT = "tune the cello but leave the viola alone"


@dataclass
class Unsure:
    """Says one program, and holds it unlikely."""

    name: str = "unsure"
    sees: bool = False
    taught: bool = True

    def complete(self, prompt: Prompt, grammar: str) -> Completion:
        program = "tuned(cello)\nkeep(viola)"
        assert fits(program, grammar)
        return Completion(program, 0.2)


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    (tmp_path / "domain.pddl").write_text(DOMAIN)
    (tmp_path / "problem.pddl").write_text(PROBLEM)
    monkeypatch.setattr("tamp.api.language.model", lambda name: Unsure())

    return GroundConfig(TEXT, problem=tmp_path / "problem.pddl", domain=tmp_path, llm="unsure", assume_first=True)


def test_what_is_not_to_be_touched_and_what_was_only_assumed(config, capfd) -> None:  # type: ignore[no-untyped-def]
    assert ground(config, Output(None, json=False)) == 0
    lines = dict(line.split(None, 1) for line in capfd.readouterr().out.splitlines())
    assert (lines["goal"], lines["untouched"]) == ("(tuned cello)", "viola")
    assert re.fullmatch(r"read so with confidence 0\.\d\d; below 0\.\d+ it is asked back", lines["assumed"])
    assert float(lines["confidence"]) < 0.5
    assert ground(config, Output(None, json=True)) == 0
    shown = json.loads(capfd.readouterr().out)
    assert (shown["goal"], shown["untouched"]) == ("(tuned cello)", ["viola"])
