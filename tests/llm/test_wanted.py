"""What an answer says is asked for, as the model sees it, or there is no answer."""

from __future__ import annotations

import pytest

from llm.grounding import ground
from llm.wanted import wanted, wanted_prompt
from tamp.errors import Refusal

BOWL = "the bowl is on the plate"


def test_what_the_instruction_does_not_ask_for_is_no_goal(kitchen, domain, scripted) -> None:
    model = scripted(f"{BOWL}.", unwanted=(BOWL,))
    with pytest.raises(Refusal, match=f"is this meant: {BOWL}") as refused:
        ground("keep the bowl off the plate", *kitchen, domain, model)
    assert refused.value.kind == "unsure"


def test_each_fact_is_judged_by_itself(kitchen, domain, scripted) -> None:
    said = f"{BOWL}; the wine bottle is on the stove"
    model = scripted(f"{said}.", unwanted=("the wine bottle is on the stove",))
    with pytest.raises(Refusal, match="is this meant: the wine bottle is on the stove"):
        ground("bowl on the plate, call the wine bottle on the stove off", *kitchen, domain, model)
    assert model.judged == said.split("; ")


def test_what_is_asked_for_stays_a_goal(kitchen, domain, scripted) -> None:
    answer = ground("put the bowl on the plate", *kitchen, domain, scripted(f"{BOWL}."))
    assert str(answer.goal) == "(on akita_black_bowl_1 plate_1)"


def test_the_question_has_the_instruction_and_the_fact(scripted) -> None:
    assert wanted_prompt("hop", BOWL).question == f"Said: hop\nResult: {BOWL}"
    assert wanted(scripted(""), "hop", BOWL) == pytest.approx(0.9)
    assert wanted(scripted("", unwanted=(BOWL,)), "hop", BOWL) == pytest.approx(0.1)
