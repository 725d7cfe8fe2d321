"""How right what was perceived is: things paired with the true ones, and the errors of each pair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import linear_sum_assignment

from motion.poses import Array, rotation_about
from tamp.model.images import Image
from tamp.perception.looks import masks
from tamp.perception.object_model import ObjectModel, PlacedModel
from tamp.perception.recordings import TrueMoment, TrueThing, Truth
from tamp.perception.tracking import Track
from tamp.perception.unknown_objects import SEEN

PAIRED = 0.05
"""Metres between the middles of what was perceived and what is there up to which the one can be the other."""
VISIBLE = 60
"""Pixels that a camera has at least of a thing that it sees."""


@dataclass
class Pair:
    """A true thing, and the category of what was perceived of it: None where nothing was. Lengths in mm, angles in
    degrees. Errors of the pose are those of things of the right category; `joints` has the kind and the error of
    each, of drawers in mm, of doors and knobs in degrees."""

    thing: str
    category: str
    movable: bool
    pixels: int
    found: str | None = None
    unknown: bool = False
    """Whether it was seen to be none of the known things."""
    translation: float | None = None
    rotation: float | None = None
    iou: float | None = None
    joints: list[tuple[str, float]] = field(default_factory=list)


def scored(
    tracks: Sequence[Track], truth: Truth, n: int, images: Sequence[Image], known: Mapping[str, ObjectModel]
) -> tuple[list[Pair], list[str]]:
    """Moment `n` of a recording: all true things that a camera sees, and the known things that were perceived where
    nothing is. What no camera sees is no miss, and what is found there is not false."""
    moment, present = truth.moments[n], [t for t in tracks if not t.lost]
    there = [t for t in truth.things if t.category in known]
    true = [placed(moment, t, known[t.category]) for t in there]
    taken = dict[int, int]()
    if present and true:
        apart = np.array([[np.linalg.norm(_middle(p) - _middle(t.placed)) for t in present] for p in true])
        rows, columns = linear_sum_assignment(np.minimum(apart, 2 * PAIRED))
        taken = {int(i): int(k) for i, k in zip(rows, columns, strict=True) if apart[i, k] <= PAIRED}
    seen = {image.camera: masks([t.placed for t in present], image) for image in images}
    pairs = []
    for i, thing in enumerate(truth.things):
        pair = Pair(thing.name, thing.category, thing.movable, most_pixels(moment, thing.name))
        k = taken.get(there.index(thing)) if thing in there else None
        if k is not None:
            _fill(pair, present[k], true[there.index(thing)])
            pair.iou = _iou(truth, n, i, [(c, m == k + 1) for c, m in seen.items()])
        if pair.pixels >= VISIBLE:
            pairs.append(pair)
    extra = [t for k, t in enumerate(present) if k not in taken.values()]
    return pairs, [t.name for t in extra if t.placed.model.source != SEEN]


def _middle(placed: PlacedModel) -> Array:
    world = np.concatenate([skin.points @ T[:3, :3].T + T[:3, 3] for skin, T in placed.skins()])
    return 0.5 * (world.min(axis=0) + world.max(axis=0))


def _fill(pair: Pair, track: Track, true: PlacedModel) -> None:
    pair.found, pair.unknown = track.placed.model.category, track.placed.model.source == SEEN
    if pair.found != pair.category:
        return
    pair.translation, pair.rotation = pose_errors(true.model, true.T_world_object, track.placed.T_world_object)
    for part in true.model.jointed:
        assert part.joint is not None
        at, found = (p.joints.get(part.name, part.joint.value) for p in (true, track.placed))
        scale = 1000.0 if part.joint.kind == "slide" else float(np.degrees(1.0))
        pair.joints.append((str(part.kind), round(scale * abs(at - found), 2)))


def pose_errors(model: ObjectModel, true: Array, found: Array) -> tuple[float, float]:
    """Translation (mm) and rotation (degrees) between two poses (4, 4) of a model, turns that leave it as it is not
    counted; the translation is that of its symmetry's axis, at the height of its origin."""
    R = model.thing.T_world_object[:3, :3]
    p, axis = R.T @ np.append(model.axis, 0.0), R.T @ np.array([0.0, 0.0, 1.0])
    off = (found[:3, :3] @ p + found[:3, 3]) - (true[:3, :3] @ p + true[:3, 3])
    between = true[:3, :3].T @ found[:3, :3]
    if model.turns == 0:
        angle = np.arccos(np.clip(axis @ between @ axis, -1.0, 1.0))
    else:
        turns = [rotation_about(axis, 2 * np.pi * k / model.turns) for k in range(model.turns)]
        angle = min(np.arccos(np.clip(0.5 * (np.trace(between @ t) - 1.0), -1.0, 1.0)) for t in turns)
    return 1000.0 * float(np.linalg.norm(off)), float(np.degrees(angle))


def _iou(truth: Truth, n: int, i: int, found: list[tuple[str, Array]]) -> float | None:
    """Of the pixels of all pictures together; None of what no picture shows."""
    both = either = 0
    for camera, mask in found:
        true = truth.instances(n, camera) == i + 1
        both += int((true & mask).sum())
        either += int((true | mask).sum())
    return both / either if either else None


def most_pixels(moment: TrueMoment, name: str) -> int:
    """The most pixels that a camera has of a thing."""
    return max((seen.get(name, 0) for seen in moment.pixels.values()), default=0)


def placed(moment: TrueMoment, thing: TrueThing, model: ObjectModel) -> PlacedModel:
    """A thing as the model of its category, where it is."""
    own = {p.name.removeprefix(model.thing.name): p.name for p in model.jointed}
    joints = {own[end]: value for end, value in moment.joints.get(thing.name, {}).items() if end in own}
    return PlacedModel(model, moment.poses[thing.name], joints)
