"""The fast control step is robosuite's own, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

from motion.standard_action import in_box
from tamp.backends.libero import tasks
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.stepping import Stepper

pytestmark = pytest.mark.episode
STEPS = 80


@pytest.mark.parametrize("task", ["libero_goal/7", pytest.param("libero_10/0", marks=pytest.mark.thorough)])
def test_states_are_those_of_robosuites_own_step(task: str) -> None:
    """Random motion down into the things on the table, with the fingers closing and opening."""
    environments = [LiberoEnvironment(tasks.find(task), init_state=0) for _ in range(2)]
    ours, theirs = (e.domain for e in environments)
    stepper, rng = Stepper(ours), np.random.default_rng(0)
    for step in range(STEPS):
        wish = 0.4 * rng.uniform(-1, 1, 6) + [0.0, 0.0, -0.3, 0.0, 0.0, 0.0]
        action = np.append(wish, 1.0 if step % 40 > 20 else -1.0)
        theirs.step(action)
        stepper.step(action)
        for name in ("qpos", "qvel", "qacc_warmstart", "ctrl"):
            ours_now, theirs_now = (getattr(d.sim.data._data, name) for d in (ours, theirs))
            assert np.array_equal(ours_now, theirs_now), f"step {step}: {name}"
    for e in environments:
        e.close()


@pytest.mark.parametrize("task", ["libero_10/2", "mug_in_drawer"])
def test_a_reset_forgets_what_was_before(task: str) -> None:
    environment = LiberoEnvironment(tasks.find(task), seed=3)
    first = environment.sim.get_state().flatten()
    for _ in range(10):
        environment.act(np.array([0.3, 0.2, -0.5, 0.1, 0.0, 0.0, 1.0]))
    environment.reset(seed=4)
    other = environment.sim.get_state().flatten()
    environment.reset(seed=3)
    again = environment.sim.get_state().flatten()
    environment.close()
    assert np.array_equal(first[1:], again[1:]) and not np.array_equal(first[1:], other[1:])


def test_the_best_within_the_box_is_found() -> None:
    rng = np.random.default_rng(1)
    for _ in range(50):
        A, g = rng.normal(size=(6, 6)), 3 * rng.normal(size=6)
        H = A @ A.T + 0.1 * np.eye(6)
        z = in_box(H, g)
        assert np.abs(z).max() <= 1.0 + 1e-9
        if np.abs(np.linalg.solve(H, g)).max() <= 1.0:
            assert np.allclose(H @ z, g)
