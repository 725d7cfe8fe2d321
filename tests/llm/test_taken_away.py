"""What is taken away from where it is: the model says that it is there, and the words lead away."""

from __future__ import annotations

from dataclasses import replace

import pytest

from llm.grounding import UnsureError, ground
from llm.taken_away import no_longer
from tamp.model.atoms import Atom

THERE, OVER = "the bowl is on the plate", "the bowl is no longer on the plate"


@pytest.fixture
def on_the_plate(kitchen):
    """A kitchen in which the bowl is on the plate."""
    scene, state = kitchen
    atoms = {a for a in state.atoms if a.args[:1] != ("akita_black_bowl_1",)}
    return scene, replace(state, atoms=frozenset(atoms | {Atom("on", ("akita_black_bowl_1", "plate_1"))}))


@pytest.fixture
def says(scripted):
    """A model that first says what no word is for, and is then let say what holds."""

    def model(**more):
        return scripted(("the wine bottle is on the stove.", f"{THERE}."), **more)

    return model


@pytest.mark.parametrize(
    "text",
    ["take the bowl off the plate", "remove the bowl from the plate", "get the bowl out of the plate"],
)
def test_what_leads_away_from_where_it_is_asks_for_its_end(on_the_plate, domain, says, text: str) -> None:
    answer = ground(text, *on_the_plate, domain, says())
    assert [str(g) for g in answer.goals] == ["(not (on akita_black_bowl_1 plate_1))"]
    assert answer.reply == OVER and answer.roles["source"] == "akita_black_bowl_1"


def test_its_end_is_asked_about_where_it_seems_not_to_be_wanted(on_the_plate, domain, says) -> None:
    with pytest.raises(UnsureError, match=f"is this meant: {OVER}[?]") as refused:
        ground("nudge the bowl off the plate", *on_the_plate, domain, says(unwanted=(OVER,)))
    (goals,) = refused.value.alternatives
    assert str(goals[0]) == "(not (on akita_black_bowl_1 plate_1))" and not refused.value.assumable


def test_what_holds_already_and_leads_nowhere_is_as_it_is_said(on_the_plate, domain, says) -> None:
    answer = ground("put the bowl on the plate", *on_the_plate, domain, says())
    assert str(answer.goal) == "(on akita_black_bowl_1 plate_1)"


def test_a_fact_as_over() -> None:
    assert no_longer(THERE) == OVER
    assert no_longer("the bowls are on the plate") == "the bowls are no longer on the plate"
