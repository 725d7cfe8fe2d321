"""Hollows are where water would stand."""

from __future__ import annotations

import numpy as np
import pytest

from motion.cavities import cavity
from motion.poses import Array, pose, rotation_about
from motion.shapes import Shape


def box(half: tuple[float, float, float], at: tuple[float, float, float]) -> Shape:
    return Shape("box", np.array(half), pose(list(at)))


def walls(x: float, y: float, z: float) -> tuple[Shape, ...]:
    """A box without a lid, inside 2 x by 2 y by 2 z from the floor on, walls of a centimetre."""
    sides = (box((0.005, y, z), (x + 0.005, 0, z)), box((0.005, y, z), (-x - 0.005, 0, z)))
    ends = (box((x, 0.005, z), (0, y + 0.005, z)), box((x, 0.005, z), (0, -y - 0.005, z)))
    return (box((x, y, 0.005), (0, 0, -0.005)), *sides, *ends)


def test_a_box_holds_what_its_walls_leave() -> None:
    found = cavity(walls(0.1, 0.06, 0.04), np.eye(4))
    assert found is not None
    low, high = found
    assert low == pytest.approx([-0.1, -0.06, 0.0], abs=0.005)
    assert high == pytest.approx([0.1, 0.06, 0.08], abs=0.005)


def test_water_stands_as_high_as_the_lowest_wall() -> None:
    floor, high_wall, *others = walls(0.1, 0.06, 0.04)
    low_wall = box((0.005, 0.06, 0.015), (0.105, 0, 0.015))
    found = cavity((floor, low_wall, *others), np.eye(4))
    assert found is not None
    assert found[1][2] == pytest.approx(0.03, abs=0.005)
    assert cavity((floor, *others), np.eye(4)) is None, f"it runs off where {high_wall.kind} was"


def test_a_table_a_lid_and_a_box_on_its_side_hold_nothing() -> None:
    legs = tuple(box((0.02, 0.02, 0.3), (x, y, -0.32)) for x in (-0.3, 0.3) for y in (-0.3, 0.3))
    assert cavity((box((0.4, 0.4, 0.02), (0, 0, 0)), *legs), np.eye(4)) is None
    assert cavity((*walls(0.1, 0.06, 0.04), box((0.11, 0.07, 0.005), (0, 0, 0.085))), np.eye(4)) is None
    on_its_side: Array = pose([0.0, 0.0, 0.0], rotation_about(np.array([1.0, 0.0, 0.0]), np.pi / 2))
    assert cavity(walls(0.1, 0.06, 0.04), on_its_side) is None
