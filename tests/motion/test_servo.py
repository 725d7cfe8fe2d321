"""Servo laws on scripted trajectories."""

from __future__ import annotations

import numpy as np
import pytest

from motion.poses import pose, rotation_about
from motion.robot import ServoGains
from motion.servo import displacement
from motion.timing import Trajectory

GAINS = ServoGains(lead=0.2)
SPEED = 0.1
"""Metres per second along x."""


@pytest.fixture
def steady() -> Trajectory:
    times = np.linspace(0.0, 2.0, 41)
    return Trajectory(times, np.zeros((41, 7)), np.array([pose([SPEED * t, 0.0, 0.0]) for t in times]))


def test_what_is_off_the_line_is_brought_back(steady: Trajectory) -> None:
    T = pose([0.1, 0.03, -0.02], rotation_about(np.array([0.0, 0.0, 1.0]), 0.3))
    asked = displacement(T, steady, 1.0, GAINS)
    share = asked[1] / -0.03
    assert 1.0 <= share <= 2.0, "the whole error at least, and nothing wild"
    assert np.allclose(asked, [SPEED * GAINS.lead, -0.03 * share, 0.02 * share, 0, 0, -0.3 * share], atol=1e-7)
