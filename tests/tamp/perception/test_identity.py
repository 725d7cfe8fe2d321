"""Whether a thing is still the one that it was taken for, by its colours."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from tamp.perception.object_model import PlacedModel
from tamp.perception.segmentation import Points
from tamp.perception.tracking import Track, mistaken
from tests.synthetic_looks import CAMERAS, HEIGHT, library, look, painted, standing, taken

HERE = np.array([0.0, 0.0, 1.2])


def told(true: Sequence[PlacedModel], thought: Sequence[PlacedModel], time: float = 1.0) -> list[str]:
    looks = [look(taken(c, list(true))) for c in CAMERAS]
    tracks = {f"thing_{i}": Track(f"thing_{i}", placed, True, time, 1.0) for i, placed in enumerate(thought)}
    points = np.concatenate([k.points.reshape(-1, 3) for k in looks])
    with np.errstate(invalid="ignore"):
        points = points[points[:, 2] > HEIGHT + 0.004].astype(float)
    return mistaken(tracks, Points(points, np.zeros_like(points)), HERE, looks, 1.0)


def test_another_thing_of_the_same_shape_is_noticed() -> None:
    true = standing(library()["carton"], -0.1, 0.1, 0.4)
    assert told([true], [standing(painted(library()["carton"], (200, 40, 40)), -0.1, 0.1, 0.4)]) == ["thing_0"]


@pytest.mark.parametrize(("now", "before"), [("box", "carton"), ("can", "carton"), ("disc", "box"), ("carton", "disc")])
def test_a_thing_of_another_shape_is_noticed_and_the_one_beside_it_left_alone(now: str, before: str) -> None:
    beside = standing(library()["can"], 0.0, 0.1, 0.0)
    thought = [standing(library()[before], -0.1, 0.1, 0.4), beside]
    assert told([standing(library()[now], -0.1, 0.1, 0.4), beside], thought, time=0.5) == ["thing_0"]
    assert told([thought[0], beside], thought) == []
