"""The arms as tests take them: the tables of UFACTORY's manual and SDK, and an ordinary configuration of each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from motion.arms import ARMS, Arm
from motion.poses import Array, pose

EACH = pytest.mark.parametrize("arm", ARMS.values(), ids=ARMS.keys())


@dataclass(frozen=True)
class Table:
    """Denavit-Hartenberg parameters of an arm's joints in the standard convention: `d` and `a` (mm), `alpha` (degrees)
    as the developer manual has them, `offset` (rad) and `limits` (rad) by the joint's number; others turn fully."""

    d: tuple[float, ...]
    a: tuple[float, ...]
    alpha: tuple[float, ...]
    offset: dict[int, float]
    limits: dict[int, tuple[float, float]]

    def forward(self, q: Array) -> Array:
        """`T_base_flange` (4, 4): of each joint Rz(angle + offset) Tz(d) Tx(a) Rx(alpha)."""
        T = np.eye(4)
        for n, (angle, d, a, degrees) in enumerate(zip(q, self.d, self.a, self.alpha, strict=True), 1):
            theta, alpha = angle + self.offset.get(n, 0.0), np.radians(degrees)
            ct, st, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
            R = np.array([[ct, -st * ca, st * sa], [st, ct * ca, -ct * sa], [0.0, sa, ca]])
            T = T @ pose(np.array([a * ct, a * st, d]) / 1000, R)
        return T


_T2, _QUARTER = 1.3849179, np.pi / 2
"""By the first the zero of an xArm's second joint is turned: atan(284.5 / 53.5)."""
_J2, _ELBOW, _WRIST = (-2.059488, 2.094395), (-3.92699, 0.191986), (-1.692969, np.pi)
TABLES = {
    "xarm5": Table(
        (267, 0, 0, 0, 97),
        (0, 289.48866, 351.158796, 76, 0),
        (-90, 0, 0, -90, 0),
        {2: -_T2, 3: 2.7331843, 4: -1.3482664},
        {2: _J2, 3: _ELBOW, 4: _WRIST},
    ),
    "xarm6": Table(
        (267, 0, 0, 342.5, 0, 97),
        (0, 289.48866, 77.5, 0, 76, 0),
        (-90, 0, -90, 90, -90, 0),
        {2: -_T2, 3: _T2},
        {2: _J2, 3: _ELBOW, 5: _WRIST},
    ),
    "xarm7": Table(
        (267, 0, 293, 0, 342.5, 0, 97),
        (0, 0, 52.5, 77.5, 0, 76, 0),
        (-90, 90, 90, 90, 90, -90, 0),
        {},
        {2: _J2, 4: (-0.191986, 3.92699), 6: _WRIST},
    ),
    "lite6": Table(
        (243.3, 0, 0, 227.6, 0, 61.5),
        (0, 200, 87, 0, 0, 0),
        (-90, 180, 90, 90, -90, 0),
        {2: -_QUARTER, 3: -_QUARTER},
        {2: (-2.617994, 2.617994), 3: (-0.061087, 5.235988), 5: (-2.164208, 2.164208)},
    ),
    "850": Table(
        (364, 0, 0, 426, 0, 90),
        (0, 390, 150, 0, 0, 0),
        (90, 180, -90, -90, 90, 0),
        {2: _QUARTER, 3: _QUARTER},
        {2: (-2.303835, 2.303835), 3: (-4.223697, 0.061087), 5: (-2.164208, 2.164208)},
    ),
}

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
