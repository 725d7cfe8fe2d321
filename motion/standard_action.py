"""LIBERO's standard action (7,), as arrays: what to ask robosuite's controller for so that the tool moves as wanted.

Nothing here knows a simulator: whoever has the arm's Jacobian, inertia and passive torques can ask.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from motion.poses import Array
from motion.robot import Response

ACTION_SCALE = np.repeat(Response().reach, 3)
"""Metres and radians that an action component of 1 asks for (robosuite's OSC_POSE defaults)."""
OPEN, CLOSE, HOLD = -1.0, 1.0, 0.0
FINGER_STEP = 0.25
"""How far the finger target moves in one control step, on its scale from -1 to 1 (25 times 0.01)."""
STIFFNESS = 150.0
"""1/s², of robosuite's OSC_POSE by default, critically damped."""
DAMP = 0.1
"""Weight of asking for what was wanted against getting it: directions that hardly answer are not forced."""
ACCURACY = np.array([1.0, 1.0, 1.0, 4.0, 4.0, 4.0])
"""Weights of getting the position's and the rotation's share of it, where not all can be had."""


@dataclass(frozen=True, eq=False)
class Controller:
    """robosuite's OSC_POSE: `stiffness` (6,) in 1/s² and `damping` (6,) in 1/s for position, then rotation; `reach`
    (6,) are the metres and radians that an action component of 1 asks for."""

    stiffness: Array = field(default_factory=lambda: np.full(6, STIFFNESS))
    damping: Array = field(default_factory=lambda: np.full(6, 2.0 * np.sqrt(STIFFNESS)))
    reach: Array = field(default_factory=ACTION_SCALE.copy)

    def action(
        self, displacement: Array, opening: float, fingers: float, widest: float, arm: tuple[Array, ...]
    ) -> Array:
        """The action (7,) that moves the tool by `displacement` (6,), metres and rotation vector in world axes, and the
        fingers to `opening` metres. `fingers` is where their target is, from -1 to 1, `widest` metres being 1; `arm`
        are the arrays that `decoupled` wants of it."""
        asked = self.decoupled(displacement, *arm) / self.reach
        return np.append(np.clip(asked, -1.0, 1.0), finger_direction(opening, fingers, widest))

    def decoupled(self, displacement: Array, J: Array, inertia: Array, passive: Array, twist: Array) -> Array:
        """The displacement (6,) within reach to ask the controller for so that it answers to `displacement` as it would
        if position and rotation were independent, as nearly as that can be had.

        Of the arm as it is now: `J` (6, n) is the tool's Jacobian [linear; angular], `inertia` (n, n) that of the
        joints, `passive` (n,) what dampers, springs and the air do to them, Nm, `twist` (6,) how the tool moves.

        robosuite's OSC takes the operational-space inertia of position and of rotation apart and leaves the
        coupling between them out. The hand then accelerates by K (kp u - kd v) instead of kp u - kd v, where K
        has ones on its diagonal and the coupling beside them, and hardly answers in some directions. Nor does it
        know of the air: MuJoCo's drag on the boxes that have robosuite's inertias, more than a metre wide for
        a fingertip, takes 9 Nm of joint 7's 12 at 1.5 rad/s.
        """
        kp, kd, limits = self.stiffness, self.damping, self.reach
        answer = np.linalg.solve(inertia, J.T).T  # acceleration to joint torques
        mobility, drag = answer @ J.T, answer @ passive
        blocks = np.zeros((6, 6))
        blocks[:3, :3], blocks[3:, 3:] = np.linalg.inv(mobility[:3, :3]), np.linalg.inv(mobility[3:, 3:])
        K = (mobility @ blocks) * limits / limits[:, None]
        damped = kd / kp * twist / limits
        asked = displacement / limits
        for part in (slice(0, 3), slice(3, 6)):
            asked[part] /= max(1.0, float(np.abs(asked[part]).max()))
        wanted = asked - damped + K @ damped - drag / (kp * limits)
        H, g = K.T @ (ACCURACY[:, None] * K), K.T @ (ACCURACY * wanted)
        return limits * in_box(H + DAMP**2 * np.eye(6), g + DAMP**2 * asked)


def finger_direction(opening: float, now: float, widest: float) -> float:
    """Which way the fingers have to go to `opening` metres from where their target is `now`, on its scale from -1 to 1:
    robosuite moves the target by a fixed amount in the direction asked for; 0 keeps it. To close is to press."""
    target = 2.0 * opening / widest - 1.0
    now = now if opening > 0 else np.inf
    if abs(target - now) < FINGER_STEP / 2:
        return HOLD
    return OPEN if target > now else CLOSE


def finger_target(now: float, direction: float) -> float:
    """Where the fingers' target is after a control step in a direction."""
    return float(np.clip(now - FINGER_STEP * np.sign(direction), -1.0, 1.0))


def in_box(H: Array, g: Array) -> Array:
    """The z (n,) in [-1, 1] that nearly minimises z'Hz/2 - g'z: what leaves the box is fixed at its side and the
    rest solved for again."""
    z, free = np.linalg.solve(H, g), np.ones(len(g), dtype=bool)
    while (beyond := free & (np.abs(z) > 1.0)).any():
        z[beyond] = np.sign(z[beyond])
        free &= ~beyond
        if free.any():
            z[free] = np.linalg.solve(H[np.ix_(free, free)], g[free] - H[np.ix_(free, ~free)] @ z[~free])
    return np.asarray(z)
