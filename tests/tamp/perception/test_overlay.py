"""What was perceived, drawn on pictures."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from tamp.model.scene import Scene, record_of
from tamp.perception.looks import masks
from tamp.perception.object_model import ObjectModel
from tamp.perception.overlay import overlaid
from tests.synthetic_looks import CAMERAS, library, observed, standing, taken

CAN = standing(library()["can"], 0.1, 0.1, 0.0)


SEEN = record_of(Scene((CAN.as_object("can_1"),), observed([]).robot, confidence={"can_1": 0.9}))


def test_the_pixels_of_a_thing_are_tinted_and_far_from_it_all_is_as_it_was() -> None:
    image = taken(CAMERAS[0], [CAN])
    changed = (overlaid(image, SEEN, library()) != image.colour).any(axis=-1)
    mask = masks([CAN], image) > 0
    assert changed[mask].all() and 1.0 < changed.sum() / mask.sum() < 6.0
    rows, columns = np.nonzero(mask)
    away = changed.copy()
    away[max(0, rows.min() - 40) : rows.max() + 40, max(0, columns.min() - 40) : columns.max() + 90] = False
    assert not away.any()


@pytest.mark.parametrize("known", [library(), {}], ids=["moved away", "known by no model"])
def test_where_a_thing_is_no_longer_or_unknown_only_its_box_is_drawn(known: Mapping[str, ObjectModel]) -> None:
    there, gone = (taken(CAMERAS[0], things) for things in ([CAN], []))
    boxed = {**SEEN, "boxes": {"can_1": [corner.tolist() for corner in CAN.bounds]}}
    filled = [(overlaid(i, boxed, k) != i.colour).any(axis=-1).sum() for i, k in ((there, library()), (gone, known))]
    assert 0 < filled[1] < 0.8 * filled[0]
