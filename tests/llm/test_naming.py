"""Words that the scene lacks: the model chooses among what there is; what it is not sure of is asked about."""

from __future__ import annotations

import re

import pytest

from llm import wanted
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
        if prompt.system == wanted.TASK:
            return Completion(wanted.WANTED, 0.9)
        said = re.match(pattern, self.meaning[len(begun) :])
        assert said, f"the grammar forbids {self.meaning[len(begun) :]!r}"
        return Completion(said[0], 0.9)


TEXT, MEANING = "put the tureen on the plate", "[the tureen] is on [the plate]."


def test_a_word_that_the_scene_lacks_is_asked_about_and_told(kitchen, domain) -> None:
    answer = ground(TEXT, *kitchen, domain, Speaker(MEANING, {("tureen", "black bowl"): 0.95}))
    assert str(answer.goal) == "(on akita_black_bowl_1 plate_1)"
    assert answer.guesses == {"tureen": "black bowl"}


def test_a_guess_that_is_not_sure_is_asked_back(kitchen, domain) -> None:
    """Two things fit the words about as well."""
    can_mean = {("tureen", "black bowl"): 0.8, ("tureen", "wine bottle"): 0.75}
    with pytest.raises(Refusal, match='by "tureen", do you mean the black bowl'):
        ground(TEXT, *kitchen, domain, Speaker(MEANING, can_mean))


def test_what_fits_none_of_the_things_there_is_absent(kitchen, domain) -> None:
    with pytest.raises(Refusal, match="the scene has no banana") as refused:
        ground("put the banana on the plate", *kitchen, domain, Speaker("[the banana] is on [the plate].", {}))
    assert refused.value.kind == "absent"


def test_a_thing_that_is_called_by_its_name_is_not_called_by_another_word_too(kitchen, domain) -> None:
    """The plate stands for itself, so that the tureen is no plate, whatever the model holds of that."""
    model = Speaker(MEANING, {("tureen", "plate"): 0.99, ("tureen", "black bowl"): 0.95})
    assert ground(TEXT, *kitchen, domain, model).guesses == {"tureen": "black bowl"}


def test_parts_of_a_thing_by_another_word(kitchen, domain) -> None:
    """Of "the top drawer of the dresser" only the dresser is unknown."""
    text, meaning = "open the top drawer of the dresser", "[the top drawer of the dresser] is open."
    answer = ground(text, *kitchen, domain, Speaker(meaning, {("dresser", "wooden cabinet"): 0.95}))
    assert str(answer.goal) == "(open wooden_cabinet_1_top_region)"
    with pytest.raises(Refusal, match="the scene has no dresser"):
        ground(text, *kitchen, domain, Speaker(meaning, {}))
