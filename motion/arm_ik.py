"""Inverse kinematics of serial arms: damped least squares on Pinocchio's Jacobians, from where the arm is or anew."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from motion.arms import TURN, Arm
from motion.poses import Array

TOLERANCE = 1e-7
"""Metres and radians from the wanted pose at which a configuration is a solution."""
LENGTH = 0.3
"""Metres of error that weigh as much as one radian."""
DAMPING = (1e-12, 1e-2)
"""Least damping, and its growth with the squared error: exact near the solution, calm far from it."""
ITERATIONS = 60
PATIENCE, GAIN = 8, 0.7
"""Iterations in which the error must fall by this factor; otherwise a start is given up."""
LARGEST_STEP = 0.8
"""Radians of the fastest joint in one iteration."""
HOMING = 0.3
"""Share of the way back to the start that an arm with joints to spare takes in each iteration."""
SEEDS = 2000
"""Random configurations of which those nearest to the wanted pose are starts."""


class _Kinematics:
    """Pinocchio's model of an arm, with the arrays that it writes to: to be used by one thread, so made anew for
    each call from the model, which is shared."""

    def __init__(self, arm: Arm) -> None:
        import pinocchio

        self.pin: Any = pinocchio
        self.model = _model(arm)
        self.data = self.model.createData()
        self.flange = self.model.nframes - 1

    def pose(self, q: Array) -> Any:
        """The flange in the base (pinocchio.SE3) at a configuration."""
        self.pin.framesForwardKinematics(self.model, self.data, q)
        return self.data.oMf[self.flange]

    def jacobian(self, q: Array) -> Array:
        """(6, n) [linear; angular], base axes, at the flange; also updates `pose`."""
        found = self.pin.computeFrameJacobian(
            self.model, self.data, q, self.flange, self.pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        )
        return np.asarray(found)

    def error_and_jacobian(self, R: Array, p: Array, q: Array) -> tuple[Array, Array]:
        """What is missing (6,) [metres, radians] to rotation (3, 3) and position (3,), and the Jacobian (6, n)."""
        J = self.jacobian(q)
        T = self.data.oMf[self.flange]
        e = np.empty(6)
        e[:3] = p - T.translation
        e[3:] = self.pin.log3(R @ T.rotation.T)
        return e, J


@functools.cache
def _model(arm: Arm) -> Any:
    """Each joint turns about z of the frame before it; what the table has after the angle is the next one's place."""
    import pinocchio as pin

    model, parent, place = pin.Model(), 0, pin.SE3.Identity()
    for i in range(arm.joints):
        parent = model.addJoint(parent, pin.JointModelRZ(), place, f"joint{i + 1}")
        fixed = arm.step(i, 0.0)
        place = pin.SE3(fixed[:3, :3], fixed[:3, 3])
    model.addFrame(pin.Frame("flange", parent, 0, place, pin.FrameType.OP_FRAME))
    return model


def jacobian(arm: Arm, q: Array) -> Array:
    """The geometric Jacobian (6, n) [linear; angular] of the flange, in base axes, at a configuration (n,)."""
    return np.array(_Kinematics(arm).jacobian(np.asarray(q, dtype=float)))


def track(arm: Arm, T_base_flange: Array, q: Array) -> Array | None:
    """The configuration (n,) within limits that puts the flange there and is near `q` (n,); for following a line.

    One start, and no joint makes a whole turn: what a redundant arm is free to choose stays as it is in `q`. None
    when the descent does not get there within `TOLERANCE`.
    """
    if not (np.isfinite(T_base_flange).all() and np.isfinite(q).all()):
        return None
    low, high = np.array(arm.lower), np.array(arm.upper)
    return _descend(_Kinematics(arm), T_base_flange, np.clip(q, low, high), low, high)


def solve(arm: Arm, T_base_flange: Array, q: Array, *, restarts: int = 60, seed: int = 0) -> Array | None:
    """A configuration (n,) within limits that puts the flange there within `TOLERANCE`, or None.

    Tried from `q` (n,) first, then from at most `restarts` of the random configurations of `seed`, those nearest to
    the pose first. Joints that turn fully are as few whole turns from `q` as their limits allow.
    """
    if not (np.isfinite(T_base_flange).all() and np.isfinite(q).all()):
        return None
    low, high = np.array(arm.lower), np.array(arm.upper)
    free = high - low >= TURN
    wide = np.where(free, -np.inf, low), np.where(free, np.inf, high)
    kinematics = _Kinematics(arm)
    found = _descend(kinematics, T_base_flange, np.clip(q, low, high), *wide)
    if found is None:
        for start in _starts(arm, T_base_flange, restarts, seed):
            found = _descend(kinematics, T_base_flange, start, *wide)
            if found is not None:
                break
    return None if found is None else nearest_turns(arm, found, np.asarray(q, dtype=float))


def _descend(kinematics: _Kinematics, T: Array, q: Array, low: Array, high: Array) -> Array | None:
    """Damped least squares; a joint that would leave its limits stays there and the others do its share."""
    R, p, start = T[:3, :3], T[:3, 3], q
    weights = np.repeat([1 / LENGTH, 1.0], 3)
    best, patience = np.inf, PATIENCE
    for _ in range(ITERATIONS):
        e, J = kinematics.error_and_jacobian(R, p, q)
        if np.abs(e).max() < TOLERANCE:
            return q
        weighted = weights * e
        size = float(weighted @ weighted)
        if size < GAIN * best:
            best, patience = size, PATIENCE
        elif (patience := patience - 1) == 0:
            return None
        step = _step(weights[:, None] * J, weighted, DAMPING[0] + DAMPING[1] * size, start - q)
        stuck = ((q + step < low) & (q <= low)) | ((q + step > high) & (q >= high))
        if stuck.any():
            step = _step(weights[:, None] * J * ~stuck, weighted, DAMPING[0] + DAMPING[1] * size, (start - q) * ~stuck)
        q = np.clip(q + step * min(1.0, LARGEST_STEP / np.abs(step).max(initial=1e-12)), low, high)
    return None


def _step(J: Array, e: Array, damping: float, home: Array) -> Array:
    """The damped least-squares step (n,); an arm with joints to spare also goes towards `home` (n,)."""
    n = J.shape[1]
    if n <= 6:
        return np.asarray(np.linalg.solve(J.T @ J + damping * np.eye(n), J.T @ e), dtype=float)
    pulled = HOMING * home
    eased = J.T @ np.linalg.solve(J @ J.T + damping * np.eye(6), e - J @ pulled)
    return np.asarray(pulled + eased, dtype=float)


@functools.lru_cache(maxsize=16)
def _table(arm: Arm, seed: int) -> tuple[Array, Array, Array]:
    """Random configurations (SEEDS, n) within limits and half a turn, and where they put the flange: positions
    (SEEDS, 3) and rotations (SEEDS, 9)."""
    rng, kinematics = np.random.default_rng(seed), _Kinematics(arm)
    q = rng.uniform(np.maximum(arm.lower, -TURN / 2), np.minimum(arm.upper, TURN / 2), (SEEDS, arm.joints))
    free = np.subtract(arm.upper, arm.lower) >= TURN
    q = np.where(free, q, rng.uniform(arm.lower, arm.upper, q.shape))
    poses = [kinematics.pose(row).homogeneous for row in q]
    return q, np.array([T[:3, 3] for T in poses]), np.array([T[:3, :3].ravel() for T in poses])


def _starts(arm: Arm, T_base_flange: Array, count: int, seed: int) -> Array:
    """At most `count` configurations (k, n) of the table, the nearest to a pose first."""
    q, positions, rotations = _table(arm, seed)
    # |R - R'|² of two rotations is 6 - 2 tr(R R'ᵀ): about twice the squared angle between them
    off = ((positions - T_base_flange[:3, 3]) ** 2).sum(axis=1) / LENGTH**2 - rotations @ T_base_flange[:3, :3].ravel()
    return np.asarray(q[np.argsort(off)[:count]])


def nearest_turns(arm: Arm, found: Array, q: Array) -> Array:
    """The same configuration with each joint as few whole turns from `q` (n,) as its limits allow."""
    low, high = np.array(arm.lower), np.array(arm.upper)
    turns = np.round((q - found) / TURN)
    turns = np.clip(turns, np.ceil((low - found) / TURN - 1e-12), np.floor((high - found) / TURN + 1e-12))
    return np.clip(found + TURN * turns, low, high)
