"""Inverse kinematics by damped least squares on MuJoCo's Jacobians, with the posture in the null space."""

from __future__ import annotations

import numpy as np

from motion.poses import Array, error
from motion.world import World

POSITION_TOLERANCE = 5e-4
ROTATION_TOLERANCE = 5e-3
DAMPING = (1e-6, 1e-3)
"""Least damping, and its growth with the squared error: exact near the solution, calm far from it."""
LIMIT_MARGIN = 0.02
"""Radians kept from joint limits: an arm that is told only where its tool should be does not end up exactly there."""
POSTURE_GAIN = 0.3
"""Share of the posture error taken in each iteration; the arm's own controller rests at the same posture."""


def solve(world: World, T_world_tool: Array, q: Array, iterations: int = 40) -> Array | None:
    """Configuration (n,) that puts the tool at `T_world_tool` within 0.5 mm and 5 mrad, starting from `q`.

    Redundancy is spent on nearing the robot's posture as its controller spends it: what operational-space control
    settles at is nearest to the posture measured by the arm's inertia, so that the joints near the base, which
    have most of it, give way least (Khatib, IEEE J-RA 1987). None when it does not converge; joint limits hold.
    """
    low, high = world.limits[:, 0] + LIMIT_MARGIN, world.limits[:, 1] - LIMIT_MARGIN
    q = np.clip(q, low, high)
    mobility = np.linalg.inv(world.inertia(q))
    mobility *= len(q) / np.trace(mobility)
    eye6, eye = np.eye(6), np.eye(len(q))
    for _ in range(iterations):
        T, J = world.jacobian(q)
        e = error(T, T_world_tool)
        if np.linalg.norm(e[:3]) < POSITION_TOLERANCE and np.linalg.norm(e[3:]) < ROTATION_TOLERANCE:
            return np.asarray(q)
        weighted = mobility @ J.T
        pinv = weighted @ np.linalg.inv(J @ weighted + (DAMPING[0] + DAMPING[1] * float(e @ e)) * eye6)
        step = pinv @ e + (eye - pinv @ J) @ (POSTURE_GAIN * (world.robot.posture - q))
        q = np.clip(q + step * min(1.0, 0.4 / max(np.abs(step).max(), 1e-9)), low, high)
    return None


def solve_any(
    world: World, T_world_tool: Array, starts: list[Array], rng: np.random.Generator, restarts: int = 4
) -> Array | None:
    """First solution from the given starts, then from the posture with random offsets of up to 0.6 rad."""
    for q in starts:
        found = solve(world, T_world_tool, q)
        if found is not None:
            return found
    for _ in range(restarts):
        start = world.robot.posture + rng.uniform(-0.6, 0.6, len(world.robot.posture))
        found = solve(world, T_world_tool, start)
        if found is not None:
            return found
    return None


def dexterity(world: World, q: Array) -> float:
    """Smallest singular value of the tool's Jacobian at `q`: near zero when the arm is stretched or folded."""
    return float(np.linalg.svd(world.jacobian(q)[1], compute_uv=False)[-1])


def slack(world: World, q: Array) -> float:
    """Radians from configuration `q` (n,) to the nearest joint limit."""
    low, high = world.limits.T
    return float(np.minimum(q - low, high - q).min())
