"""A mesh becomes the simple shape that it fills best."""

from __future__ import annotations

import numpy as np
import pytest

from motion.poses import rotation_about
from motion.shapes import Shape, fitted

ANGLES = np.linspace(0, 2 * np.pi, 32, endpoint=False)
ROUND = np.array([[0.03 * np.cos(a), 0.03 * np.sin(a), z] for a in ANGLES for z in (-0.06, 0.06)])
SQUARE = np.array([[x, y, z] for x in (-0.03, 0.03) for y in (-0.03, 0.03) for z in (-0.06, 0.06)])
TURNED = rotation_about(np.array([0.0, 0.0, 1.0]), 0.6)


def test_what_is_round_is_a_cylinder_whichever_way_it_lies() -> None:
    for axis in np.eye(3):
        R = rotation_about(np.cross([0.0, 0.0, 1.0], axis), np.pi / 2) if axis[2] == 0 else np.eye(3)
        found = fitted(ROUND @ R.T + 0.1, (np.eye(3),))
        assert found.kind == "cylinder"
        assert found.size[:2] == pytest.approx([0.03, 0.06], abs=1e-3)
        assert abs(found.T_body_shape[:3, 2] @ axis) == pytest.approx(1)
        assert found.T_body_shape[:3, 3] == pytest.approx([0.1, 0.1, 0.1], abs=1e-3)


def test_what_is_square_is_a_box_along_the_axes_that_fit() -> None:
    found = fitted(SQUARE @ TURNED.T, (np.eye(3), TURNED))
    assert found.kind == "box"
    assert found.size == pytest.approx([0.03, 0.03, 0.06])


def test_all_points_are_in_it() -> None:
    rng = np.random.default_rng(0)
    points = rng.normal(size=(60, 3)) * [0.1, 0.05, 0.02]
    found: Shape = fitted(points, (np.eye(3), TURNED))
    local = (points - found.T_body_shape[:3, 3]) @ found.T_body_shape[:3, :3]
    assert (np.abs(local) <= found.half_extent + 1e-9).all()
