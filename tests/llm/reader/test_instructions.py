"""What a model that sees calls unknown things. No weights of one are at hand: the model here looks at the picture's
colour, which tells whether the right picture reached it."""

from __future__ import annotations

from dataclasses import replace

import imageio.v3 as imageio
import numpy as np
import pytest

from llm.models.language_model import Completion, Model, Prompt
from llm.reader.readers import QUESTION, PolicyReader, names_of
from tamp.agent.camera_perceiver import Instruction
from tamp.model.images import as_png
from tamp.runs.policy.policy import Diary

RED, BLUE = ((np.full((20, 20, 3), c, np.uint8)) for c in ((200, 20, 20), (20, 20, 200)))


class Painter:
    """Calls what is red a fire truck and anything else a lunch box; what else it is asked somebody `other` answers."""

    name, taught = "painter", True

    def __init__(self, sees: bool = True, red: str = "fire truck", other: Model | None = None) -> None:
        self.sees, self.red, self.other, self.pictures = sees, red, other, 0

    def complete(self, prompt: Prompt, grammar: str) -> Completion:
        if prompt.question != QUESTION:
            assert self.other is not None
            return self.other.complete(prompt, grammar)
        assert prompt.image is not None
        self.pictures += 1
        r, _, b = imageio.imread(prompt.image, extension=".png").mean(axis=(0, 1))
        return Completion(self.red if r > b else "lunch box")


@pytest.mark.parametrize(
    ("red", "known", "names"),
    [
        ("fire truck", ["plate"], {"fire truck": "unknown_1", "lunch box": "unknown_2"}),
        ("lunch box", ["plate"], {}),
        ("toy truck", ["red truck"], {"lunch box": "unknown_2"}),
    ],
    ids=["what its own picture shows", "two of one name", "a known thing has that noun"],
)
def test_names_are_what_pictures_show_and_tell_which_is_meant(
    red: str, known: list[str], names: dict[str, str]
) -> None:
    crops = {"unknown_1": as_png(RED), "unknown_2": as_png(BLUE)}
    assert names_of(crops, known, Painter(red=red)) == names


@pytest.mark.parametrize(("sees", "called"), [(True, "fire truck"), (False, "red box")])
def test_an_unknown_thing_can_be_asked_for_by_the_name_that_it_was_given(
    sees: bool, called: str, builders, scripted, domain
) -> None:
    """Without eyes of the model's own, what it looks like is what it is called, and no picture is sent."""
    thing = builders["item"]("unknown_1", "red_box", 0.0, 0.0)
    scene = builders["scene"](thing, builders["item"]("plate_1", "plate", 0.1, 0.3))
    scene = replace(scene, unknown=("unknown_1",))
    state = builders["state"](scene, "(clear unknown_1)", "(clear plate_1)")
    crops = {"unknown_1": as_png(RED)}
    said = Instruction(f"put the {called} on the plate", scene, state, domain, Diary(), crops=crops)
    model = Painter(sees, other=scripted(f"on({called}, plate)"))
    assert [str(g) for g in PolicyReader(model)(said)] == ["(on unknown_1 plate_1)"]
    assert model.pictures == sees
