"""Motions that are led to where a thing is seen: frames agree, they move smoothly, what looks the same is the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from motion.poses import Array, error, pose, rotation_vector_to_matrix
from tamp.agent.visual_servoing import SPEED, Correction

PERIOD = 0.05
POINT = st.tuples(*[st.floats(-1.0, 1.0)] * 3).map(np.array)
TURN = st.tuples(*[st.floats(-0.3, 0.3)] * 3).map(np.array)
POSES = st.builds(lambda p, r: pose(p, rotation_vector_to_matrix(r)), POINT, TURN)
SMALL = st.builds(lambda p, r: pose(0.02 * p, rotation_vector_to_matrix(0.2 * r)), POINT, TURN)


def settled(T_planned: Array, T_seen: Array, turns: int = 1) -> Correction:
    correction = Correction()
    correction.world.lead(T_planned, T_seen, turns)
    for _ in range(200):
        correction.advance(PERIOD)
    return correction


@given(POSES, SMALL, POSES)
def test_a_tool_that_reaches_its_plan_is_at_the_thing_as_it_was_to_be(thing: Array, by: Array, grasp: Array) -> None:
    seen = pose(thing[:3, 3] + by[:3, 3], by[:3, :3] @ thing[:3, :3])
    if np.linalg.norm(error(thing, seen)[:3]) < 0.001 and np.linalg.norm(error(thing, seen)[3:]) < 0.02:
        return
    correction = settled(thing, seen)
    there = seen @ grasp
    assert np.allclose(correction.planned(there), thing @ grasp, atol=1e-9)
    assert np.allclose(correction.world.T @ thing, seen, atol=1e-9)


@given(POSES, SMALL)
def test_it_follows_no_faster_than_it_may_and_goes_back_so(thing: Array, by: Array) -> None:
    correction = Correction()
    correction.world.lead(thing, pose(thing[:3, 3] + by[:3, 3], by[:3, :3] @ thing[:3, :3]), 1)
    for n in range(60):
        before = correction.world.offset.copy()
        correction.advance(PERIOD)
        step = correction.world.offset - before
        assert np.linalg.norm(step[:3]) <= SPEED[0] * PERIOD + 1e-12
        assert np.linalg.norm(step[3:]) <= SPEED[1] * PERIOD + 1e-12
        if n == 30:
            correction.leave()
    assert np.allclose(correction.world.offset, 0.0, atol=1e-12)


@pytest.mark.parametrize(("turns", "wanted"), [(0, 0.0), (4, 0.0), (2, np.pi / 2), (1, np.pi / 2)])
def test_a_turn_that_nobody_sees_is_none(turns: int, wanted: float) -> None:
    thing, seen = (
        pose(np.array([0.3, 0.1, 0.9])),
        pose(np.array([0.31, 0.1, 0.9]), rotation_vector_to_matrix(np.array([0.0, 0.0, np.pi / 2]))),
    )
    correction = settled(thing, seen, turns)
    assert abs(correction.world.wanted[5]) == pytest.approx(wanted, abs=1e-9)
    assert correction.world.wanted[0] == pytest.approx(0.01)
