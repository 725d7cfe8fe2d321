"""Read fields of logged events without trusting their types: a log may be from another version, or edited."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

import numpy as np

from motion.poses import Array, from_quat

Event = Mapping[str, Any]
"""A line of an episode's log."""

LARGEST = 1e9
"""What is larger, or is no number at all, is no measurement."""

Point = tuple[float, float, float]
"""A position in metres, world frame."""


def words(event: Event, key: str) -> str:
    """The text of a field, empty where it holds none."""
    value = event.get(key)
    return value if isinstance(value, str) else ""


def number(event: Event, key: str) -> float | None:
    """The number of a field, None where it holds none that can be a measurement."""
    value = event.get(key)
    return float(value) if is_measured(value) else None


def is_measured(value: Any) -> TypeGuard[float]:
    """Whether a field holds a number that can be a measurement."""
    return isinstance(value, int | float) and abs(value) < LARGEST


def names(event: Event, key: str) -> tuple[str, ...]:
    """The texts of a list; of one text alone just that."""
    value = event.get(key)
    if isinstance(value, str):
        return (value,)
    return tuple(v for v in value if isinstance(v, str)) if isinstance(value, list) else ()


def table(event: Event, key: str) -> Mapping[str, Any]:
    """The object of a field, empty where it holds none."""
    value = event.get(key)
    return value if isinstance(value, dict) else {}


def point(values: Any) -> Point | None:
    """The first three numbers of a list as a position, None where they are none."""
    if not isinstance(values, Sequence) or isinstance(values, str) or len(values) < 3:
        return None
    if not all(map(is_measured, values[:3])):
        return None
    x, y, z = (round(float(v), 4) for v in values[:3])
    return x, y, z


def pose_in(values: Any) -> Array | None:
    """A position and a quaternion w x y z as a pose (4, 4), not turned where the quaternion is none; None without a
    position."""
    at = point(values)
    if at is None:
        return None
    turned = values[3:7]
    sound = len(turned) == 4 and all(isinstance(v, int | float) for v in turned) and 0.9 < np.linalg.norm(turned) < 1.1
    return from_quat(np.array(at), np.array(turned if sound else [1.0, 0.0, 0.0, 0.0], dtype=float))


def time_of(event: Event) -> float:
    """Seconds since the start of the log, 0 where it does not say."""
    return number(event, "t") or 0.0
