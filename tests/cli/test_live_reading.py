"""What later words do to what is going on: what is wanted then, and what the real model takes them for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cli.live_reading import Reader, Reading
from llm.backends.load import load
from llm.turns import TURNS, Turn, corrected, turn_of
from tamp.execution.performing import Going
from tamp.model.atoms import Atom
from tamp.model.domain import load as load_domain
from tamp.model.goal import Goal
from tamp.model.scene import RobotState, Scene
from tamp.model.state import WorldState

OLD, NEW = (Goal(Atom("in", ("mug", "drawer"))),), (Goal(Atom("turned-on", ("stove",))),)
ON_TABLE = [Atom("on", (thing, "table")) for thing in ("mug", "cup")]
BEFORE = frozenset({*ON_TABLE, Atom("closed", ("drawer",)), Atom("hand-empty")})
NOWHERE = Scene((), RobotState(np.zeros(7), 0.08, np.eye(4)))


class Told(Reader):
    """A reader whose model takes words for whatever it is told, and reads every sentence as the new goal."""

    def __init__(self) -> None:
        self._reading, self._domain = Reading("none", "tabletop", {}), load_domain("tabletop")
        self._model: Any = type("Silent", (), {"name": "silent", "sees": False})()
        self.read_as: list[str] = []

    def _goals(self, text: str, *_: Any) -> tuple[Goal, ...]:
        self.read_as.append(text)
        return NEW


@pytest.mark.parametrize("busy", [True, False])
@pytest.mark.parametrize("turn", TURNS)
def test_what_is_wanted_after_what_was_said(turn: Turn, busy: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("llm.turns.turn_of", lambda *_: turn)
    monkeypatch.setattr("llm.turns.corrected", lambda *_: "turn on the stove")
    reader, old = Told(), OLD if busy else ()
    going = Going("put the mug in the drawer", OLD, BEFORE, busy)
    heard, entries = reader.read("said now", NOWHERE, WorldState({}, BEFORE), going)
    back = (Goal.of([Atom("on", ("mug", "table"))]),)
    due = {"new": NEW, "then": (*old, *NEW), "first": (*NEW, *old), "stop": (), "undo": back, "fix": NEW}
    assert heard.goals == due[turn]
    assert reader.read_as == {"stop": [], "undo": [], "fix": ["turn on the stove"]}.get(turn, ["said now"])
    assert [data["turn"] for _, kind, data in entries if kind == "turn"] == [turn]


def test_the_first_words_are_not_held_against_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("llm.turns.turn_of", lambda *_: pytest.fail("there was nothing before"))
    heard, _ = Told().read("said now", NOWHERE, WorldState({}, BEFORE), None)
    assert (heard.said, heard.goals) == ("said now", NEW)


@pytest.mark.model
def test_the_real_model_tells_plain_turns_apart() -> None:
    """That the question is put as the model understands it: these are the sentences that it was worded on."""
    model, before = load("qwen2.5-coder-1.5b"), "put the black bowl on the plate"
    said = {"never mind": "stop", "put it back": "undo", "then turn on the stove": "then", "turn on the stove": "new"}
    said |= {"first open the drawer": "first", "not the plate, the stove": "fix"}
    assert {now: turn_of(model, before, now) for now in said} == said
    assert corrected(model, before, "not the plate, the stove") == "put the black bowl on the stove"
