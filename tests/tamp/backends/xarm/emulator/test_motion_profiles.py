"""Profiles keep their limits and end exactly where they should; blends have no jump in velocity."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tamp.backends.xarm.emulator.motion_profiles import JointPath, LinePath, Profile, TimedMotion, circle
from tamp.backends.xarm.emulator.protocol import from_pose, to_pose

POSITIVE = st.floats(1e-3, 1e3)


@given(POSITIVE, POSITIVE, POSITIVE)
def test_a_profile_keeps_speed_and_acceleration(length: float, speed: float, acceleration: float) -> None:
    profile = Profile(length, speed, acceleration)
    t = np.linspace(0, profile.duration, 401)
    s, step = np.array([profile.at(v) for v in t]), profile.duration / 400
    v = np.diff(s) / step
    assert s[0] == 0.0 and profile.at(profile.duration) == length == profile.at(1e9)
    assert (v >= -1e-9 * speed).all() and v.max() <= speed * (1 + 1e-6)
    assert np.abs(np.diff(v) / step).max() <= acceleration * (1 + 1e-6) + 1e-9 * speed / step
    assert profile.duration >= max(length / speed, 2 * math.sqrt(length / acceleration)) * (1 - 1e-9)


@given(POSITIVE, POSITIVE)
def test_the_next_motion_starts_once_this_one_brakes(speed: float, acceleration: float) -> None:
    profile = Profile(1.0, speed, acceleration)
    motion = TimedMotion(JointPath(np.zeros(1), np.ones(1)), profile, 1.0, math.inf)
    assert motion.blends(profile.duration) and motion.blends(profile.duration - 0.5 * profile.ramp)
    assert not motion.blends(0.49 * profile.duration) or profile.ramp > 0.5 * profile.duration


def test_nothing_to_travel_takes_no_time() -> None:
    assert Profile(0.0, 1.0, 1.0).duration == 0.0
    assert Profile(0.0, 1.0, 1.0).at(0.0) == 0.0


@given(st.lists(st.floats(-3, 3), min_size=18, max_size=18))
def test_a_joined_line_starts_and_ends_where_it_should(values: list[float]) -> None:
    a, b, c = (to_pose([100 * v[0], 100 * v[1], 100 * v[2], *v[3:]]) for v in (values[:6], values[6:12], values[12:]))
    first, second = LinePath(a, b), LinePath(b, c)
    assert np.allclose(second.joined(first.at(0.7), 0.0), first.at(0.7), atol=1e-9)
    assert np.allclose(second.joined(first.at(1.0), 1.0), c, atol=1e-9)


def test_joint_paths_end_exactly() -> None:
    end = np.array([0.1, 0.2, 0.3])
    assert (JointPath(np.array([1.0, 2.0, 3.0]), end).at(1.0) == end).all()


def test_circle_through_three_points() -> None:
    points = [np.array([2 * math.cos(t) + 1, 2 * math.sin(t) - 3, 0.5]) for t in (0.3, 1.4, 4.0)]
    found = circle(*points)
    assert found is not None
    centre, axis, radius = found
    assert centre == pytest.approx([1, -3, 0.5]) and abs(axis) == pytest.approx([0, 0, 1])
    assert radius == pytest.approx(2)
    assert axis[2] > 0, "from the first to the second to the third"
    assert circle(np.zeros(3), np.ones(3), 2 * np.ones(3)) is None


@given(st.lists(st.floats(-700, 700), min_size=3, max_size=3), st.lists(st.floats(-1.7, 1.7), min_size=3, max_size=3))
def test_axis_angle_goes_there_and_back(position: list[float], vector: list[float]) -> None:
    assume(np.linalg.norm(vector) < math.pi - 1e-3)
    assert from_pose(to_pose([*position, *vector], True), True) == pytest.approx([*position, *vector], abs=1e-6)
