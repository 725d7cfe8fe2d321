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
    with pytest.raises(Refusal, match=f"is this meant: {said}[?] In doubt: the wine bottle is on the stove[.] "):
        ground("bowl on the plate, call the wine bottle on the stove off", *kitchen, domain, model)
    assert model.judged == said.split("; ")


def test_it_is_not_taken_either_where_the_models_choice_is_to_be(kitchen, domain, scripted) -> None:
    """It may be the very thing that is not to be."""
    model = scripted(f"{BOWL}.", unwanted=(BOWL,))
    with pytest.raises(Refusal, match=f"is this meant: {BOWL}[?] Say it in other words"):
        ground("keep the bowl off the plate", *kitchen, domain, model, assume_first=True)


@pytest.mark.parametrize("text", [BOWL, "Please, the bowl is on the plate.", "the black bowl on the plate"])
def test_words_of_the_fact_itself_are_not_asked_about(kitchen, domain, scripted, text: str) -> None:
    """There are no other words for it."""
    model = scripted("the black bowl is on the plate.", unwanted=("the black bowl is on the plate",))
    answer = ground(text, *kitchen, domain, model)
    assert (str(answer.goal), answer.assumed, model.judged) == ("(on akita_black_bowl_1 plate_1)", "", [])


def test_what_is_asked_for_stays_a_goal(kitchen, domain, scripted) -> None:
    answer = ground("put the bowl on the plate", *kitchen, domain, scripted(f"{BOWL}."))
    assert str(answer.goal) == "(on akita_black_bowl_1 plate_1)"


def test_the_question_has_the_instruction_and_the_fact(scripted) -> None:
    assert wanted_prompt("hop", BOWL).question == f"Said: hop\nResult: {BOWL}"
    assert wanted(scripted(""), "hop", BOWL) == pytest.approx(0.9)
    assert wanted(scripted("", unwanted=(BOWL,)), "hop", BOWL) == pytest.approx(0.1)
