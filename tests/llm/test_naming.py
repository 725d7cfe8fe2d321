"""Words that the scene lacks: the model chooses among what there is; what it is not sure of is asked about."""

from __future__ import annotations

import re

import pytest

from llm.grounding import ground
from llm.model import Completion
from llm.naming import TASK
from tamp.errors import Refusal


class Speaker:
    """Writes one meaning, and says how likely words can mean a thing; anything else they cannot."""

    name, sees = "speaker", False

    def __init__(self, meaning: str, can_mean: dict[tuple[str, str], float]) -> None:
        self.meaning, self.can_mean = meaning, can_mean
        self.asked: list[str] = []

    def complete(self, prompt, begun: str, pattern: str) -> Completion:
        if prompt.system == TASK:
            self.asked.append(prompt.question)
            words, name = re.fullmatch(r'"(.*)": (.*)\?', prompt.question).groups()
            yes = self.can_mean.get((words, name), 0.05)
            return Completion("yes", yes) if yes > 0.5 else Completion("no", 1.0 - yes)
        said = re.match(pattern, self.meaning[len(begun) :])
        assert said, f"the grammar forbids {self.meaning[len(begun) :]!r}"
        return Completion(said[0], 0.9)


TEXT, MEANING = "put the soup dish on the plate", "[the soup dish] is on [the plate]."


def test_a_word_that_the_scene_lacks_is_asked_about_and_told(kitchen, domain) -> None:
    answer = ground(TEXT, *kitchen, domain, Speaker(MEANING, {("soup dish", "black bowl"): 0.9}))
    assert str(answer.goal) == "(on akita_black_bowl_1 plate_1)"
    assert answer.guesses == {"soup dish": "black bowl"}
    plain = ground(
        "put the bowl on the plate", *kitchen, domain, Speaker("[the bowl] is on [the plate].", {})
    )
    assert answer.confidence < plain.confidence


def test_a_guess_that_is_not_sure_is_asked_back(kitchen, domain) -> None:
    """Two things fit the words about as well."""
    can_mean = {("soup dish", "black bowl"): 0.8, ("soup dish", "wine bottle"): 0.75}
    with pytest.raises(Refusal, match='by "soup dish", do you mean the black bowl'):
        ground(TEXT, *kitchen, domain, Speaker(MEANING, can_mean))


def test_what_fits_none_of_the_things_there_is_absent(kitchen, domain) -> None:
    with pytest.raises(Refusal, match='the scene has no "banana"') as refused:
        ground("put the banana on the plate", *kitchen, domain, Speaker("[the banana] is on [the plate].", {}))
    assert refused.value.kind == "absent"


def test_a_thing_that_is_called_by_its_name_is_not_called_by_another_word_too(kitchen, domain) -> None:
    """The plate stands for itself, so that the soup dish is no plate, whatever the model holds of that."""
    model = Speaker(MEANING, {("soup dish", "plate"): 0.99, ("soup dish", "black bowl"): 0.9})
    assert ground(TEXT, *kitchen, domain, model).guesses == {"soup dish": "black bowl"}


def test_a_description_that_fits_in_part_is_not_taken_for_granted(kitchen, domain) -> None:
    """There is a bottle, of wine."""
    with pytest.raises(Refusal, match="whisky"):
        ground(
            "put the whisky bottle on the plate",
            *kitchen,
            domain,
            Speaker("[the whisky bottle] is on [the plate].", {}),
        )


def test_nothing_is_asked_about_words_that_the_scene_has(kitchen, domain) -> None:
    model = Speaker("[the bowl] is on [the plate].", {})
    ground("put the bowl on the plate", *kitchen, domain, model)
    assert model.asked == []
