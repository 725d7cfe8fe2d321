"""Where a known object is, given points that may be its own: a search over turns and shifts, judged both ways.

What is measured should lie on the model's skin, and nothing of the model may be where one sees past it. Poses are
upright or lying attitudes turned about the vertical; metres and radians.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from motion.poses import Numbers, rotation_about
from tamp.perception.kernels import on_skin, seen_past
from tamp.perception.looks import Look
from tamp.perception.object_model import Skin

ON_SKIN = 0.008
"""Metres from the skin at which a point counts for nothing, in the end."""
PAST = 0.75
"""Metres that one may see past a place of the model by mistake, for each metre of these."""
FULLY = 1.75
"""Metres further at which a place counts as empty for certain, likewise."""
EMPTY = 2.0
"""Weight of the share of the model in view that is not there, against the share of the points that lie on it."""
HIDDEN = 0.05
"""Share of the model that counts as in view and there whatever is: of hardly any of it little can be said."""
MOST = 6
"""Steps of one size at most."""
SKIN_POINTS = 250
"""Points of a skin that are looked at."""


@dataclass(frozen=True, eq=False)
class Target:
    """What a model is held against: `points` (n, 3) that may be its own, and all pictures."""

    points: Numbers
    looks: Sequence[Look]


@dataclass(frozen=True, eq=False)
class Fit:
    """Poses (k, 4, 4) of a model with, for each (k,), the share of the points `on` its skin, the share of the skin
    where one sees past it, and both in one `score`, at most 1."""

    T_world_object: Numbers
    on: Numbers
    empty: Numbers

    @property
    def score(self) -> Numbers:
        """Higher is better."""
        return self.on - EMPTY * self.empty

    def best(self, n: int) -> Fit:
        """The `n` best ones, best first."""
        order = np.argsort(-self.score, kind="stable")[:n]
        return Fit(self.T_world_object[order], self.on[order], self.empty[order])


def turned(p: Numbers, yaw: Numbers, R: Numbers) -> Numbers:
    """Poses (k, 4, 4) at positions `p` (k, 3) of an attitude `R` (3, 3) turned by `yaw` (k,) about the vertical."""
    c, s = np.cos(yaw), np.sin(yaw)
    T = np.zeros((len(yaw), 4, 4), dtype=np.float32)
    T[:, 0, 0], T[:, 0, 1], T[:, 1, 0], T[:, 1, 1], T[:, 2, 2], T[:, 3, 3] = c, -s, s, c, 1.0, 1.0
    T[:, :3, :3] = T[:, :3, :3] @ R.astype(np.float32)
    T[:, :3, 3] = p
    return T


def judged(T: Numbers, skin: Skin, target: Target, samples: Numbers, near: float = ON_SKIN) -> Fit:
    """How well poses (k, 4, 4) of a skin explain a target; `samples` (m, 3) are the skin's points that are tried, and
    from `near` metres from the skin on a point counts for nothing."""
    f = skin.field
    on = on_skin(target.points, T, f.steps, f.origin, f.cell, f.unit, near)
    return Fit(T, on, emptiness(T, samples, target.looks, near))


def emptiness(T: Numbers, samples: Numbers, looks: Sequence[Look], near: float = ON_SKIN) -> Numbers:
    """Share (k,) of what is in view of a skin at each pose (k, 4, 4) that is not there: one sees past it. `samples`
    (m, 3) are the skin's points that are tried."""
    seen = [seen_past(samples, T, k.T_camera_world, k.K, k.nearest, PAST * near, FULLY * near) for k in looks]
    most = np.max(seen, axis=0)
    return np.asarray(np.maximum(most, 0.0).sum(axis=1) / ((most >= 0.0).sum(axis=1) + HIDDEN * len(samples)))


def sampled(skin: Skin, n: int = SKIN_POINTS) -> Numbers:
    """Every so many points of a skin (n, 3)."""
    return skin.points[:: max(1, len(skin.points) // n)].astype(np.float32)


@dataclass(frozen=True)
class Step:
    """By how much a pose is changed: shift (m), turn (rad), lift (m) and tilt (rad); `near` as for `judged`."""

    shift: float
    turn: float
    lift: float
    near: float = ON_SKIN
    tilt: float = 0.0


def climbed(T: Numbers, skin: Skin, target: Target, samples: Numbers, steps: Sequence[Step]) -> Fit:
    """The best pose near one (4, 4), found by ever smaller steps as long as it gets better."""
    here = judged(T[None].astype(np.float32), skin, target, samples)
    for step in steps:
        here = judged(here.T_world_object, skin, target, samples, step.near)
        for _ in range(MOST):
            there = judged(_around(here.T_world_object[0], step), skin, target, samples, step.near).best(1)
            if there.score[0] <= here.score[0] + 1e-6:
                break
            here = there
    return judged(here.T_world_object, skin, target, samples)


def _around(T: Numbers, step: Step) -> Numbers:
    moves = [(x, y, 0, 0) for x in (-1, 0, 1) for y in (-1, 0, 1)]
    moves += [(0, 0, a, 0) for a in (-1, 1)] if step.turn else []
    moves += [(0, 0, 0, z) for z in (-1, 1)] if step.lift else []
    m = np.array(moves, dtype=np.float32) * [step.shift, step.shift, step.turn, step.lift]
    p = T[:3, 3] + m[:, [0, 1, 3]]
    around = turned(p, m[:, 2], T[:3, :3])
    return np.concatenate([around, _tilted(T, step.tilt)]) if step.tilt else around


def _tilted(T: Numbers, angle: float) -> Numbers:
    """A pose (4, 4) tilted four ways (4, 4, 4)."""
    tilts = [rotation_about(np.eye(3)[axis], sign * angle) for axis in (0, 1) for sign in (-1.0, 1.0)]
    out = np.repeat(T[None], len(tilts), axis=0).astype(np.float32)
    out[:, :3, :3] = np.array(tilts) @ T[:3, :3]
    return out
