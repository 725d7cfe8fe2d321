"""What `tamp ground` prints of a goal."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cli.ground import Request, ground
from llm.aside import LEAVE
from llm.model import Completion

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
    """Says one meaning, and holds each step of it no likelier than half; what a clause asks, less."""

    said: str = "[the cello] is tuned; [the viola] is untouched."
    name: str = "unsure"
    sees: bool = False

    def complete(self, prompt: Any, begun: str, pattern: str) -> Completion:
        if re.fullmatch(pattern, LEAVE):
            return Completion(LEAVE, 0.4)
        found = re.match(pattern, self.said[len(begun) :])
        assert found, f"the grammar forbids {self.said[len(begun) :]!r}"
        return Completion(found[0], 0.5)


@pytest.fixture
def request_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    (tmp_path / "domain.pddl").write_text(DOMAIN)
    (tmp_path / "problem.pddl").write_text(PROBLEM)
    monkeypatch.setattr("tamp.api.language.model", lambda name: Unsure())

    def made(json_output: bool) -> Request:
        return Request(TEXT, "", tmp_path / "problem.pddl", str(tmp_path), "unsure", None, None, True, json_output)

    return made


def test_what_is_not_to_be_touched_and_what_was_only_assumed(request_of, capfd) -> None:  # type: ignore[no-untyped-def]
    assert ground(request_of(False)) == 0
    lines = dict(line.split(None, 1) for line in capfd.readouterr().out.splitlines())
    assert (lines["goal"], lines["untouched"]) == ("(tuned cello)", "viola")
    assert re.fullmatch(r"read so with probability 0\.\d\d; below 0\.65 it is asked back", lines["assumed"])
    assert float(lines["confidence"]) < 0.5


def test_the_same_for_programs(request_of, capfd) -> None:  # type: ignore[no-untyped-def]
    assert ground(request_of(True)) == 0
    told = json.loads(capfd.readouterr().out)
    assert (told["goal"], told["untouched"]) == ("(tuned cello)", ["viola"])
    assert told["assumed"].startswith("read so")
