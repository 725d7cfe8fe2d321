"""Arrangements of footprints on a rectangle."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from motion.robot import Gripper
from tamp.skills import surface_layout

NONE = np.zeros((0, 4))
UP = np.array([0.0, 0.0, 1.0])


def square(name: str, side: float = 0.06) -> surface_layout.Footprint:
    return surface_layout.Footprint(name, ((0.0, (side, side)),))


def first(
    things: list[surface_layout.Footprint], half: tuple[float, float], taken: np.ndarray = NONE
) -> dict[str, surface_layout.Spot]:
    return next(
        surface_layout.arrangements(things, np.array(half), taken, np.random.default_rng(0), Gripper().footprint), {}
    )


def apart(a: np.ndarray, b: np.ndarray) -> bool:
    return bool(
        (a[:2] >= b[2:] + surface_layout.GAP - 1e-4).any() or (b[:2] >= a[2:] + surface_layout.GAP - 1e-4).any()
    )


@pytest.mark.parametrize(("count", "half"), [(3, (0.04, 0.11)), (6, (0.08, 0.12)), (8, (0.08, 0.15))])
def test_all_are_inside_and_apart(count: int, half: tuple[float, float]) -> None:
    spots = first([square(f"s{i}") for i in range(count)], half)
    assert len(spots) == count
    for spot in spots.values():
        assert (np.abs(spot.box.reshape(2, 2)) <= np.array(half) + 1e-4).all()
    assert all(apart(a.box, b.box) for a, b in itertools.combinations(spots.values(), 2))


def test_the_last_one_must_leave_the_fingers_room() -> None:
    """Between two neighbours, and between two more: no two opposite sides are free."""
    walls = np.array([[-0.2, -0.05, -0.04, 0.05], [0.04, -0.05, 0.2, 0.05], [-0.05, 0.04, 0.05, 0.2]])
    below = np.array([[-0.05, -0.2, 0.05, -0.04]])
    assert first([square("a")], (0.035, 0.035), walls) == {}
    assert first([square("a")], (0.035, 0.035), np.vstack([walls[:2], below])) == {}
    assert first([square("a")], (0.035, 0.035), walls[:2]) != {}
