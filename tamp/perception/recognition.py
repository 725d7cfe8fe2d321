"""Recognise known objects in the points above the ground, the most certain one first, until no model explains more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial import cKDTree

from motion.poses import Array, inverse, moved
from tamp.perception.colours import coloured, is_other
from tamp.perception.fitting import (
    EVERY_WAY,
    FINE_STEPS,
    TILT_STEPS,
    Candidate,
    Fit,
    FitTarget,
    climbed,
    each,
    joint_values,
    judged,
    leaning,
    turned_about,
)
from tamp.perception.looks import Look, share_seen
from tamp.perception.object_model import PlacedModel, whole
from tamp.perception.segmentation import APART, EXPLAINED, Ground, Points, clusters, evidence, together
from tamp.perception.unknown_objects import SEEN, shaped_like

ALIKE = 0.006
"""Worth up to which two things look alike."""
LOOKED_AT, TURNED = 300, 5
"""Poses of the first trial among which up to so many are kept that are turned otherwise."""
SPREAD, MARGIN = 0.2, 0.015
"""Around the middle of the points, shifts up to so much of the model's size and so many metres more are tried."""
SHIFTS = (5, 7)
"""Shifts along each axis, for small models and large ones."""
TRIED = 120
"""Points that a model is held against at first."""
FINELY = 400
"""Points that the last steps look at."""
MOST_POSES = 6000
"""Poses of one model that are tried at most."""
PROMISING = 0.6
"""Score behind the best one, after the first trial, from which on a model is not tried further."""
MOST_PROMISING = 70
"""Models and places that are tried further at most."""
CLOSELY, MAY_LEAN = 10, 28
"""Models that are looked at closely at most, and of which it is tried at most whether they lean."""
GOOD = 0.1
"""Score behind the best one within which shape does not decide."""
SAME_SHAPE, MOSTLY = 0.005, 97.5
"""Metres by which two models of one shape are apart at most, in so many per cent of their skins."""
AROUND, FEW = 0.012, 40
"""Metres around a thing among others in which points are its own, and how many of them it is fitted to at least."""
OWN = 0.3
"""Share of the points that there should be of what is seen of a model that have to be there."""
OVERLAP = 0.4
"""Share of a model's skin that may be on that of another one."""
SIZES = (0.5, 2.5)
"""Sizes of a model, in sizes of what is seen, of which it may be."""
TALLER = 0.02
"""Metres by which a model may be higher than what is seen."""
ACCEPTED = (0.45, 0.6, 0.85)
"""Score from which a model is taken of which at least the second share of what should be seen is seen; with less of a
score, which several things that touch have, it has to be the third share."""
FITS = 0.78
"""Score of a thing that can be carried, held against its own points, below which it is none of the known ones."""
PIECE, SAME_COLOUR = 0.4, 30.0
"""What adjoins a thing, for what is seen of it, from which on it is a piece of something, and distance between colours
(bytes) that are the same where they adjoin."""
ALL_OF_IT = 0.75
"""Score from which a cluster is one thing."""
POOR = 0.8
"""Score below which a thing may be another one or elsewhere: of 156 that were recognised rightly 2 had a poorer one
(16 tasks, state 42, clean and with all noise)."""
RIVAL, SAME_LOOK = 0.02, 0.001
"""What another category may be worse by to be as likely, and by how much it differs at least, where it does not look
the very same: 3 of these 156 had such a rival, and 2 of 4 that were recognised wrongly."""
HALF_SURE = 0.5
"""Confidence in what is doubtful."""
SETTLED = 0.9
"""Score below which a thing may be turned otherwise: clean right ones have 0.91."""
LEANING = 0.8
"""Score below which a thing may lean."""
TWO_LEVELS = 0.004
"""Metres between standing on the ground and ending where the points end, from which both are tried."""


@dataclass(frozen=True, eq=False)
class Recognition:
    """A model that was recognised. `score` is that of its shape, `seen` how much of what should be seen of it is,
    `like` the categories that would do nearly as well, with what they are worse by. `strange`: it has the shape of a
    model, and other colours."""

    placed: PlacedModel
    score: float
    seen: float
    like: tuple[tuple[str, float], ...] = ()
    strange: bool = False

    @property
    def category(self) -> str:
        """Its category."""
        return self.placed.model.category

    @property
    def confidence(self) -> float:
        """How sure its place is, from 0 to 1: how much of it is seen, and no more than `HALF_SURE` where its shape
        explains little of what is there."""
        return float(np.clip(self.seen, 0.0, HALF_SURE if self.score < POOR else 1.0))

    @property
    def rivals(self) -> tuple[str, ...]:
        """The categories that are as likely, but for those that look the very same."""
        return tuple(c for c, worse in self.like if SAME_LOOK < abs(worse) < RIVAL)


def recognised(
    points: Points,
    looks: Sequence[Look],
    ground: Ground,
    known: Sequence[Candidate],
    rng: np.random.Generator,
    there: bool = False,
) -> tuple[list[Recognition], list[Points]]:
    """The objects that explain some points, and the clusters that none does. What has the shape of a known thing and
    other colours is an unknown thing of that shape; with `there`, things that are known to be somewhere, it is not."""
    found: list[Recognition] = []
    left: list[Points] = []
    waiting = clusters(points)
    while waiting:
        cluster = waiting.pop(0)
        best = _best(cluster, looks, ground, known, rng)
        if best is None or _taken(best, found) or evidence(best.placed, cluster, looks) < OWN:
            left.append(cluster)
            continue
        found.append(best)
        rest = [c.where(~best.placed.explains(c.p, EXPLAINED)) for c in [cluster, *waiting]]
        waiting = sorted((c for r in rest for c in clusters(r)), key=len, reverse=True)
    found = [_among(f, found, points, looks, rng) for f in found]
    if there:
        return found, left
    found, lots = _without_loose(found, points)
    for lot in lots:
        left = [rest for c in left for rest in clusters(c.where(np.asarray(cKDTree(lot.p).query(c.p)[0]) > 0.0))]
    found, pieces = _without_pieces(found, points, left := [*lots, *left])
    left = clusters(together([*left, *pieces])) if left else []
    for i, f in enumerate(found):
        if f.strange:  # it has only the shape of the model: an unknown thing
            near = points.where(f.placed.distance(points.p) < EXPLAINED)
            found[i] = replace(f, placed=shaped_like(f.placed, near), like=())
    return found, left


def _without_pieces(
    found: Sequence[Recognition], points: Points, left: Sequence[Points]
) -> tuple[list[Recognition], list[Points]]:
    """The things but for those that would be pieces of something larger, and the points of each of the others: next to
    them there is much that no model explains, in their colour."""
    kept, pieces = list[Recognition](), list[Points]()
    for f in found:
        own = points.where(f.placed.explains(points.p, EXPLAINED))
        more = [lot for lot in left if len(own) and _goes_on(own, lot)]
        if f.placed.model.thing.movable and sum(map(len, more)) > PIECE * len(own):
            pieces.append(own)
        else:
            kept.append(f)
    return kept, pieces


def _goes_on(one: Points, other: Points) -> bool:
    """Whether two lots of points touch and have one colour."""
    off, nearest = cKDTree(one.p).query(other.p)
    near = np.asarray(off) < APART
    if not near.any():
        return False
    between = one.colours[np.asarray(nearest)[near]] - other.colours[near]
    return bool(np.linalg.norm(between.mean(axis=0)) < SAME_COLOUR)


def _without_loose(found: Sequence[Recognition], points: Points) -> tuple[list[Recognition], list[Points]]:
    """The things whose shapes fit, and the points of each of the others: something that is not it."""
    off = np.array([f.placed.distance(points.p) for f in found]).reshape(len(found), len(points))
    nearest = off.argmin(axis=0) if found else np.zeros(len(points), dtype=int)
    own = [(nearest == i) & (off[i] < AROUND) for i in range(len(found))]
    fits = [_fits(f, points.p[mine]) for f, mine in zip(found, own, strict=True)]
    lots = [points.where(mine) for mine, good in zip(own, fits, strict=True) if not good]
    return [f for f, good in zip(found, fits, strict=True) if good], [lot for lot in lots if len(lot)]


def _fits(f: Recognition, p_own: Array) -> bool:
    """Whether the shape of a thing explains its own points (n, 3)."""
    if f.score > FITS or not f.placed.model.thing.movable:
        return True
    inside = f.placed.explains(p_own, EXPLAINED) & (f.placed.distance(p_own) > EXPLAINED)
    return f.score + float(inside.sum()) / max(1, len(p_own)) > FITS


def _among(
    one: Recognition, all_: Sequence[Recognition], points: Points, looks: Sequence[Look], rng: np.random.Generator
) -> Recognition:
    """A thing that touches others, fitted again to the points that are nearest to it."""
    if one.score > LEANING or one.placed.model.jointed:
        return one
    off = one.placed.distance(points.p)
    near = off < AROUND
    for other in all_:
        if other is not one:
            near[near] &= other.placed.distance(points.p[near]) > off[near]
    if near.sum() < FEW:
        return one
    c = Candidate(one.placed.model, one.placed.model.rests[0], whole(one.placed.model))
    target = FitTarget(points.where(near).some(FINELY, rng).p, looks)
    fit = climbed(one.placed.T_world_object, c.skin, target, c.samples, TILT_STEPS)
    if fit.score[0] < SETTLED:
        fit = max(fit, turned_about(c, fit, target), key=lambda f: float(f.score[0]))
    placed = replace(one.placed, T_world_object=fit.T_world_object[0].astype(float))
    return replace(one, placed=placed, score=float(fit.score[0]), seen=share_seen(placed, looks))


def _taken(new: Recognition, found: Sequence[Recognition]) -> bool:
    """Whether a model is where others are already."""
    world = np.concatenate([moved(skin.sampled(), T) for skin, T in new.placed.skins()])
    return any(float((f.placed.distance(world) < EXPLAINED).mean()) > OVERLAP for f in found)


def _best(
    cluster: Points, looks: Sequence[Look], ground: Ground, known: Sequence[Candidate], rng: np.random.Generator
) -> Recognition | None:
    """The model that explains a cluster best; None where none does well enough. Where none explains nearly all of it
    it may be several things that touch: then models are looked for all over it."""
    most = None
    for everywhere in (False, True):
        found = _explained(cluster, looks, ground, known, rng, everywhere)
        if found is not None and (most is None or found.score > most.score):
            most = found
        if most is not None and most.score > ALL_OF_IT:
            break
    return most


def _explained(
    cluster: Points,
    looks: Sequence[Look],
    ground: Ground,
    known: Sequence[Candidate],
    rng: np.random.Generator,
    everywhere: bool,
) -> Recognition | None:
    target = FitTarget(cluster.some(TRIED, rng).p, looks)
    top = float(np.percentile(cluster.p[:, 2], 99.8))
    tried = each(lambda c: [(c, f) for f in _tried(c, target, cluster, ground, top, everywhere)], known)
    rough = [t for some in tried for t in some]
    if not rough:
        return None
    promising = _within(rough, PROMISING)[:MOST_PROMISING]
    better = each(lambda t: (t[0], climbed(t[1].T_world_object[0], t[0].skin, target, t[0].few, t[0].steps)), promising)
    more = FitTarget(cluster.some(FINELY, rng).p, looks)
    fine = [
        (c, climbed(f.T_world_object[0], c.skin, more, c.samples, FINE_STEPS)) for c, f in _within(better, 2 * GOOD)
    ]
    fine = _each_once(fine, turned=True)
    fine = [_with_joints(c, f, more) if c.model.jointed else (c, f) for c, f in fine[:CLOSELY]]
    if max(float(f.score[0]) for _, f in fine) < SETTLED:
        fine += [(c, turned_about(c, f, more)) for c, f in _within(fine, GOOD)[:TURNED]]
    if max(float(f.score[0]) for _, f in fine) < LEANING:
        items = [(c, f) for c, f in _each_once(rough) if c.model.thing.movable]
        upright = [(c, climbed(f.T_world_object[0], c.skin, target, c.few, c.steps)) for c, f in items]
        upright = _within(upright, np.inf)[:MAY_LEAN]
        fine += [(c, leaning(c, f.T_world_object[0], more)) for c, f in upright]
    fine = _each_once(_where_the_best_is(fine, more))
    while fine:
        close = _within(fine, GOOD)
        found = _likeliest(close, cluster, more)
        if found is not None:
            return found
        fine = fine[len(close) :]
    return None


def _likeliest(close: list[tuple[Candidate, Fit]], cluster: Points, target: FitTarget) -> Recognition | None:
    """Of several that have nearly the same score the one that has the colours; None where too little is seen of it to
    know."""
    theirs = np.zeros(len(cluster), dtype=bool)
    for c, f in close:
        T = f.T_world_object[0]
        theirs |= c.skin.field.distance((cluster.p - T[:3, 3]) @ T[:3, :3]) < EXPLAINED
    own = cluster.where(theirs)
    judged_ = [coloured(c, _as_good(c, f, close[0]), own, target.looks) for c, f in close]
    best = max(judged_, key=lambda j: j.worth)
    words = set(best.name.split("_"))  # where nothing tells them apart, the category with fewer words is not wrong
    alike = [j for j in judged_ if best.worth - j.worth < ALIKE and set(j.name.split("_")) < words]
    taken = min(alike, key=lambda j: len(j.name), default=best)
    like = tuple((j.name, taken.worth - j.worth) for j in judged_ if j is not taken and taken.worth - j.worth < GOOD)
    found = replace(_found(taken.candidate, taken.fit, target), like=like)
    if found.seen <= ACCEPTED[1] or (found.score <= ACCEPTED[0] and found.seen <= ACCEPTED[2]):
        return None
    if taken.candidate.model.source == SEEN:  # its colours are those of one side, in one light
        return found
    T = taken.fit.T_world_object[0]
    round_ = taken.candidate.model.turns == 0
    turned_ = [T, *taken.candidate.spun(T, EVERY_WAY if round_ else None)]
    strange = is_other(taken.candidate.skin, turned_, target.looks)
    if strange is None or (strange and taken.candidate.model.jointed and found.score < ALL_OF_IT):
        return None
    return replace(found, strange=strange and taken.candidate.model.thing.movable)  # a stove of another colour is one


def _within(tried: list[tuple[Candidate, Fit]], behind: float) -> list[tuple[Candidate, Fit]]:
    """Those that are not further behind the best one, best first."""
    ordered = sorted(tried, key=lambda t: -float(t[1].score[0]))
    return [t for t in ordered if t[1].score[0] > ordered[0][1].score[0] - behind]


def _where_the_best_is(fine: list[tuple[Candidate, Fit]], target: FitTarget) -> list[tuple[Candidate, Fit]]:
    """Each where the best one is, if it is better there: things of one shape differ by their colours only."""
    T = max(fine, key=lambda t: float(t[1].score[0]))[1].T_world_object
    there = [(c, judged(T, c.skin, target, c.samples)) for c, _ in fine]
    return [max(pair, key=lambda t: float(t[1].score[0])) for pair in zip(fine, there, strict=True)]


def _each_once(fine: list[tuple[Candidate, Fit]], turned: bool = False) -> list[tuple[Candidate, Fit]]:
    """The best of each model, the best one first; with `turned` of each way in which it is turned, to a quarter."""
    best: dict[tuple[str, int], tuple[Candidate, Fit]] = {}
    for c, f in _within(fine, np.inf):
        heading = f.T_world_object[0, :2, :2] @ c.R[:2, :2].T
        quarter = int(np.rint(np.arctan2(heading[1, 0], heading[0, 0]) / (0.5 * np.pi))) % 4
        best.setdefault((c.model.thing.name, quarter if turned and c.model.jointed else 0), (c, f))
    return list(best.values())


def _tried(c: Candidate, target: FitTarget, cluster: Points, ground: Ground, top: float, everywhere: bool) -> list[Fit]:
    """The most promising poses of a candidate: standing on the ground, or ending where the points end."""
    size = c.high - c.low
    if size[2] > top - ground.height + TALLER:
        return []
    low, high = cluster.p.min(axis=0), cluster.p.max(axis=0)
    share = float(np.linalg.norm(size)) / float(np.linalg.norm(high - low))
    if not SIZES[0] < share < SIZES[1] and not (everywhere and share < SIZES[1]):
        return []
    middle, shifts = 0.5 * (low + high)[:2], _shifts(c, 0.5 * (high - low)[:2], everywhere)
    yaw, dx, dy = (a.ravel() for a in np.meshgrid(c.yaws, *shifts, indexing="ij"))
    x, y = middle[:, None] + np.stack([dx, dy])
    levels = [ground.height - c.low[2]]
    if top - c.high[2] > levels[0] + TWO_LEVELS:
        levels.append(top - c.high[2])
    return [f for z in levels for f in _apart(judged(c.at(x, y, z, yaw), c.skin, target, c.few, c.near), c)]


def _shifts(c: Candidate, half: Array, everywhere: bool) -> list[Array]:
    """Shifts along x and y: around the middle, or wherever its own middle could be over a box of half-size `half`."""
    if everywhere:
        step = max(c.near, float(np.sqrt(4.0 * half[0] * half[1] * len(c.yaws) / MOST_POSES)))
        return [np.arange(-h, h + step, step) for h in half]
    reach = SPREAD * float((c.high - c.low)[:2].max()) + MARGIN
    return [np.linspace(-reach, reach, SHIFTS[reach > 0.03])] * 2


def _apart(fits: Fit, c: Candidate) -> list[Fit]:
    """The best of many poses, and of large models those of the next best that are turned otherwise."""
    order = np.argsort(-fits.score, kind="stable")
    kept = [int(order[0])]
    for i in order[1 : LOOKED_AT if len(c.yaws) > 1 else 1]:
        heading = fits.T_world_object[i, :2, :2]
        if len(kept) < TURNED and all(np.abs(heading - fits.T_world_object[k, :2, :2]).max() > 0.5 for k in kept):
            kept.append(int(i))
    return [fits.some([i]) for i in kept]


def _with_joints(c: Candidate, fit: Fit, target: FitTarget) -> tuple[Candidate, Fit]:
    """A candidate with its drawers, doors and knobs where they are, and where it is then."""
    joints = joint_values(c.model, fit.T_world_object[0].astype(float), target)
    as_it_stands = Candidate(c.model, c.R, whole(c.model, joints))
    return as_it_stands, climbed(fit.T_world_object[0], as_it_stands.skin, target, as_it_stands.samples, FINE_STEPS)


def _as_good(c: Candidate, fit: Fit, best: tuple[Candidate, Fit]) -> Fit:
    """A fit, as good as the best one where that has the same shape and place: what is between them is chance."""
    other, there = best
    T = inverse(fit.T_world_object[0].astype(float)) @ there.T_world_object[0]
    off = c.skin.field.distance(moved(other.samples, T))
    back = other.skin.field.distance(moved(c.samples, inverse(T)))
    same = max(np.percentile(off, MOSTLY), np.percentile(back, MOSTLY)) < SAME_SHAPE
    return replace(fit, score=there.score) if same else fit


def _found(c: Candidate, fit: Fit, target: FitTarget) -> Recognition:
    T = fit.T_world_object[0].astype(float)
    placed = PlacedModel(c.model, T, joint_values(c.model, T, target) if c.model.jointed else {})
    return Recognition(placed, float(fit.score[0]), share_seen(placed, target.looks))
