"""Whether pictures can be trusted: light and depth there are, and the robot is seen where its own encoders have it.

A picture that is old, or has another focal length or pose than is said, shows something else than the robot where the
robot is. Nothing but what is in the picture and what the encoders say is asked.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from scipy.ndimage import minimum_filter

from motion.poses import Array, Numbers
from tamp.errors import InputError, Refusal
from tamp.model.images import Image
from tamp.perception.clusters import Ground, stands_out
from tamp.perception.looks import Look
from tamp.perception.masks import drawn_skins
from tamp.perception.object_model import Skin
from tamp.perception.sightings import gaps_at

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


def check_robot(image: Image, bodies: Mapping[str, Array], skins: Mapping[str, Skin], still: Collection[str]) -> None:
    """Refusal where a picture sees past the robot that is in front of the camera. `bodies` has the poses (4, 4) of its
    bodies in the world by its encoders, `skins` their skins; those in `still` never move, and are not asked."""
    share = seen_past_robot(image, bodies, skins, still)
    if share > ASTRAY:
        raise Refusal(
            f"{image.camera} does not show the robot where its encoders have it, but what is behind in {share:.0%} of "
            "it: the picture is old, or the camera's focal length or pose is not what is said",
            "picture does not fit",
        )


def check_together(looks: Sequence[Look], ground: Ground, p_world_base: Numbers) -> None:
    """Refusal where one camera sees past what another one sees: with all of them right, that cannot be. Asked of what
    stands out of the ground, which is where focal lengths, poses and lags show."""
    for one, other in itertools.permutations(looks, 2):
        p = one.points[stands_out(one, ground, p_world_base)]
        gaps = gaps_at(other, p[:: max(1, len(p) // ASKED)])
        told = gaps > -APART
        share = float((gaps > APART).sum()) / max(1, int(told.sum()))
        if told.sum() >= TOGETHER and share > DISAGREE:
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
