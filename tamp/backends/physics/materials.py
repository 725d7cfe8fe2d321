"""Assumed masses, friction and grip of things that were not measured."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from motion.poses import Array
from motion.shapes import Shape
from tamp.model.scene import PartKind

DENSITY = 250.0
"""kg/m³ of what things are made of, hollow as they are: a guess, since vision does not show mass."""
MASSES = (0.03, 0.6)
"""Kilograms between which a thing weighs."""
PART_MASS = 0.3
"""Kilograms of a part on a joint."""
FRICTION = 1.0
"""Of things on each other."""
SPIN, ROLL = 2e-3, 1e-4
"""Metres by which what turns, or rolls, on something rubs."""
RUBS: Mapping[PartKind, float] = {"drawer": 2.0, "door": 0.3, "knob": 0.05, "body": 0.1}
"""What moves a part in its joint: newtons, or newton metres."""

PAD_FRICTION = 2.0
"""Of the fingers' pads."""
GRIP = 30.0
"""Newtons of a finger."""
FINGER_SPEED = 0.15
"""Metres a second of a finger."""


def shape_volume(shape: Shape) -> float:
    """Cubic metres."""
    a, b, c = (float(v) for v in shape.size)
    match shape.kind:
        case "box":
            return 8.0 * a * b * c
        case "sphere":
            return 4.0 / 3.0 * np.pi * a**3
        case "cylinder":
            return 2.0 * np.pi * a**2 * b
        case "capsule":
            return 2.0 * np.pi * a**2 * b + 4.0 / 3.0 * np.pi * a**3
        case _:
            return 0.0


def mass_of(shapes: tuple[Shape, ...]) -> float:
    """Kilograms that a thing of these shapes is taken to weigh."""
    return float(np.clip(DENSITY * sum(map(shape_volume, shapes)), *MASSES))


def box_inertia(mass: float, shapes: tuple[Shape, ...]) -> tuple[Array, Array]:
    """Inertia (3, 3) of a box of a mass around the shapes, and its middle (3,)."""
    corners = np.concatenate([s.corners() for s in shapes])
    low, high = corners.min(axis=0), corners.max(axis=0)
    x, y, z = (high - low) ** 2
    return mass / 12.0 * np.diag([y + z, x + z, x + y]), 0.5 * (low + high)
