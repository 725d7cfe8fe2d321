"""Boxes for meshes: they cover them, few are enough, and what is hollow stays so."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from motion.poses import Array
from motion.shapes import Shape
from tamp.perception.boxing import BOXES, boxes
from tests.solids import BOWL, CAN, revolved

TRAY = np.array([[0.0, 0.0], [0.1, 0.0], [0.1, 0.03], [0.098, 0.03], [0.098, 0.004], [0.0, 0.004]])
OPEN = np.array([[0.0, 0.0], [0.04, 0.0], [0.04, 0.09]])
"""A cup that is a single sheet, without a wall's other side."""
PROFILES = {"bowl": BOWL, "can": CAN, "tray": TRAY, "sheet": OPEN}


@cache
def made(name: str) -> tuple[Array, tuple[Shape, ...]]:
    corners = revolved(PROFILES[name])
    return corners, boxes(corners, np.random.default_rng(0))


def inside(shapes: tuple[Shape, ...], points: Array, slack: float = 0.0) -> Array:
    off = [np.abs(points - s.T_body_shape[:3, 3]) - s.size for s in shapes]
    return np.asarray((np.min([o.max(axis=1) for o in off], axis=0)) <= slack)


@pytest.mark.parametrize("name", PROFILES)
def test_few_boxes_cover_the_faces(name: str) -> None:
    corners, shapes = made(name)
    assert 1 <= len(shapes) <= BOXES
    weights = np.random.default_rng(1).dirichlet(np.ones(3), len(corners))
    assert inside(shapes, np.einsum("nk,nkj->nj", weights, corners), slack=0.001).mean() > 0.97
    low, high = corners.min(axis=(0, 1)), corners.max(axis=(0, 1))
    ends = np.array([[s.T_body_shape[:3, 3] - s.size, s.T_body_shape[:3, 3] + s.size] for s in shapes])
    assert ends[:, 0].min(axis=0) == pytest.approx(low, abs=0.002)
    assert ends[:, 1].max(axis=0) == pytest.approx(high, abs=0.002)


@pytest.mark.parametrize(
    ("name", "bottom", "radius"), [("bowl", 0.02, 0.02), ("tray", 0.015, 0.07), ("sheet", 0.015, 0.02)]
)
def test_what_is_hollow_stays_hollow(name: str, bottom: float, radius: float) -> None:
    _, shapes = made(name)
    around = np.linspace(0, 2 * np.pi, 12)
    heights = np.linspace(bottom, PROFILES[name][:, 1].max(), 5)
    points = np.array([[r * np.cos(a), r * np.sin(a), z] for r in (0.0, radius) for a in around for z in heights])
    assert not inside(shapes, points).any()


def test_what_is_closed_is_full() -> None:
    _, shapes = made("can")
    assert inside(shapes, np.array([[x, y, z] for x in (-0.01, 0.0) for y in (0.0, 0.01) for z in (0.02, 0.08)])).all()


def test_a_block_is_one_box() -> None:
    corners = revolved(np.array([[0.0, 0.0], [0.05, 0.0], [0.05, 0.03], [0.0, 0.03]]), sections=4)
    turned = corners @ np.array([[np.sqrt(0.5), -np.sqrt(0.5), 0], [np.sqrt(0.5), np.sqrt(0.5), 0], [0, 0, 1]])
    assert len(boxes(turned, np.random.default_rng(0))) == 1
