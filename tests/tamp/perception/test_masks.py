"""Masks: whose pixels they are, what is in front, and what is not where it is said to be."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tamp.perception.looks import drawn, masks
from tests.synthetic_looks import CAMERAS, model, standing, taken

CAN, CARTON = standing(model("can"), 0.1, 0.0, 0.0), standing(model("carton"), 0.0, 0.02, 0.5)


def test_masks_of_things_where_they_are_are_their_pixels_and_the_nearer_one_hides_the_other() -> None:
    image = taken(CAMERAS[0], [CAN, CARTON])
    found = masks([CAN, CARTON], image)
    red, green = (np.all(image.colour == c, axis=-1) for c in ((200, 40, 40), (40, 160, 60)))
    assert (found == 1).sum() > 500 and (found == 2).sum() > 300
    for mine, true in ((found == 1, red), (found == 2, green)):
        assert (mine & true).sum() > 0.97 * (mine | true).sum()
    alone = masks([CARTON], taken(CAMERAS[0], [CARTON]))
    assert (alone == 1).sum() > (found == 2).sum(), "the can hides some of the carton"


def test_where_the_depth_does_not_agree_there_is_no_mask_and_without_depth_there_is() -> None:
    image = taken(CAMERAS[0], [CAN])
    lower = masks([standing(model("can"), 0.1, 0.0, 0.0, above=0.3)], image)
    assert not lower.any(), "one sees past where it is said to be"
    holes = replace(image, depth=np.zeros_like(image.depth))
    assert np.array_equal(masks([CAN], holes) > 0, drawn([CAN], image)[0] > 0)
