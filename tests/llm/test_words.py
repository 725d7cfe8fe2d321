from collections import Counter

import pytest

from llm.words import absent, content, mentioned, mentioned_in_part, names_something, without


def words(text):
    return Counter(content(text))


@pytest.mark.parametrize(
    ("phrase", "text"),
    [
        ("top drawer", "open the upper drawers"),
        ("bowl next to the stove", "take the bowl near the stove"),
        ("bowl at the center of the table", "the bowl in the middle of the table"),
        ("right plate", "the rightmost plate"),
        ("right plate", "the right-hand plate"),
        ("yellow mug", "the yellowish mug"),
        ("bottom drawer", "the lowermost drawer"),
    ],
)
def test_mentioned(phrase, text):
    assert mentioned(phrase, words(text))


@pytest.mark.parametrize(
    ("phrase", "text"),
    [
        ("bowl next to the plate", "put the bowl on the plate"),
        ("black book", "put it in the back"),
        ("top drawer", "open the drawer"),
        ("plate", "open the drawer"),
    ],
)
def test_not_mentioned(phrase, text):
    assert not mentioned(phrase, words(text))


def test_a_word_serves_once():
    said = words("the bowl next to the plate")
    assert mentioned("bowl next to the plate", said)
    assert not mentioned("bowl next to the plate", without(said, "plate"))


def test_places_alone_name_nothing():
    assert not mentioned_in_part(["top drawer"], words("over the top"))
    assert mentioned_in_part(["top drawer"], words("any drawer"))


HERE = ["black bowl", "white mug", "top drawer of the wooden cabinet", "frying pan"]


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("put the banana in the top drawer", ["banana"]),
        ("put a red apple next to the pan", ["red apple"]),
        ("put the green mug on the pan", ["green mug"]),
        ("put the big dark bowl in the drawer of the old cabinet", []),
        ("open the top one and close the other", []),
        ("shut the door of the cabinet, put the mug at the side", []),
        ("mug in drawer", []),
        ("set the carton of milk by the pan", ["milk"]),
        ("set the box of the black bowl down", []),
        ("put it on the roof of the cabinet, the very top", []),
    ],
)
def test_things_that_are_not_there(text, missing):
    assert absent(text, [w for phrase in HERE for w in phrase.split()]) == missing


@pytest.mark.parametrize(
    ("phrase", "names"), [("soup dish", True), ("front of", False), ("there", False), ("the back", False)]
)
def test_what_names_something(phrase, names):
    assert names_something(phrase) == names
