"""Serial arms by their Denavit-Hartenberg tables: UFACTORY's xArm 5, 6 and 7, Lite 6 and 850.

The tables are those of UFACTORY's developer manual (standard convention), the joint limits those of its SDK. A table
is the whole description of an arm here: forward kinematics, collision models and the emulated controller are made
from it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from motion.poses import Array, pose

TURN = 2 * math.pi
_T2 = 1.3849179
"""Radians by which the zero of an xArm's second joint is turned: atan(284.5 / 53.5)."""


@dataclass(frozen=True)
class Arm:
    """An arm of revolute joints. Per joint: `d`, `a` in metres, `alpha` and the angle `offset` in radians (standard
    convention), `lower` and `upper` limits in radians. The frame after the last joint is the flange, z out of it.
    """

    name: str
    d: tuple[float, ...]
    a: tuple[float, ...]
    alpha: tuple[float, ...]
    offset: tuple[float, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]

    @property
    def joints(self) -> int:
        """How many joints it has."""
        return len(self.d)

    def frames(self, q: Array) -> Array:
        """`T_base_link` (n + 1, 4, 4) at a configuration (n,): of the base, and of the frame after each joint."""
        found = np.empty((self.joints + 1, 4, 4))
        found[0] = np.eye(4)
        for i in range(self.joints):
            found[i + 1] = found[i] @ self.step(i, float(q[i]))
        return found

    def forward(self, q: Array) -> Array:
        """`T_base_flange` (4, 4) at a configuration (n,) in radians."""
        return np.asarray(self.frames(q)[-1])

    def step(self, joint: int, angle: float) -> Array:
        """The frame after a joint in that before it (4, 4): Rz(angle + offset) Tz(d) Tx(a) Rx(alpha)."""
        theta, alpha, a, d = angle + self.offset[joint], self.alpha[joint], self.a[joint], self.d[joint]
        ct, st, ca, sa = math.cos(theta), math.sin(theta), math.cos(alpha), math.sin(alpha)
        R = np.array([[ct, -st * ca, st * sa], [st, ct * ca, -ct * sa], [0.0, sa, ca]])
        return pose([a * ct, a * st, d], R)

    def within(self, q: Array, slack: float = 0.0) -> bool:
        """Whether a configuration keeps `slack` radians from every limit."""
        return bool(np.all(q >= np.array(self.lower) + slack) and np.all(q <= np.array(self.upper) - slack))


def _arm(
    name: str,
    d: tuple[float, ...],
    a: tuple[float, ...],
    alpha: tuple[float, ...],
    offset: dict[int, float],
    limits: dict[int, tuple[float, float]],
) -> Arm:
    """From millimetres and degrees as the manual has them; joints are counted from 1, and turn fully unless limited."""
    numbers = range(1, len(d) + 1)
    each = [limits.get(n, (-TURN, TURN)) for n in numbers]
    return Arm(
        name,
        tuple(v / 1000 for v in d),
        tuple(v / 1000 for v in a),
        tuple(math.radians(v) for v in alpha),
        tuple(offset.get(n, 0.0) for n in numbers),
        tuple(low for low, _ in each),
        tuple(high for _, high in each),
    )


_J2, _ELBOW, _WRIST = (-2.059488, 2.094395), (-3.92699, 0.191986), (-1.692969, math.pi)
_QUARTER = math.pi / 2

ARMS = {
    arm.name: arm
    for arm in (
        _arm(
            "xarm5",
            (267, 0, 0, 0, 97),
            (0, 289.48866, 351.158796, 76, 0),
            (-90, 0, 0, -90, 0),
            {2: -_T2, 3: 2.7331843, 4: -1.3482664},
            {2: _J2, 3: _ELBOW, 4: _WRIST},
        ),
        _arm(
            "xarm6",
            (267, 0, 0, 342.5, 0, 97),
            (0, 289.48866, 77.5, 0, 76, 0),
            (-90, 0, -90, 90, -90, 0),
            {2: -_T2, 3: _T2},
            {2: _J2, 3: _ELBOW, 5: _WRIST},
        ),
        _arm(
            "xarm7",
            (267, 0, 293, 0, 342.5, 0, 97),
            (0, 0, 52.5, 77.5, 0, 76, 0),
            (-90, 90, 90, 90, 90, -90, 0),
            {},
            {2: _J2, 4: (-0.191986, 3.92699), 6: _WRIST},
        ),
        _arm(
            "lite6",
            (243.3, 0, 0, 227.6, 0, 61.5),
            (0, 200, 87, 0, 0, 0),
            (-90, 180, 90, 90, -90, 0),
            {2: -_QUARTER, 3: -_QUARTER},
            {2: (-2.617994, 2.617994), 3: (-0.061087, 5.235988), 5: (-2.164208, 2.164208)},
        ),
        _arm(
            "850",
            (364, 0, 0, 426, 0, 90),
            (0, 390, 150, 0, 0, 0),
            (90, 180, -90, -90, 90, 0),
            {2: _QUARTER, 3: _QUARTER},
            {2: (-2.303835, 2.303835), 3: (-4.223697, 0.061087), 5: (-2.164208, 2.164208)},
        ),
    )
}
"""The arms there are, by the names that `--model` takes."""
