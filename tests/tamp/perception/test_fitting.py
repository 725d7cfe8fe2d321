"""Models are tried in the right turns; compiled loops say what they should."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tamp.perception.fitting import roundest

FAR, REACH = 4.0, 0.008


@given(x=st.floats(-0.05, 0.05), y=st.floats(-0.05, 0.05), widens=st.floats(0.0, 0.02), handle=st.floats(0.01, 0.05))
def test_a_mug_is_round_about_its_own_axis_whatever_its_handle(
    x: float, y: float, widens: float, handle: float
) -> None:
    rng = np.random.default_rng(0)
    angle, up = rng.uniform(0, 2 * np.pi, 4000), rng.uniform(0, 1, 4000)
    radius = 0.035 + widens * up
    cup = np.column_stack([x + radius * np.cos(angle), y + radius * np.sin(angle), 0.1 * up])
    grip = np.column_stack(
        [x + 0.04 + rng.uniform(0, handle, 500), y + rng.uniform(-0.005, 0.005, 500), rng.uniform(0.02, 0.08, 500)]
    )
    assert np.linalg.norm(roundest(np.concatenate([cup, grip])) - (x, y)) < 0.002
