"""Compare the colours of a model with those that are seen: what tells products of one shape apart.

The light is not known: on surfaces that face one way in one image it is one factor, and a camera's tones may be raised
to a power. Neither changes the order of the channels, so that hue tells most; without hue it is the pattern of
light and dark on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial import cKDTree

from motion.poses import Array, Numbers, moved, pose
from tamp.perception.fitting import Candidate, Fit
from tamp.perception.looks import Look
from tamp.perception.object_model import Skin, facing
from tamp.perception.segmentation import Points

NEAR = 0.006
"""Metres from the skin up to which a point has its colour."""
NOT_ON_IT = 0.3
"""Difference of a point that is not on the skin: there should be none."""
LIGHT = (0.25, 1.8)
"""Least and most light on a surface, as a factor on its own colour."""
MOST = 0.25
"""Most that one point counts for: it may shine or glow."""
SEEN = 400
"""Points that are compared."""
COLOUR = 2.0
"""Weight of a difference in colours against the score of shape."""
SPUN, FAR = tuple(np.radians((-10.0, -5.0, 5.0, 10.0))), 0.25
"""Turns about its axis (rad) by which a solid of revolution is tried around the best of the coarse ones; how unlike it
may be for that."""
POINTS, EVERY = 800, 8
"""About how many points of a skin are looked at, and of large ones one of so many."""
ON_SKIN, FACING = 0.005, 0.3
"""Metres between a place of the skin and what is seen there, and least cosine of the ray to its normal."""
FEWEST = 25
"""Places of a skin in a picture of which anything is said."""
SHARP, BLURRED, AROUND = 3, 10, 20
"""Places next to each other whose brightness is averaged, whose hue is, and against which brightness is held."""
SIDEWAYS = 0.05
"""Metres that two places count as apart that face at right angles."""
TONES = (0.8, 0.9, 1.0, 1.12, 1.25)
"""Powers that a camera's tones may be raised to."""
DIM = 0.1
"""Sum of the channels, each up to 1, of a colour that counts half as grey: hues of what is dark are chance."""
ASIDE = tuple((x, y) for x in (-0.002, 0.0, 0.002) for y in (-0.002, 0.0, 0.002) if (x, y) != (0.0, 0.0))
"""Metres by which a thing may be from where it is thought to be."""
BLACK = 0.04
"""Brightness below which light and dark are chance."""
BRIGHTNESS = (0.02, 2.5)
"""Least and most light on a surface, as a factor on its own colour."""
PATTERN = 0.5
"""What a pattern that is not seen counts against a difference in hue."""
HUE, VIVID = 0.04, 0.085
"""Difference in hue of a grey thing that may be chance, and what is added for the most vivid one."""
GREY, PLAIN, SIMILAR = 0.05, 0.07, 0.35
"""Least saturation of what hue tells; contrast from which there is a pattern, and its correlation with what is seen
from which it is that one."""


def difference(points: Points, skin: Skin, T_world_skin: Numbers) -> float:
    """How far the colours of some points are from a skin's, 0 to 1: with the light on each side of it, which is not
    known, taken as it suits best. Points that do not lie on the skin differ by `NOT_ON_IT`."""
    some = points.where(np.arange(len(points)) % max(1, len(points) // SEEN) == 0)
    local = (some.p - T_world_skin[:3, 3]) @ T_world_skin[:3, :3]
    away, nearest = cKDTree(skin.points).query(local, distance_upper_bound=NEAR)
    on = np.isfinite(away)
    if not on.any():
        return NOT_ON_IT
    which = np.asarray(nearest)[on]
    seen, own = some.colours[on] / 255.0, skin.colours[which] / 255.0
    sides = facing(skin.normals[which])
    off = np.zeros(len(seen))
    for side in np.unique(sides):
        mine = sides == side
        lights = (seen[mine] * own[mine]).sum(axis=1) / np.maximum(1e-3, (own[mine] ** 2).sum(axis=1))
        light = float(np.clip(np.median(lights), *LIGHT))
        off[mine] = np.minimum(np.abs(seen[mine] - light * own[mine]).mean(axis=1), MOST)
    return float(off.sum() + NOT_ON_IT * (~on).sum()) / len(on)


@dataclass(frozen=True, eq=False)
class Coloured:
    """A candidate turned as its colours have it, and what it is worth with them."""

    candidate: Candidate
    fit: Fit
    worth: float

    @property
    def name(self) -> str:
        """Its category."""
        return self.candidate.model.thing.name


def coloured(c: Candidate, fit: Fit, cluster: Points, looks: Sequence[Look]) -> Coloured:
    """A fit judged by its colours, turned as they have it where the shape does not tell."""
    spins = c.spun(fit.T_world_object[0])
    T = spins[int(np.argmin([difference(cluster, c.skin, T) for T in spins]))]
    like = likeness(c.skin, T, looks)
    if like is not None and c.model.turns == 0 and like.off < FAR:
        turned = [(likeness(c.skin, S, looks) or like, S) for S in c.spun(T, SPUN)]
        like, T = min([(like, T), *turned], key=lambda t: t[0].off)
    missed = c.skin.field.distance((cluster.p - T[:3, 3]) @ T[:3, :3]) > NEAR
    off = difference(cluster, c.skin, T) if like is None else like.off
    worth = float(fit.score[0]) - COLOUR * (off + NOT_ON_IT * float(missed.sum()) / max(1, len(missed)))
    return Coloured(c, replace(fit, T_world_object=T[None]), worth)


@dataclass(frozen=True)
class Likeness:
    """`hue`: the mean difference of hues; `vivid`: how vivid the model's are; `contrast` of its pattern of light and
    dark, and the `correlation` with what is seen."""

    hue: float
    vivid: float
    contrast: float
    correlation: float

    @property
    def off(self) -> float:
        """How far it is from the model: less is more like it."""
        return self.hue + PATTERN * self.contrast * (1.0 - self.correlation)

    @property
    def other_hues(self) -> bool:
        """Whether its hues are not the model's."""
        return self.hue > HUE + VIVID * self.vivid

    @property
    def other_pattern(self) -> bool:
        """Whether the pattern of what has no hue is not there."""
        return self.vivid < GREY and self.contrast > PLAIN and self.correlation < SIMILAR


Shown = tuple[Array, Array, Array, Numbers]
"""Places of a skin that a picture shows: their own colours (n, 3) and the seen ones, each up to 1; which of six ways
they face (n,); the places near each (n, k), itself first."""


def likeness(skin: Skin, T_world_skin: Numbers, looks: Sequence[Look]) -> Likeness | None:
    """How like a skin's own colours are those in which it is seen; None where too little is seen of it."""
    shown = [s for s in (_shown(skin, T_world_skin, look) for look in looks) if s is not None]
    if not shown:
        return None
    hues = np.sum([min((_hues(s, power) for power in TONES), key=lambda t: t[0] / t[2]) for s in shown], axis=0)
    own, seen, weight = (np.concatenate(a) for a in zip(*map(_pattern, shown), strict=True))
    mean = [float((weight * x).sum() / weight.sum()) for x in (own * own, seen * seen, own * seen)]
    contrast = float(np.sqrt(mean[0]))
    correlation = mean[2] / (contrast * float(np.sqrt(mean[1])) + 1e-6)
    return Likeness(float(hues[0] / hues[2]), float(hues[1] / hues[2]), contrast, correlation)


def is_other(skin: Skin, turned: Sequence[Numbers], looks: Sequence[Look]) -> bool | None:
    """Whether what is seen is something else than a skin at any of some poses (4, 4) that are the same for its shape,
    the likeliest first; also if it is a little off: hues of fine prints are others then.
    None where too little is seen of it."""
    here = likeness(skin, turned[0], looks)
    if here is None:
        return None
    if here.other_pattern:
        others = (likeness(skin, T, looks) for T in turned[1:])
        return all(like is None or like.other_pattern or like.other_hues for like in others)
    shifted = (likeness(skin, pose([x, y, 0.0]) @ turned[0], looks) for x, y in ASIDE)
    return here.other_hues and all(like is None or like.other_hues for like in shifted)


def _shown(skin: Skin, T_world_skin: Numbers, look: Look) -> Shown | None:
    """What a picture shows of a skin; None where that is too little."""
    every = min(EVERY, max(1, len(skin.points) // POINTS))
    world, normals = moved(skin.points[::every], T_world_skin), skin.normals[::every] @ T_world_skin[:3, :3].T
    pixels, z, inside = look.image.pixels(world)
    depth = look.image.depth[pixels]
    rays = look.image.T_world_camera[:3, 3] - world
    cosine = (normals * rays).sum(axis=1) / np.linalg.norm(rays, axis=1)
    there = inside & (depth > 0) & (np.abs(depth - z) < ON_SKIN) & (cosine > FACING)
    if there.sum() < FEWEST:
        return None
    own, seen = skin.colours[::every][there] / 255.0, look.image.colour[pixels][there] / 255.0
    n = normals[there]
    places = np.column_stack([world[there], SIDEWAYS * n])
    return own, seen, facing(n), np.asarray(cKDTree(places).query(places, k=AROUND)[1])


def _hues(shown: Shown, power: float) -> tuple[float, float, float]:
    """The sums of the differences in hue, of the model's own vividness, and of the weights."""
    own, seen, sides, near = shown
    own, seen = (own**power)[near[:, :BLURRED]].mean(axis=1), seen[near[:, :BLURRED]].mean(axis=1)
    lights, light = seen.sum(axis=1) / np.maximum(own.sum(axis=1), BLACK), np.ones(len(own))
    for side in np.unique(sides):  # one factor for what faces one way
        mine = sides == side
        light[mine] = np.clip(np.median(lights[mine]), *BRIGHTNESS)
    own = own * light[:, None]
    hues = [(c + DIM / 3.0) / (c.sum(axis=1, keepdims=True) + DIM) for c in (own, seen)]
    weight = np.minimum(own.sum(axis=1), seen.sum(axis=1)) + 1e-6
    off, vivid = np.abs(hues[0] - hues[1]).sum(axis=1), np.abs(hues[0] - 1.0 / 3.0).sum(axis=1)
    return float((off * weight).sum()), float((vivid * weight).sum()), float(weight.sum())


def _pattern(shown: Shown) -> tuple[Array, Array, Array]:
    """How much lighter than around them places are, of their own and as seen (logarithms), and their weights (n,)."""
    own, seen, _, near = shown
    out = []
    for colours in (own, seen):
        sharp = np.log(BLACK + colours[near[:, :SHARP]].mean(axis=(1, 2)))
        out.append(sharp - sharp[near].mean(axis=1))
    bright = seen[near[:, :SHARP]].mean(axis=(1, 2))
    return out[0], out[1], np.minimum(1.0, 5.0 * bright) + 1e-6
