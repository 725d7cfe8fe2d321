"""Check and correct the cameras at each look: usable images, with poses that agree with the robot and each other.

Depth is smoothed first. An image that is old, or has another focal length or pose than stated, shows something else
where the robot is. A small error of a pose is corrected at the first look: by the robot for a camera that sees it, by
what others see for one on the hand. A larger one means that a camera was moved: then its pose is searched for.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from scipy.ndimage import minimum_filter

from motion.poses import Array, Numbers, inverse, moved, pose
from motion.robot import RobotDescription
from motion.world import World
from tamp.errors import InputError, Refusal
from tamp.model.images import Image
from tamp.perception.library import LibraryEntry, made_with, objects_folder, read, write
from tamp.perception.looks import Look, drawn_skins, gaps_at
from tamp.perception.modelling import skins
from tamp.perception.object_model import RobotSkin, Skin
from tamp.perception.registration import aligned, corrected, correction, sought
from tamp.perception.segmentation import Ground, stands_out

ROUGH = 0.0003
"""Metres, at one metre, of a depth's scatter from which on it is made steady: cameras without noise are left alone."""
WINDOW = 2
"""Pixels to each side over which depth is averaged."""
BENT, SCATTERS = 0.002, 4.5
"""Metres, and times the scatter, by which the mean of two opposite neighbours on the same surface differs from what is
between them at most: the sum counts."""
STEEP = 0.02
"""Share of the depth by which neighbouring pixels on one surface differ at most."""
COMPANY = 3
"""Of the 12 pairs of opposite neighbours, how many are on one surface with a pixel that is kept."""
DARK = 12
"""Colour, of 255, up to which all but a hundredth of a black picture is."""
MEASURED = 0.1
"""Share of the pixels in which something is measured at least."""
BEYOND = 0.03
"""Metres by which what is seen must be behind the robot's skin for one to see past the robot."""
EDGE = 11
"""Pixels, square, of which all have to show the robot: errors of a few millimetres and half a degree shift edges."""
ENOUGH = 200
"""Pixels of the moving robot, away from its edges, on which anything is said."""
ASTRAY = 0.25
"""Share of these, where nothing is in front, in which one sees past the robot when a picture does not fit: well above
what noise makes of one that does. A robot that is drawn far too large or leaves the picture is not noticed by it."""

APART = 0.02
"""Metres that one camera must see past a place at which another sees something, for them to disagree."""
TOGETHER = 400
"""Places of the one in view of the other on which anything is said."""
DISAGREE = 0.06
"""Share of these about which cameras disagree that do not fit each other: those that do disagree about 0.006 at most,
also with noise, and with a focal length that is off by a tenth about 0.11 and more (17 scenes)."""
ASKED = 8000
"""Places of each that are asked about."""
SUSPECT = 0.03
"""Share of the robot's pixels in which one sees past it from which on a camera may have been moved: up to 0.02 where it
is right; where it is a degree off mostly more."""
NEAR = 0.008
"""Metres from its skin up to which a point is one of the robot's: errors of depth, of encoders, of the skin itself."""
BODIES = "bodies"
"""Folder of the skins in the library's folder."""


def steady(image: Image) -> Image:
    """A picture with its depth made steady; as it is where its depth hardly scatters."""
    depth: Any = np.where(image.depth > 0, image.depth, 0.0)
    rough = scatter(depth)
    if rough < ROUGH:
        return image
    within, steep = BENT + SCATTERS * rough * depth**2, STEEP * depth
    total, pairs = depth.copy(), np.zeros_like(depth)
    for one, other, away in _opposite(depth):
        middle = 0.5 * (one + other)
        mine = (one > 0) & (other > 0) & (np.abs(middle - depth) < within)
        mine &= np.abs(one - other) < 2.0 * away * steep
        total += np.where(mine, middle, 0.0)
        pairs += mine
    kept = (depth > 0) & (pairs >= COMPANY)
    return replace(image, depth=np.where(kept, total / (1.0 + pairs), 0.0))


def scatter(depth: Any) -> float:
    """How much the depth (h, w) of neighbouring pixels scatters about a smooth surface: the standard deviation in
    metres at one metre, growing with the square of the distance."""
    left, middle, right = depth[:, :-2], depth[:, 1:-1], depth[:, 2:]
    ok = (left > 0) & (middle > 0) & (right > 0)
    if not ok.any():
        return 0.0
    off = np.abs(left + right - 2.0 * middle)[ok] / middle[ok] ** 2
    return float(np.median(off) / 0.6745 / np.sqrt(6.0))


def _opposite(depth: Any) -> Iterator[tuple[Any, Any, int]]:
    """The depths (h, w), (h, w) of opposite neighbours of each pixel, 0 beyond the border, and how far they are off."""
    h, w = depth.shape
    wide, n = np.pad(depth, WINDOW), WINDOW
    for y, x in ((y, x) for y in range(-n, n + 1) for x in range(-n, n + 1) if (y, x) > (0, 0)):
        one, other = (wide[n + s * y : n + s * y + h, n + s * x : n + s * x + w] for s in (1, -1))
        yield one, other, max(abs(y), abs(x))


def check(images: Sequence[Image]) -> None:
    """InputError for no pictures or such as are none; Refusal for those in which nothing can be seen."""
    if not images:
        raise InputError("an observation without pictures came where one has to look; valid: one of each camera")
    for image in images:
        colour, depth, camera = image.colour, image.depth, image.camera
        if colour.ndim != 3 or depth.ndim != 2 or colour.shape[:2] != depth.shape or not depth.size:
            raise InputError(f"{camera}: colour is {colour.shape}, depth {depth.shape}; valid: (h, w, 3) and (h, w)")
        if np.percentile(colour[::4, ::4], 99) <= DARK:
            raise Refusal(f"the picture of {camera} is black: no light, or a covered lens", "nothing seen")
        with np.errstate(invalid="ignore"):
            share = float((depth > 0).mean())
        if share < MEASURED:
            raise Refusal(f"{camera} measured depth in {share:.0%} of its pixels: nothing can be seen", "no depth")


def check_together(looks: Sequence[Look], ground: Ground, p_world_base: Numbers) -> None:
    """Refusal where one camera sees past what another one sees: with all of them right, that cannot be. Asked of what
    stands out of the ground, which is where focal lengths, poses and lags show."""
    for one, other in itertools.permutations(looks, 2):
        p = one.points[stands_out(one, ground, p_world_base)]
        gaps = gaps_at(other, p[:: max(1, len(p) // ASKED)])
        known = gaps > -APART
        share = float((gaps > APART).sum()) / max(1, int(known.sum()))
        if known.sum() >= TOGETHER and share > DISAGREE:
            cameras = " and ".join(sorted(k.image.camera for k in (one, other)))
            raise Refusal(
                f"{cameras} do not show the same things: {share:.0%} of what one sees is not there for the other; a "
                "picture is old, or a camera's focal length or pose is not what is said",
                "picture does not fit",
            )


def seen_past_robot(
    image: Image, bodies: Mapping[str, Array], skins: Mapping[str, Skin], still: Collection[str] = ()
) -> float:
    """Share of the robot's pixels, away from its edges and where nothing is in front, where one sees past it; 0 where
    there are too few to say."""
    numbers, nearest = drawn_skins([[(skins[name], T)] for name, T in bodies.items()], image)
    moving = [number for number, name in enumerate(bodies, 1) if name not in still]
    with np.errstate(invalid="ignore"):
        inside = minimum_filter(np.isfinite(nearest), EDGE) & np.isin(numbers, moving) & (image.depth > 0)
        gap = image.depth[inside] - nearest[inside]
    past, there = int((gap > BEYOND).sum()), int((np.abs(gap) <= BEYOND).sum())
    return past / (past + there) if past + there >= ENOUGH else 0.0


@dataclass(eq=False)
class Rig:
    """Cameras on and around a robot. `skins` are those of its bodies; the ones in `still` never move. `off` has the
    poses (4, 4) of cameras in the frame of where they are said to be."""

    skins: Mapping[str, Skin]
    still: Collection[str]
    off: dict[str, Array] = field(default_factory=dict)
    _doubt: Refusal | None = None
    """What is to be said of the last pictures if no camera was moved after all."""
    _new: dict[str, Array] = field(default_factory=dict)

    def looks(self, images: Sequence[Image], bodies: Mapping[str, Array]) -> list[Look]:
        """The pictures, steadied, from where they were taken, and where they show the robot. `bodies` has the poses
        (4, 4) of its bodies. InputError for what are no pictures, Refusal for such as cannot be trusted."""
        check(images)
        self._new, self._doubt = {}, None
        looks = [self._look(self._placed(image, bodies), bodies) for image in map(steady, images)]
        found = {*self.off, *self._new}  # where these cameras are has been found out, now or before
        known = [look for look in looks if look.image.camera in found]
        for i, look in enumerate(looks if known else ()):
            if look.image.camera not in found:
                off = self._new[look.image.camera] = aligned(look, known)
                if not np.array_equal(off, np.eye(4)):
                    looks[i] = self._look(corrected(look.image, off), bodies)
        return looks

    def agree(self, looks: Sequence[Look], ground: Ground, p_world_base: Numbers) -> None:
        """Take the cameras to be where the last pictures had them, if they show the same things. Else Refusal: what
        speaks against one by itself, if anything does."""
        try:
            check_together(looks, ground, p_world_base)
        except Refusal as refusal:
            raise self._doubt or refusal from None
        self.off |= self._new

    def _look(self, image: Image, bodies: Mapping[str, Array]) -> Look:
        return Look.of(image, robot_pixels(image, bodies, self.skins))

    def _placed(self, image: Image, bodies: Mapping[str, Array]) -> Image:
        """A picture from where the robot in it tells; as it is where that tells nothing."""
        before = self.off.get(image.camera)
        put = image if before is None else corrected(image, before)
        past = seen_past_robot(put, bodies, self.skins, self.still)
        if before is not None and past <= ASTRAY:
            return put
        off = (sought if past > SUSPECT else correction)(put, bodies, self.skins)
        again = put if off is None else corrected(put, off)
        left = past if off is None else seen_past_robot(again, bodies, self.skins, self.still)
        if left > past:
            off, again, left = np.eye(4), put, past
        if past > ASTRAY:
            self._doubt = Refusal(
                f"{put.camera} does not show the robot where its encoders have it, but what is behind in {past:.0%} of "
                "it: the picture is old, or the camera's focal length or pose is not what is said",
                "picture does not fit",
            )
            if left > ASTRAY:
                raise self._doubt
        if off is not None:
            self._new[image.camera] = off if before is None else before @ off
        return again


def link_poses(world: World, q: Array, opening: float, names: Iterable[str]) -> dict[str, Array]:
    """Where bodies of the robot are, T_world_body (4, 4) by name, at configuration `q` (rad) with the fingers `opening`
    metres apart; those only that this robot has: not every one stands on a pedestal. Moves the arm of `world`."""
    world.set_opening(opening)
    world.forward(q)
    here = {world.model.body(i).name for i in range(world.model.nbody)}
    bodies = ((name, world.data.body(name)) for name in names if name in here)
    return {name: pose(b.xpos.copy(), b.xmat.reshape(3, 3).copy()) for name, b in bodies}


def reaches_forward(world: World, skins: Mapping[str, Skin]) -> float:
    """How far (m) what never moves of a robot with some skins is in front of its base."""
    robot, p_world_base = world.robot, world.base_position()
    bodies = link_poses(world, robot.posture, 0.0, robot.pinned_bodies & skins.keys())
    ends = [moved(skins[name].points, T)[:, 0].max() - p_world_base[0] for name, T in bodies.items()]
    return float(max(ends, default=0.0))


def robot_pixels(image: Image, bodies: Mapping[str, Array], skins: Mapping[str, Skin], near: float = NEAR) -> Array:
    """Where (h, w), true or false, a picture shows the robot. `bodies` has the poses (4, 4) of its bodies in the world,
    `skins` their skins; `near` is in metres."""
    mask = np.zeros(image.size, dtype=bool)
    points = image.points().reshape(-1, 3)
    boxes = {name: _box(skins[name], T, near) for name, T in bodies.items()}
    whole = np.min([low for low, _ in boxes.values()], axis=0), np.max([high for _, high in boxes.values()], axis=0)
    candidates = np.flatnonzero(_inside(points, *whole))
    for name, T in bodies.items():
        here = candidates[_inside(points[candidates], *boxes[name])]
        mask.flat[here[skins[name].field.distance(moved(points[here], inverse(T))) < near]] = True
        candidates = candidates[~mask.flat[candidates]]
    return mask


def _box(skin: Skin, T_world_body: Array, margin: float) -> tuple[Array, Array]:
    """Lower and upper corner (3,), (3,) of the world-aligned box around a skin."""
    p = moved(skin.points, T_world_body)
    return p.min(axis=0) - margin, p.max(axis=0) + margin


def _inside(points: Array, low: Array, high: Array) -> Array:
    """Which (n,) of some points (n, 3) are in a box; those that are nan are not."""
    out = np.ones(len(points), dtype=bool)
    for axis in range(3):
        out &= (points[:, axis] > low[axis]) & (points[:, axis] < high[axis])
    return out


def skin_of_robot(robot: RobotDescription, folder: Path | None = None) -> RobotSkin:
    """The skin of each body of a robot, by its name, in its own frame: kept in a folder, by default the library's, or
    made anew. Drawing needs OSMesa. InputError where the folder takes no file."""
    source = hashlib.sha256(robot.mjcf.encode()).hexdigest()
    path = (folder or objects_folder()) / BODIES / f"{source[:16]}.npz"
    recipe = made_with()
    if path.exists():
        with contextlib.suppress(InputError):  # damaged: made anew
            kept = read(path)
            if isinstance(kept.model, RobotSkin) and kept.model.source == source and kept.made_with == recipe:
                return kept.model
    model = mujoco.MjModel.from_xml_string(robot.mjcf)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    made = RobotSkin(skins(model, data, {model.body(b).name: [b] for b in range(1, model.nbody)}), source)
    write(path, LibraryEntry(made, recipe))
    return made
