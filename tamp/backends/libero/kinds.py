"""What LIBERO's classes of objects say that their models do not: category, and when something is open or on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tamp.backends.mujoco.objects import Ends, ThingKind


def kinds_of(classes: Mapping[str, Any]) -> dict[str, ThingKind]:
    """The kinds of LIBERO's objects, by name."""
    return {name: _kind(cls) for name, cls in classes.items()}


def _kind(cls: Any) -> ThingKind:
    ends = _thresholds(cls)
    return ThingKind(str(cls.category_name), lambda model, joint: ends, hasattr(cls, "turn_on"))


def _thresholds(cls: Any) -> Ends | None:
    """Joint values that LIBERO's class counts as (open or on, closed or off); None when it names none."""
    ranges = getattr(cls, "object_properties", {}).get("articulation", {})
    on, off = ranges.get("default_turnon_ranges"), ranges.get("default_turnoff_ranges")
    if on:
        return min(on), max(off)
    opened, closed = ranges.get("default_open_ranges"), ranges.get("default_close_ranges")
    if not opened:
        return None
    return (max(opened), min(closed)) if max(opened) < min(closed) else (min(opened), max(closed))
