"""What was understood of words of logic, and is not likely enough, is asked about before it is done."""

from __future__ import annotations

import re

import pytest

from llm.grounding import LEAST_INVOLVED, UnsureError, ground
from llm.model import Completion

TEXT, BURNER = "don't put the bowl on the stove", "(on akita_black_bowl_1 flat_stove_1_cook_region)"


class Doubtful:
    """Says one meaning, each step of it as likely."""

    name, sees = "doubtful", False

    def __init__(self, said: str, likely: float) -> None:
        self.said, self.likely = said, likely

    def complete(self, prompt, begun: str, pattern: str) -> Completion:
        found = re.match(pattern, self.said[len(begun) :])
        assert found, f"the grammar forbids {self.said[len(begun) :]!r}"
        return Completion(found[0], self.likely)


@pytest.mark.parametrize(
    ("text", "said", "goal"),
    [
        (TEXT, "[the bowl] is not on [the stove].", f"(not {BURNER})"),
        ("put the bowl anywhere but on the stove", "[the bowl] is not on [the stove].", f"(not {BURNER})"),
    ],
)
def test_a_likely_meaning_is_a_goal(kitchen, domain, text: str, said: str, goal: str) -> None:
    assert str(ground(text, *kitchen, domain, Doubtful(said, 0.99)).goal) == goal


def test_an_unlikely_one_is_asked_about(kitchen, domain) -> None:
    model = Doubtful("[the bowl] is not on [the stove].", LEAST_INVOLVED**0.6)  # two steps
    with pytest.raises(UnsureError, match="is this meant: the bowl is not on the stove"):
        ground(TEXT, *kitchen, domain, model)
    answer = ground(TEXT, *kitchen, domain, model, assume_first=True)
    assert str(answer.goal) == f"(not {BURNER})"
    assert answer.assumed == f"read so with probability {answer.probability:.2f}; below 0.65 it is asked back"
    assert answer.confidence < 0.5


def test_everything_but_something_is_said_as_such(kitchen, domain) -> None:
    """A small model likes to write of what is left out, and that it is not to be there."""
    text = "put everything but the plate on the stove"
    answer = ground(text, *kitchen, domain, Doubtful("[everything except the plate] is on [the stove].", 0.99))
    assert {str(a) for a in answer.goal.atoms} == {BURNER, BURNER.replace("akita_black_bowl_1", "wine_bottle_1")}
    with pytest.raises(AssertionError, match="the grammar forbids"):
        ground(text, *kitchen, domain, Doubtful("[the plate] is not on [the stove].", 0.99))
