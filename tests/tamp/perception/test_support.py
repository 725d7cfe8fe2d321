"""What is in the air is a piece of something else."""

from __future__ import annotations

import numpy as np

from tamp.perception.support import floating
from tests.synthetic_looks import HEIGHT, model, standing

NOTHING = np.zeros((0, 3))


def test_things_on_the_ground_and_on_each_other_are_carried() -> None:
    box = standing(model("box"), 0.0, 0.0, 0.0)
    can, disc = (standing(model(n), 0.0, 0.0, 0.0, above) for n, above in (("can", 0.035), ("disc", 0.135)))
    assert floating([disc, can, box], HEIGHT, NOTHING) == [False, False, False]
    assert floating([disc, can], HEIGHT, NOTHING) == [True, True], "they carry each other, and nothing carries both"


def test_what_is_on_something_unknown_is_carried_by_it() -> None:
    can, beside = (standing(model("can"), x, 0.0, 0.0, 0.2) for x in (0.0, 0.3))
    top = np.array([[x, y, HEIGHT + 0.195] for x in (-0.05, 0.0, 0.05) for y in (-0.05, 0.0, 0.05)])
    assert floating([can, beside], HEIGHT, top) == [False, True]
