"""Other ways in which a thing may stand where it was thought to be: turned about, and leaning."""

from __future__ import annotations

import itertools

import numpy as np

from motion.poses import Array, joint_transform, pose
from tamp.perception.candidates import Candidate
from tamp.perception.fitting import Fit, Step, Target, climbed, judged
from tamp.perception.threads import each

TILTED = (
    Step(0.008, 0.0, 0.006, 0.02, 0.12),
    Step(0.004, 0.04, 0.004, 0.012, 0.06),
    Step(0.002, 0.02, 0.002, 0.008, 0.03),
    Step(0.001, 0.01, 0.001, 0.008, 0.015),
)
"""Steps for what leans."""
FINE = (Step(0.003, 0.03, 0.002), Step(0.0015, 0.015, 0.001), Step(0.0007, 0.007, 0.0005))
"""The last steps in which a pose is bettered."""
EVERY_WAY = tuple(np.arange(1, 36) * np.pi / 18)
"""Turns (rad) about the vertical."""
WAYS = 4
"""Turns that are looked at closely."""
TILTS = (0.14, 0.28, 0.45)
"""Radians by which things are tried to lean, each way."""
SHIFTED = tuple((x, y, 0.0) for x in (-0.01, 0.0, 0.01) for y in (-0.01, 0.0, 0.01))
"""Shifts (m) with each of them."""
LOOSELY, LEANING_WAYS = 0.014, 3
"""Metres from the skin at which a point counts for nothing then, and ways to lean that are looked at closely."""


def turned_about(c: Candidate, fit: Fit, target: Target) -> Fit:
    """The best way to turn a candidate about where it is: small steps do not bring a handle to the other side. As it is
    for what is round, and for what has joints: that is tried in all quarters before."""
    if len(c.yaws) == 1 or c.model.jointed:
        return fit
    ways = judged(c.turned_otherwise(fit.T_world_object[0], EVERY_WAY), c.skin, target, c.few, LOOSELY).best(WAYS)
    steps = (*c.steps, *FINE)
    fits = each(lambda T: climbed(T, c.skin, target, c.samples, steps), list(ways.T_world_object))
    return max(fits, key=lambda f: float(f.score[0]))


def leaning(c: Candidate, T_world_object: Array, target: Target) -> Fit:
    """The best of the ways in which a candidate may lean where it was thought to stand upright."""
    T = T_world_object.astype(float)
    middle = 0.5 * (c.skin.points.min(axis=0) + c.skin.points.max(axis=0)) @ T[:3, :3].T + T[:3, 3]
    starts = [T]
    for tilt, around in itertools.product(TILTS, np.arange(8) * 0.25 * np.pi):
        axis = np.array([np.cos(around), np.sin(around), 0.0])
        D = joint_transform("hinge", axis, middle, tilt) @ T
        starts += [pose(list(shift)) @ D for shift in SHIFTED]
    best = judged(np.array(starts, dtype=np.float32), c.skin, target, c.few, LOOSELY).best(LEANING_WAYS)
    fits = [climbed(S, c.skin, target, c.few, TILTED) for S in best.T_world_object]
    return max(fits, key=lambda f: float(f.score[0]))
