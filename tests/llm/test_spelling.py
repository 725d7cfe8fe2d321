import pytest

from llm.logic_words import logic_words
from llm.spelling import mended

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
