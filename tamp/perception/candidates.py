"""Models in an attitude, ready to be tried where something was seen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from motion.poses import Array, joint_transform
from tamp.perception.fitting import ON_SKIN, Step, sampled, turned
from tamp.perception.object_model import ObjectModel, Skin
from tamp.perception.placing import whole

TURNS = 24
"""Turns about the vertical that are tried first."""
SPINS = 18
"""Turns of a solid of revolution in which its colours are tried."""
COARSE = 0.12
"""Share of a model's size from the skin at which a point counts for nothing in the first trial: turns and shifts that
are tried then are that far apart."""
NEAR = (0.013, 0.04)
"""Least and most metres of that."""
ROUND, ROUNDS = 0.003, 30
"""Metres off a circle from which on a point counts less, and steps in which its middle is found."""


@dataclass(eq=False)
class Candidate:
    """A model in one attitude, ready to be tried."""

    model: ObjectModel
    R: Array
    skin: Skin
    samples: Array = field(init=False)
    few: Array = field(init=False)
    low: Array = field(init=False)
    high: Array = field(init=False)
    yaws: Array = field(init=False)
    near: float = field(init=False)

    def __post_init__(self) -> None:
        upright = self.skin.points @ self.R.T
        self.low, self.high = upright.min(axis=0), upright.max(axis=0)
        self.samples, self.few = sampled(self.skin), sampled(self.skin, 100)
        self.near = float(np.clip(COARSE * (self.high - self.low)[:2].max(), *NEAR))
        turns = self._turns
        self.yaws = np.zeros(1) if turns == 0 else np.arange(TURNS) * 2 * np.pi / TURNS / turns

    @property
    def _turns(self) -> int:
        """Its symmetry about the vertical: what lies on its side has none."""
        return self.model.turns if np.array_equal(self.R, self.model.rests[0]) else 1

    @property
    def steps(self) -> list[Step]:
        """The steps that come before the last ones."""
        size = float((self.high - self.low)[:2].max())
        lengths = (share * self.near for share in (0.6, 0.3, 0.15))
        return [Step(n, 2 * n / size, n, max(ON_SKIN, 1.5 * n)) for n in lengths]

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
