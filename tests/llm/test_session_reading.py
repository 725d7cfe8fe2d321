"""What later words do to what is going on: what is wanted then, and what the real model takes them for."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
import pytest

from llm.backends.load import load
from llm.session_reading import Reader, Reading
from llm.turns import TURNS, Turn, in_full, turn_of
from tamp.errors import Refusal
from tamp.execution.performing import Going
from tamp.model.atoms import Atom
from tamp.model.domain import load as load_domain
from tamp.model.formula import Not
from tamp.model.goal import Goal
from tamp.model.scene import RobotState, Scene
from tamp.model.state import WorldState

OLD, NEW = (Goal(Atom("in", ("mug", "drawer"))),), (Goal(Atom("turned-on", ("stove",))),)
ON_TABLE = [Atom("on", (thing, "table")) for thing in ("mug", "cup")]
BEFORE = frozenset({*ON_TABLE, Atom("closed", ("drawer",)), Atom("hand-empty")})
NOWHERE = Scene((), RobotState(np.zeros(7), 0.08, np.eye(4)))


class Told(Reader):
    """A reader whose model takes words for whatever it is told, and reads every sentence as the new goal."""

    def __init__(self, refuses: Refusal | None = None) -> None:
        self._refuses = refuses
        self._reading, self._domain = Reading("none", "tabletop", {}), load_domain("tabletop")
        self._model: Any = type("Silent", (), {"name": "silent", "sees": False})()
        self.read_as: list[str] = []

    def _goals(self, text: str, *_: Any) -> tuple[Goal, ...]:
        self.read_as.append(text)
        if self._refuses is not None and text != "in full":
            raise self._refuses
        return NEW


@pytest.mark.parametrize("busy", [True, False])
@pytest.mark.parametrize("turn", TURNS)
def test_what_is_wanted_after_what_was_said(turn: Turn, busy: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("llm.turns.turn_of", lambda *_: turn)
    monkeypatch.setattr("llm.turns.in_full", lambda *_: "turn on the stove")
    reader, (old,), (new,) = Told(), OLD, NEW
    heard, entries = reader.read("said now", NOWHERE, WorldState({}, BEFORE), Going("first", OLD, BEFORE, busy, OLD))
    both, back = Goal.of((old.formula, new.formula)), (Goal.of([Atom("on", ("mug", "table"))]),)
    corrected = (Goal.of((Not(*old.atoms), new.formula)),)
    late = {"new": (both,), "then": (old, both), "first": (new, Goal.of((new.formula, old.formula)))}
    due = {"stop": (), "undo": back, "fix": corrected} | (late if busy else dict.fromkeys(late, NEW))
    assert heard.goals == due[turn]
    assert reader.read_as == {"stop": [], "undo": [], "fix": ["turn on the stove"]}.get(turn, ["said now"])
    assert [data["turn"] for _, kind, data in entries if kind == "turn"] == [turn]


@pytest.mark.parametrize(("kind", "then"), [("nameless", ["said now", "in full"]), ("absent", ["said now"])])
def test_words_that_make_no_sense_alone_are_put_in_full(
    kind: str, then: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not so a thing that is not there: the model would name another."""
    monkeypatch.setattr("llm.turns.turn_of", lambda *_: "new")
    monkeypatch.setattr("llm.turns.in_full", lambda *_: "in full")
    reader = Told(Refusal("no", kind))
    with contextlib.suppress(Refusal):
        reader.read("said now", NOWHERE, WorldState({}, BEFORE), Going("first", OLD, BEFORE, True, OLD))
    assert reader.read_as == then


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
    assert in_full(model, before, "not the plate, the stove") == "put the black bowl on the stove"
