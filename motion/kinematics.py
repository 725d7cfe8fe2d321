"""Inverse kinematics of every robot: damped least squares on MuJoCo's Jacobians. `Tracking` says how exactly."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
from scipy.linalg.lapack import dposv

from motion.arms import TURN
from motion.poses import Array, error
from motion.world import World

DAMPING = (4.0, 1e-3)
"""Damping by the squared tolerance and by the squared error: exact near the solution, calm far from it."""
PULL = 0.3
"""Share of the way to where redundant joints rest that is taken in each iteration, as the tool leaves it free."""
NEEDED = 6
"""Joints that leave nothing free: what damping leaves of their error is no room to rest in."""
ITERATIONS = 40
PATIENCE, GAIN = 8, 0.7
"""Iterations in which the squared error must fall by this factor; otherwise a start is given up."""
LARGEST_STEP = 0.4
"""Radians of the fastest joint in one iteration."""


def solve(world: World, T_world_tool: Array, q: Array) -> Array | None:
    """Configuration (n,) that puts the tool at `T_world_tool` (4, 4) within the robot's `tracking.tolerance`, starting
    from `q` (n,); joint limits hold, and no joint makes a whole turn. None when it does not converge.

    Redundancy is spent on staying at `q`, or on nearing the robot's posture as its controller spends it: what
    operational-space control settles at is nearest to the posture measured by the arm's inertia, so that the joints
    near the base, which have most of it, give way least (Khatib, IEEE J-RA 1987).
    """
    margin = world.robot.tracking.limit_margin
    return _descend(world, T_world_tool, q, world.limits[:, 0] + margin, world.limits[:, 1] - margin)


def _descend(world: World, T_world_tool: Array, q: Array, low: Array, high: Array) -> Array | None:
    if not (np.isfinite(T_world_tool).all() and np.isfinite(q).all()):
        return None
    tracking, q = world.robot.tracking, np.clip(q, low, high)
    home, mobility = (world.robot.posture, _mobility(world, q)) if tracking.rests else (q, None)
    pull = PULL if len(q) > NEEDED else 0.0
    best, patience = np.inf, PATIENCE
    for _ in range(ITERATIONS):
        T, J = world.jacobian(q)
        e = error(T, T_world_tool)
        if e[:3] @ e[:3] < tracking.tolerance[0] ** 2 and e[3:] @ e[3:] < tracking.tolerance[1] ** 2:
            return np.asarray(q)
        if (size := float(e @ e)) < GAIN * best:
            best, patience = size, PATIENCE
        elif (patience := patience - 1) == 0:
            return None
        damping = DAMPING[0] * tracking.tolerance[0] ** 2 + DAMPING[1] * size
        step = step_towards(J, e, damping, pull * (home - q), mobility)
        stuck = ((q + step < low) & (q <= low)) | ((q + step > high) & (q >= high))
        if stuck.any() and not tracking.rests:  # these joints stay at their limits, and the others do their share
            step = step_towards(J * ~stuck, e, damping, pull * (home - q) * ~stuck, mobility) * ~stuck
        q = np.clip(q + step * min(1.0, LARGEST_STEP / max(np.abs(step).max(), 1e-9)), low, high)
    return None


def _mobility(world: World, q: Array) -> Array:
    """The inverse of the arm's inertia (n, n), scaled so that it does not matter how heavy the arm is."""
    _, mobility, _ = dposv(world.inertia(q), np.eye(len(q)))
    return np.asarray(mobility * (len(q) / mobility.trace()))


def step_towards(J: Array, e: Array, damping: float, rest: Array, mobility: Array | None = None) -> Array:
    """The damped least-squares step (n,) that moves the tool by `e` (6,), and with what that leaves free goes as `rest`
    (n,), by a Jacobian (6, n). Joints give way by their `mobility` (n, n), alike unless given."""
    weighted = J.T if mobility is None else mobility @ J.T
    damped = J @ weighted
    damped.flat[::7] += damping
    _, x, _ = dposv(damped, e - J @ rest)
    return np.asarray(rest + weighted @ x)


def solve_any(
    world: World, T_world_tool: Array, starts: list[Array], rng: np.random.Generator, restarts: int = 4
) -> Array | None:
    """First solution from the given starts, then from random ones at most `tracking.spread` from the posture."""
    found = (solve(world, T_world_tool, q) for q in itertools.chain(starts, _random(world, rng, restarts)))
    return next((q for q in found if q is not None), None)


def solve_near(world: World, T_world_tool: Array, q: Array, restarts: int = 60, seed: int = 0) -> Array | None:
    """A configuration (n,), as `solve_any` from `q` (n,) and `restarts` others, whose joints that turn fully are as few
    whole turns from `q` as their limits allow."""
    low, high = world.limits.T
    free = high - low >= TURN
    low, high = np.where(free, -np.inf, low), np.where(free, np.inf, high)
    starts = itertools.chain([q], _random(world, np.random.default_rng(seed), restarts))
    found = (_descend(world, T_world_tool, start, low, high) for start in starts)
    return next((nearest_turns(world, other, q) for other in found if other is not None), None)


def _random(world: World, rng: np.random.Generator, count: int) -> Iterator[Array]:
    """Configurations (n,) within limits, at most `tracking.spread` from the posture."""
    spread, posture = world.robot.tracking.spread, world.robot.posture
    low, high = np.maximum(world.limits[:, 0], posture - spread), np.minimum(world.limits[:, 1], posture + spread)
    yield from (rng.uniform(low, high) for _ in range(count))


def nearest_turns(world: World, found: Array, q: Array) -> Array:
    """The same configuration with each joint as few whole turns from `q` (n,) as its limits allow."""
    low, high = world.limits.T
    turns = np.round((q - found) / TURN)
    turns = np.clip(turns, np.ceil((low - found) / TURN - 1e-12), np.floor((high - found) / TURN + 1e-12))
    return np.clip(found + TURN * turns, low, high)


def dexterity(world: World, q: Array) -> float:
    """Smallest singular value of the tool's Jacobian at `q`: near zero when the arm is stretched or folded."""
    return float(np.linalg.svd(world.jacobian(q)[1], compute_uv=False)[-1])


def slack(world: World, q: Array) -> float:
    """Radians from configuration `q` (n,) to the nearest joint limit, negative beyond it."""
    low, high = world.limits.T
    return float(np.minimum(q - low, high - q).min())
