"""What real cameras do to pictures that a simulator's do not: errors of depth, of colour and light, and of poses.

Depth errors are those of a stereo camera at arm's length; each pixel errs by itself, which averaging over many forgives
more than a real sensor's patches would be.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal, get_args

import numpy as np
from scipy.ndimage import gaussian_filter, maximum_filter, minimum_filter

from motion.poses import Array, pose, rotation_about
from tamp.backends.libero.cameras import AGENT
from tamp.errors import InputError
from tamp.model.goal_syntax import valid
from tamp.model.images import Image

Kind = Literal["clean", "depth", "colour", "pose", "all", "moved", "hand"]
KINDS: tuple[Kind, ...] = get_args(Kind)
SPREAD = 0.0015
"""Standard deviation of depth, metres at one metre; it grows with the square of the distance."""
HOLES, PATCH = 0.02, 1.0
"""Share of the pixels in which nothing is measured, and how far (pixels, standard deviation) a hole reaches."""
JUMP, DROPPED = 0.02, 0.5
"""Share of the depth by which neighbouring pixels differ at an edge, and of an edge's pixels that are not measured; the
others are somewhere between the two surfaces."""
GAIN, GAMMA = (0.7, 1.3), (0.8, 1.25)
"""Least and most light of a picture, and exponent of its tones, against the simulator's."""
GRAIN = 3.0
"""Standard deviation of a colour, of 255."""
FIXED, HAND = "fixed", "hand"
ASTRAY: dict[Kind, tuple[str, float, float]] = {
    "pose": (FIXED, 0.005, 0.5),
    "all": (FIXED, 0.005, 0.5),
    "moved": (FIXED, 0.02, 5.0),
    "hand": (HAND, 0.005, 1.0),
}
"""Which camera is not where it is said to be, by how many metres and degrees."""


@dataclass(frozen=True, eq=False)
class CameraNoise:
    """Noise of a `kind` for one episode, in which a camera's pose is wrong in one way throughout: a
    `tamp.backends.libero.cameras.Noise`."""

    kind: Kind
    rng: np.random.Generator
    _T_camera_said: Array = field(init=False)

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise InputError(f"no noise {self.kind!r}; {valid(self.kind, KINDS)}")
        off, axis = (v / np.linalg.norm(v) for v in self.rng.normal(size=(2, 3)))
        _, metres, degrees = ASTRAY.get(self.kind, (FIXED, 0.0, 0.0))
        object.__setattr__(self, "_T_camera_said", pose(metres * off, rotation_about(axis, np.radians(degrees))))

    def __call__(self, images: tuple[Image, ...]) -> tuple[Image, ...]:
        """What comes of pictures."""
        return tuple(self._spoilt(image) for image in images)

    def _spoilt(self, image: Image) -> Image:
        if self.kind in ("depth", "all"):
            image = replace(image, depth=measured(image.depth, self.rng))
        if self.kind in ("colour", "all"):
            image = replace(image, colour=lit(image.colour, self.rng))
        which = FIXED if image.camera == AGENT else HAND
        if self.kind in ASTRAY and ASTRAY[self.kind][0] == which:
            image = replace(image, T_world_camera=image.T_world_camera @ self._T_camera_said)
        return image


def measured(depth: Array, rng: np.random.Generator) -> Array:
    """Depth (h, w) as a stereo camera would measure it; 0 where it would not."""
    low, high = minimum_filter(depth, 3), maximum_filter(depth, 3)
    edge = (high - low) > JUMP * np.maximum(low, 0.05)
    mixed = low + (high - low) * rng.random(depth.shape)
    noisy = np.where(edge, mixed, depth) + SPREAD * depth**2 * rng.standard_normal(depth.shape)
    patches = gaussian_filter(rng.standard_normal(depth.shape), PATCH)
    hole = patches > np.quantile(patches, 1.0 - HOLES)
    hole |= edge & (rng.random(depth.shape) < DROPPED)
    return np.where((depth > 0) & ~hole, np.maximum(noisy, 1e-3), 0.0)


def lit(colour: Array, rng: np.random.Generator) -> Array:
    """A picture (h, w, 3) in another light, with a sensor's grain."""
    gain, gamma = rng.uniform(*GAIN), rng.uniform(*GAMMA)
    tones = 255.0 * gain * (colour / 255.0) ** gamma + GRAIN * rng.standard_normal(colour.shape)
    return np.clip(np.rint(tones), 0, 255).astype(np.uint8)
