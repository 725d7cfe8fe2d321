"""What counts as the ground on which things stand."""

from __future__ import annotations

import numpy as np
import pytest

from tamp.perception.looks import Look
from tamp.perception.segmentation import ground_of
from tests.synthetic_looks import boxed, looking

BASE = np.array([-0.6, 0.0, 0.4])
FLOOR = 0.0
TABLE = (-0.3, -0.4, 0.2, 0.4, 0.42)
BOX = (-0.1, -0.1, 0.0, 0.05, 0.5)


@pytest.mark.parametrize(
    ("boxes", "height"),
    [([], FLOOR), ([BOX], FLOOR), ([TABLE], TABLE[4]), ([TABLE, BOX], TABLE[4])],
    ids=["floor", "a box on the floor", "a low table", "a box on a low table"],
)
def test_a_table_is_the_ground_rather_than_the_floor_around_it_and_what_stands_on_it_is_not(
    boxes: list[tuple[float, ...]], height: float
) -> None:
    camera = boxed(looking("front", (0.9, 0.0, 1.2), (-0.1, 0.0, 0.2), 240), boxes, FLOOR)
    ground = ground_of([Look.of(camera, np.zeros(camera.size, dtype=bool))], BASE)
    assert ground is not None and ground.height == pytest.approx(height, abs=0.002)
