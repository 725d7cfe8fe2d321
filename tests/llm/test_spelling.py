import json
from pathlib import Path

import pytest

from llm.logic_words import logic_words
from llm.spelling import mended, refuse_foreign
from tamp.errors import Refusal

MEANING = Path(__file__).parents[2] / "problems" / "meaning"
KNOWN = ("black bowl", "plate", "middle drawer of the cabinet", "milk", "mug", "stove", "left plate", "cream cheese")


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("put the blakc bowl on the plaet", "put the black bowl on the plate"),
        ("the white blow", "the white bowl"),
        ("set the mlik down", "set the milk down"),
        ("open the mdidle darwer, please", "open the middle drawer, please"),
        ("the mgu on the letf", "the mug on the left"),
        ("the cream chese", "the cream cheese"),
        ("opne the drawer, then trun to colse it", "open the drawer, then turn to close it"),
        ("the drawer most high, the drawer from down", "the drawer top, the drawer at the bottom"),
        ("swithc it on", "switch it on"),
        ("the redd mug onn the plate", "the red mug on the plate"),
        ("the bowl shoud be stroed undr it", "the bowl should be stored under it"),
        ("BOWLS and Drawers", "BOWLS and Drawers"),
    ],
)
def test_slips_are_put_right(text, meant):
    assert mended(text, KNOWN) == meant


@pytest.mark.parametrize(
    "text",
    [
        "place the bowl on it",  # "place" is no "plate"
        "store the mug",  # nor "store" a "stove"
        "pile the plates on that spot",
        "put the gum and the banana in it",
        "mettre le bol sur la table",
        "(on bowl_1 plate_1) 🙂",
        "",
    ],
)
def test_other_words_are_left_alone(text):
    assert mended(text, KNOWN) == text


AUXILIARIES = ("do", "does", "did", "is", "are", "was", "were", "has", "have", "had", "must", "should", "would")
AUXILIARIES += ("could", "can", "need", "may", "might", "wo", "sha", "ai")


@pytest.mark.parametrize("slip", ["n't", "nt", " n't"])
@pytest.mark.parametrize("auxiliary", AUXILIARIES)
def test_a_denial_is_never_mended_away(auxiliary, slip):
    word = auxiliary.removesuffix("n") + slip if auxiliary == "can" else auxiliary + slip
    said = mended(f"the bowl {word} go on the plate", KNOWN)
    assert [w.kind for w in logic_words(said)] == ["negation"]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("lege die Schüssel auf den Teller", '"lege", "Schüssel", "auf"'),
        ("apri il cassetto", '"apri", "il", "cassetto"'),
        ("поставь миску на тарелку", '"поставь", "миску", "на", "тарелку"'),
    ],
)
def test_another_language_is_told(text: str, named: str) -> None:
    with pytest.raises(Refusal, match=f"only English is understood; not English: {named}"):
        refuse_foreign(text, KNOWN)


@pytest.mark.parametrize("text", ["opne teh drawer", "put the qwortle on the plate", "qwortle plate", "stop!"])
def test_english_with_slips_and_odd_names_is_not(text: str) -> None:
    refuse_foreign(mended(text, KNOWN), KNOWN)
    refuse_foreign("lege the bowl", [*KNOWN, "lege"])


def test_no_instruction_that_people_wrote_is_taken_for_another_language() -> None:
    written = [json.loads(line) for path in MEANING.glob("*-develop.jsonl") for line in path.read_text().splitlines()]
    said = [case["text"] for case in written if "text" in case]
    assert len(said) > 300
    for text in said:
        refuse_foreign(text, ())
