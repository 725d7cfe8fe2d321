"""What later words do to what is going on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from llm.reader.readers import PolicyReader, SessionReader, SessionWords
from tamp.agent.camera_perceiver import Instruction
from tamp.agent.tabletop_agent import Going
from tamp.errors import Refusal
from tamp.model.atoms import Atom
from tamp.model.goal import Goal
from tamp.planning.assistant import JournalBuffer

BOWL, STOVE = "akita_black_bowl_1", "flat_stove_1"
ON_PLATE = Goal(Atom("on", (BOWL, "plate_1")))
CLEAR = ("plate_1", BOWL, "wine_bottle_1", "flat_stove_1_cook_region")
DUE = {
    "turned on(stove)": [f"(and (on {BOWL} plate_1) (turned-on {STOVE}))"],
    "then\nturned on(stove)": [f"(on {BOWL} plate_1)", f"(and (on {BOWL} plate_1) (turned-on {STOVE}))"],
    "first\nturned on(stove)": [f"(turned-on {STOVE})", f"(and (turned-on {STOVE}) (on {BOWL} plate_1))"],
    "drop on(black bowl, plate)\non(wine bottle, plate)": [
        f"(and (not (on {BOWL} plate_1)) (on wine_bottle_1 plate_1))"
    ],
    "drop on(black bowl, plate)": [],
    "drop all\nturned on(stove)": [f"(turned-on {STOVE})"],
    "back(black bowl)": [f"(on {BOWL} main_table)"],
    "stop": [],
}


@pytest.mark.parametrize("program", DUE)
def test_what_is_wanted_after_later_words(kitchen, scripted, program: str) -> None:
    scene, state = kitchen
    state = replace(state, atoms=state.atoms | {Atom("clear", (s,)) for s in CLEAR})
    notes = JournalBuffer()
    reader = SessionReader(SessionWords("none", "tabletop", {}), notes, model=scripted(program))
    going = Going("put the bowl on the plate", (ON_PLATE,), kitchen[1].atoms, True, (ON_PLATE,))
    heard = reader.read("said now", scene, state, going)
    assert [str(g) for g in heard.goals] == DUE[program]
    assert [shown["text"] for _, name, shown in notes.taken() if name == "program"] == [program]


def test_what_is_being_done_is_in_the_question(kitchen, scripted) -> None:
    model = scripted("drop on(black bowl, plate)")
    reader = SessionReader(SessionWords("none", "tabletop", {}), JournalBuffer(), model=model)
    reader.read("the stove, too", *kitchen, Going("", (ON_PLATE,), frozenset(), True))
    assert "now: on(black bowl, plate)\nsaid: the stove, too" in model.asked[0].question


def test_a_remark_that_asks_for_nothing_changes_nothing(kitchen, scripted) -> None:
    reader = SessionReader(SessionWords("none", "tabletop", {}), JournalBuffer(), model=scripted("nothing"))
    with pytest.raises(Refusal, match="asks for nothing"):
        reader.read("very good", *kitchen, Going("", (ON_PLATE,), frozenset(), True))


@pytest.mark.parametrize("sees", [True, False])
def test_a_policy_asks_for_an_unknown_thing_by_what_it_looks_like(builders, scripted, domain, sees) -> None:
    thing = builders["item"]("unknown_1", "red_box", 0.0, 0.0)
    scene = builders["scene"](thing, builders["item"]("plate_1", "plate", 0.1, 0.3))
    state = builders["state"](scene, "(clear unknown_1)", "(clear plate_1)")
    said = Instruction("put the red box on the plate", scene, state, domain, JournalBuffer(), picture=b"png")
    model = scripted("on(red box, plate)", sees=sees)
    assert [str(g) for g in PolicyReader(model)(said)] == ["(on unknown_1 plate_1)"]
    assert (model.asked[0].image == b"png") is sees
