"""By which turns a thing is the same, and how it lies: properties of solids whose answers are known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motion.poses import from_rpy, pose
from tamp.perception.modelling import TIPS, UP, centre_of_mass, resting_attitudes, symmetry_of, tipping
from tests.solids import polygon, prism, rectangle, thing, turned

SOLIDS = {
    "can": (polygon(72, 0.033), 0.08, 0),
    "plate": (polygon(72, 0.07), 0.015, 0),
    "hexagon": (polygon(6, 0.04), 0.03, 6),
    "triangle": (polygon(3, 0.04), 0.03, 3),
    "carton": (rectangle(0.055, 0.055), 0.14, 4),
    "box": (rectangle(0.08, 0.04), 0.02, 2),
    "kite": (np.array([[0.05, 0.0], [0.0, 0.02], [-0.03, 0.0], [0.0, -0.02]]), 0.03, 1),
}


@settings(max_examples=12)
@given(
    name=st.sampled_from(sorted(SOLIDS)),
    yaw=st.floats(0, 6.28),
    x=st.floats(-0.05, 0.05),
    y=st.floats(-0.05, 0.05),
    frame=st.tuples(*[st.floats(-3, 3)] * 3),
)
def test_the_symmetry_is_found_however_the_thing_stands_in_its_frame(
    name: str, yaw: float, x: float, y: float, frame: tuple[float, float, float]
) -> None:
    outline, height, turns = SOLIDS[name]
    points, normals = turned(*prism(outline, height), yaw, np.array([x, y]))
    own, skin = thing("solid", points, normals, pose(np.zeros(3), from_rpy([0.0] * 3, list(frame))[:3, :3]))
    found, axis = symmetry_of(own, skin)
    assert found == turns
    if turns != 1:
        assert axis == pytest.approx([x, y], abs=0.0015)


@pytest.mark.parametrize(("name", "attitudes"), [("can", 3), ("carton", 3), ("box", 4), ("kite", 6)])
def test_a_thing_lies_on_each_side_that_it_stays_on_once(name: str, attitudes: int) -> None:
    """Upright, upside down, and on one of the sides that are the same after a turn by its symmetry."""
    outline, height, turns = SOLIDS[name]
    own, skin = thing(name, *prism(outline, height), pose(np.zeros(3), from_rpy([0.0] * 3, [0.3, 0.2, 0.1])[:3, :3]))
    rests = resting_attitudes(own, skin, turns)
    assert np.allclose(rests[0], own.T_world_object[:3, :3])
    weight = centre_of_mass(own.parts[0].shapes)
    assert all(tipping(skin.points, weight, R.T @ -UP) > TIPS for R in rests)
    assert all(np.allclose(R @ R.T, np.eye(3)) and np.linalg.det(R) > 0 for R in rests)
    assert len(rests) == attitudes
