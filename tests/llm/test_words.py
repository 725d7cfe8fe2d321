from collections import Counter

import pytest

from llm.words import content, mentioned, mentioned_in_part, names_something


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


def test_places_alone_name_nothing():
    assert not mentioned_in_part(["top drawer"], words("over the top"))
    assert mentioned_in_part(["top drawer"], words("any drawer"))


@pytest.mark.parametrize(
    ("phrase", "names"), [("soup dish", True), ("front of", False), ("there", False), ("the back", False)]
)
def test_what_names_something(phrase, names):
    assert names_something(phrase) == names
