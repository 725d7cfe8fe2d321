"""The arms as tests take them, and an ordinary configuration of each."""

from __future__ import annotations

import numpy as np
import pytest

from motion.arms import ARMS, Arm
from motion.poses import Array

EACH = pytest.mark.parametrize("arm", ARMS.values(), ids=ARMS.keys())

_BENT = {
    "xarm5": (0.3, -0.3, -1.2, 1.5, 0.3),
    "xarm6": (0.3, -0.3, -1.2, 0.3, 1.2, 0.3),
    "xarm7": (0.3, -0.3, 0.3, 1.2, 0.3, 1.2, 0.3),
    "lite6": (0.3, 0.2, 1.5, 0.3, 1.2, 0.3),
    "850": (0.3, -0.2, -1.5, 0.3, -1.2, 0.3),
}


def configurations(arm: Arm, count: int, seed: int) -> Array:
    """Random configurations (count, n) within limits."""
    return np.random.default_rng(seed).uniform(arm.lower, arm.upper, (count, arm.joints))


def bent(arm: Arm) -> Array:
    """An ordinary configuration, away from singularities and limits."""
    return np.array(_BENT[arm.name])
