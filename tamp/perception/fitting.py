"""Fit a model's pose to points and depth images: a search over turns and shifts, scored both ways.

Measured points should lie on the model's skin, and no part of the model may be where the camera sees past it. Poses are
upright or lying attitudes turned about the vertical; metres and radians.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np

from motion.poses import Array, Numbers, joint_transform, pose, rotation_about
from tamp.perception.kernels import on_skin, seen_past
from tamp.perception.looks import Look
from tamp.perception.object_model import ObjectModel, PlacedModel, Skin, whole

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
MOST_STEPS = 6
"""Steps of one size at most."""
FIRST_TURNS = 24
SPINS = 18
"""Turns of a solid of revolution in which its colours are tried."""
COARSE = 0.12
"""Share of a model's size from the skin at which a point counts for nothing in the first trial: turns and shifts that
are tried then are that far apart."""
NEAR = (0.013, 0.04)
"""Least and most metres of that."""
ROUND, ROUNDS = 0.003, 30
"""Metres off a circle from which on a point counts less, and steps in which its middle is found."""
TRIED = 25
"""Values of a joint that are tried first."""
FINER = 25
"""Values that are tried then, between the two next to the best."""
BETTER, SETTLED = 0.02, 0.003
"""By which share better than before another value has to be, anywhere in the range and close by."""
AT_REST = 0.035
"""Share of a joint's range within which it is where it was made: closed, or off."""
T = TypeVar("T")
R = TypeVar("R")

MOST_THREADS = 4


@dataclass(frozen=True, eq=False)
class FitTarget:
    """What a model is held against: `points` (n, 3) that may be its own, and all pictures."""

    points: Numbers
    looks: Sequence[Look]


@dataclass(frozen=True, eq=False)
class Fit:
    """Poses (k, 4, 4) of a model with a `score` (k,) each, at most 1: the share of the points that are on its skin,
    less that of the skin where one sees past it, times `EMPTY`."""

    T_world_object: Numbers
    score: Numbers

    def best(self, n: int) -> Fit:
        """The `n` best ones, best first."""
        return self.some(np.argsort(-self.score, kind="stable")[:n])

    def some(self, which: Numbers | list[int]) -> Fit:
        """Those with some numbers."""
        return Fit(self.T_world_object[which], self.score[which])


def turned(p: Numbers, yaw: Numbers, R: Numbers) -> Numbers:
    """Poses (k, 4, 4) at positions `p` (k, 3) of an attitude `R` (3, 3) turned by `yaw` (k,) about the vertical."""
    c, s = np.cos(yaw), np.sin(yaw)
    T = np.zeros((len(yaw), 4, 4), dtype=np.float32)
    T[:, 0, 0], T[:, 0, 1], T[:, 1, 0], T[:, 1, 1], T[:, 2, 2], T[:, 3, 3] = c, -s, s, c, 1.0, 1.0
    T[:, :3, :3] = T[:, :3, :3] @ R.astype(np.float32)
    T[:, :3, 3] = p
    return T


def judged(T: Numbers, skin: Skin, target: FitTarget, samples: Numbers, near: float = ON_SKIN) -> Fit:
    """How well poses (k, 4, 4) of a skin explain a target; `samples` (m, 3) are the skin's points that are tried, and
    from `near` metres from the skin on a point counts for nothing."""
    f = skin.field
    on = on_skin(target.points, T, f.steps, f.origin, f.cell, f.unit, near)
    return Fit(T, on - EMPTY * emptiness(T, samples, target.looks, near))


def emptiness(T: Numbers, samples: Numbers, looks: Sequence[Look], near: float = ON_SKIN) -> Numbers:
    """Share (k,) of what is in view of a skin at each pose (k, 4, 4) that is not there: one sees past it. `samples`
    (m, 3) are the skin's points that are tried."""
    seen = [seen_past(samples, T, k.T_camera_world, k.K, k.nearest, PAST * near, FULLY * near) for k in looks]
    most = np.max(seen, axis=0)
    return np.asarray(np.maximum(most, 0.0).sum(axis=1) / ((most >= 0.0).sum(axis=1) + HIDDEN * len(samples)))


@dataclass(frozen=True)
class FitStep:
    """By how much a pose is changed: shift (m), turn (rad), lift (m) and tilt (rad); `near` as for `judged`."""

    shift: float
    turn: float
    lift: float
    near: float = ON_SKIN
    tilt: float = 0.0


def climbed(T: Numbers, skin: Skin, target: FitTarget, samples: Numbers, steps: Sequence[FitStep]) -> Fit:
    """The best pose near one (4, 4), found by ever smaller steps as long as it gets better."""
    here = judged(T[None].astype(np.float32), skin, target, samples)
    for step in steps:
        here = judged(here.T_world_object, skin, target, samples, step.near)
        for _ in range(MOST_STEPS):
            there = judged(_around(here.T_world_object[0], step), skin, target, samples, step.near).best(1)
            if there.score[0] <= here.score[0] + 1e-6:
                break
            here = there
    return judged(here.T_world_object, skin, target, samples)


def _around(T: Numbers, step: FitStep) -> Numbers:
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


class Candidate:
    """A model in one attitude, ready to be tried: `samples` and a `few` points (n, 3) of its skin, the corners `low`
    and `high` (3,) of that standing upright, turns (k,) to try first."""

    def __init__(self, model: ObjectModel, R: Array, skin: Skin) -> None:
        self.model, self.R, self.skin = model, R, skin
        upright = skin.points @ R.T
        self.low, self.high = upright.min(axis=0), upright.max(axis=0)
        self.samples, self.few = skin.sampled(), skin.sampled(100)
        self.near = float(np.clip(COARSE * (self.high - self.low)[:2].max(), *NEAR))
        turns = self._turns
        self.yaws = np.zeros(1) if turns == 0 else np.arange(FIRST_TURNS) * 2 * np.pi / FIRST_TURNS / turns

    @property
    def _turns(self) -> int:
        """Its symmetry about the vertical: what lies on its side has none."""
        return self.model.turns if np.array_equal(self.R, self.model.rests[0]) else 1

    @property
    def steps(self) -> list[FitStep]:
        """The steps that come before the last ones."""
        size = float((self.high - self.low)[:2].max())
        lengths = (share * self.near for share in (0.6, 0.3, 0.15))
        return [FitStep(n, 2 * n / size, n, max(ON_SKIN, 1.5 * n)) for n in lengths]

    def spun(self, T_world_object: Array, angles: Sequence[float] | None = None) -> Array:
        """Poses (k, 4, 4) that are the same for its shape: all turns that there are, or those by some angles (rad)."""
        turns = self._turns if self._turns > 0 else SPINS
        by = np.arange(turns) * 2 * np.pi / turns if angles is None else angles
        return self._about(0.5 * (self.low + self.high), T_world_object, by)

    def turned_otherwise(self, T_world_object: Array, angles: Sequence[float]) -> Array:
        """Poses (k, 4, 4) turned by angles (rad) about the middle of the skin's box, and about what it is round about:
        a mug about its own axis, whatever its handle adds to the box."""
        pivots = (0.5 * (self.low + self.high), np.append(self._round_about, 0.0))
        return np.concatenate([self._about(p, T_world_object, angles) for p in pivots])

    @cached_property
    def _round_about(self) -> Array:
        return roundest(self.skin.points @ self.R.T)

    def _about(self, p: Array, T_world_object: Array, angles: Iterable[float]) -> Array:
        """Poses (k, 4, 4) turned about the vertical through a point (3,) of the upright skin."""
        axis, pivot = self.R.T @ [0.0, 0.0, 1.0], np.append(p[:2], 0.0) @ self.R
        D = [joint_transform("hinge", axis, pivot, float(angle)) for angle in angles]
        return np.asarray(T_world_object @ np.array(D), dtype=np.float32)

    def at(self, x: Array, y: Array, z: float, yaw: Array) -> Array:
        """Poses (k, 4, 4) with the middle of the upright skin at `x`, `y` (k,) and the object's origin at `z`."""
        mid = 0.5 * (self.low + self.high)
        c, s = np.cos(yaw), np.sin(yaw)
        off = np.stack([c * mid[0] - s * mid[1], s * mid[0] + c * mid[1]])
        return turned(np.column_stack([x - off[0], y - off[1], np.full(len(yaw), z)]), yaw, self.R)


def candidates(models: Iterable[ObjectModel], lying: bool = False) -> list[Candidate]:
    """All models, upright, with their joints as made; those that have some also without what moves on them, which may
    be anywhere. With `lying` in every attitude in which they can rest."""
    usable = [m for m in models if m.body.name in m.skins]
    stripped = [Candidate(m, m.rests[0], m.skins[m.body.name]) for m in usable if m.jointed]
    return [*(Candidate(m, R, whole(m)) for m in usable for R in m.rests[: None if lying else 1]), *stripped]


def roundest(points: Array) -> Array:
    """Where the axis (2,) is from which most of some points (n, 3) are as far as each other, at their height: a circle
    in each of some layers, with one middle, and what does not lie on any counting ever less."""
    p, layer = points[:, :2], np.searchsorted(np.quantile(points[:, 2], (0.25, 0.5, 0.75)), points[:, 2])
    middle, weights = p.mean(axis=0), np.ones(len(p))
    for _ in range(ROUNDS):
        out = p - middle
        far = np.linalg.norm(out, axis=1)
        radii = np.array([np.median(far[layer == i]) if (layer == i).any() else 0.0 for i in range(4)])
        off = far - radii[layer]
        weights = 1.0 / (1.0 + (off / ROUND) ** 2)
        middle = middle + 2.0 * np.average(off[:, None] * out / np.maximum(far, 1e-9)[:, None], axis=0, weights=weights)
    return np.asarray(middle)


def joint_values(model: ObjectModel, T_world_object: Array, target: FitTarget) -> dict[str, float]:
    """The value (m, rad) of each joint of a model that is at a pose."""
    return {
        p.name: joint_near(model, p.name, T_world_object, target, p.joint.value)
        for p in model.jointed
        if p.name in model.skins and p.joint is not None
    }


def joint_near(model: ObjectModel, name: str, T_world_object: Array, target: FitTarget, present: float) -> float:
    """The value (m, rad) of the joint of part `name` that was at `present`: another only where it is clearly better."""
    joint = model.thing.part(name).joint
    assert joint is not None
    low, high = joint.limits
    values = np.append(np.linspace(low, high, TRIED), present)
    scores = _scores(model, name, T_world_object, target, values)
    best = float(values[np.argmax(scores)])
    if scores.max() < scores[-1] + BETTER * max(scores[-1], 0.1):
        best = present
    step = (high - low) / (TRIED - 1)
    around = np.clip(np.append(np.linspace(best - step, best + step, FINER), best), low, high)
    scores = _scores(model, name, T_world_object, target, around)
    if scores.max() >= scores[-1] + SETTLED * max(scores[-1], 0.1):
        best = float(around[np.argmax(scores)])
    return joint.value if abs(best - joint.value) < AT_REST * (high - low) else best


def _scores(model: ObjectModel, name: str, T_world_object: Array, target: FitTarget, values: Array) -> Array:
    """How much of the target lies on a part's skin at some joint values, less what is seen past there."""
    part, skin = model.thing.part(name), model.skins[name]
    T = np.array([PlacedModel(model, T_world_object, {name: v}).part_pose(part) for v in values], dtype=np.float32)
    low = T[:, :3, 3].min(axis=0) - 0.4
    near = target.points[np.all((target.points > low) & (target.points < low + 0.8), axis=1)]
    f = skin.field
    on = on_skin(near, T, f.steps, f.origin, f.cell, f.unit, ON_SKIN) * len(near) / max(1, len(target.points))
    empty = emptiness(T, skin.sampled(), target.looks)
    return np.asarray(on - EMPTY * 0.1 * empty)


TILT_STEPS = (
    FitStep(0.008, 0.0, 0.006, 0.02, 0.12),
    FitStep(0.004, 0.04, 0.004, 0.012, 0.06),
    FitStep(0.002, 0.02, 0.002, 0.008, 0.03),
    FitStep(0.001, 0.01, 0.001, 0.008, 0.015),
)
"""Steps for what leans."""
FINE_STEPS = (FitStep(0.003, 0.03, 0.002), FitStep(0.0015, 0.015, 0.001), FitStep(0.0007, 0.007, 0.0005))
EVERY_WAY = tuple(np.arange(1, 36) * np.pi / 18)
"""Turns (rad) about the vertical."""
CLOSE_TURNS = 4
TILTS = (0.14, 0.28, 0.45)
"""Radians by which things are tried to lean, each way."""
SHIFTED = tuple((x, y, 0.0) for x in (-0.01, 0.0, 0.01) for y in (-0.01, 0.0, 0.01))
"""Shifts (m) with each of them."""
LOOSELY, LEANING_WAYS = 0.014, 3
"""Metres from the skin at which a point counts for nothing then, and ways to lean that are looked at closely."""


def turned_about(c: Candidate, fit: Fit, target: FitTarget) -> Fit:
    """The best way to turn a candidate about where it is: small steps do not bring a handle to the other side. As it is
    for what is round, and for what has joints: that is tried in all quarters before."""
    if len(c.yaws) == 1 or c.model.jointed:
        return fit
    ways = judged(c.turned_otherwise(fit.T_world_object[0], EVERY_WAY), c.skin, target, c.few, LOOSELY).best(
        CLOSE_TURNS
    )
    steps = (*c.steps, *FINE_STEPS)
    fits = each(lambda T: climbed(T, c.skin, target, c.samples, steps), list(ways.T_world_object))
    return max(fits, key=lambda f: float(f.score[0]))


def leaning(c: Candidate, T_world_object: Array, target: FitTarget) -> Fit:
    """The best of the ways in which a candidate may lean where it was thought to stand upright."""
    T = T_world_object.astype(float)
    middle = 0.5 * (c.skin.points.min(axis=0) + c.skin.points.max(axis=0)) @ T[:3, :3].T + T[:3, 3]
    starts = [T]
    for tilt, around in itertools.product(TILTS, np.arange(8) * 0.25 * np.pi):
        axis = np.array([np.cos(around), np.sin(around), 0.0])
        D = joint_transform("hinge", axis, middle, tilt) @ T
        starts += [pose(list(shift)) @ D for shift in SHIFTED]
    best = judged(np.array(starts, dtype=np.float32), c.skin, target, c.few, LOOSELY).best(LEANING_WAYS)
    fits = [climbed(S, c.skin, target, c.few, TILT_STEPS) for S in best.T_world_object]
    return max(fits, key=lambda f: float(f.score[0]))


def each(done: Callable[[T], R], things: Iterable[T]) -> list[R]:
    """What is done to each of some things, in their order."""
    with ThreadPoolExecutor(min(MOST_THREADS, len(os.sched_getaffinity(0)))) as threads:
        return list(threads.map(done, things))
