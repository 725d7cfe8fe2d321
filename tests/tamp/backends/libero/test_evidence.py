"""What LIBERO itself decides, as docs/libero.md tells it."""

from __future__ import annotations

import numpy as np
import pytest

from motion.poses import pose, rotation_about
from tamp.backends.libero import tasks
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.oracle import OraclePerceiver
from tamp.model.scene import Region, contains

IDLE_STEPS = 20


@pytest.mark.episode
def test_a_bystander_falls_with_no_command_at_all() -> None:
    """libero_90/54, initial state 0: counted as shifted in every run."""
    environment = LiberoEnvironment(tasks.find("libero_90/54"), seed=0, init_state=0, render=False)
    try:
        perceiver = OraclePerceiver(environment)
        before = perceiver.perceive().object("orange_juice_1").position
        for _ in range(IDLE_STEPS):
            environment.stop()
        moved = perceiver.perceive().object("orange_juice_1").position - before
    finally:
        environment.close()
    assert moved[2] < -0.04 and np.linalg.norm(moved[:2]) > 0.05


@pytest.mark.parametrize(("turn", "inside"), [(0.0, True), (0.25 * np.pi, False), (0.5 * np.pi, True)])
def test_nothing_is_in_a_square_basket_turned_by_half_a_right_angle(turn: float, inside: bool) -> None:
    """`contains` follows LIBERO's own test, |R s|, so that what is planned for is what is judged."""
    T = pose(np.zeros(3), rotation_about([0.0, 0.0, 1.0], turn))
    assert contains(Region("basket", "interior", T, np.full(3, 0.06), "basket"), np.array([0.005, 0.0, 0.0])) == inside
