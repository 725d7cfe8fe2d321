"""What lengths and angles in files can be: those that can only be in another unit, or that nothing has, are refused.

Each function says in words why values are not in the unit that the file has there, and is empty where they can be.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeGuard

FARTHEST = 100.0
"""Metres from an arm's base: nothing that it works with is so far away."""
TURN = 2 * math.pi
"""Radians of one turn: a greater angle is in degrees."""
TURNS = 2
"""Turns that an angle in degrees may have."""
SHORTEST = 1e-3
"""Metres that a length has: what is shorter is what rounding leaves of none."""
ROUNDED = 6e-4
"""By how much of it a part of π may be off as people write it: 3.14, 1.57, 0.785."""


def is_number(value: Any) -> TypeGuard[float]:
    """Whether what a file has is a finite number: integers of TOML and JSON can be beyond any float."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300


def not_metres(values: Sequence[float], most: float) -> str:
    """Lengths that may be up to `most` metres; more are millimetres, or a mistake."""
    return "" if _largest(values) <= most else f"at most {most:g} (millimetres? then {_shown(values, 0.001)})"


def not_millimetres(values: Sequence[float], least: float = 0.0) -> str:
    """Lengths in millimetres, of which the largest is 0, or at least `least`: all smaller ones are metres."""
    if (largest := _largest(values)) > 1000 * FARTHEST:
        return f"at most {1000 * FARTHEST:g}"
    metres = SHORTEST <= largest < least
    return f"at least {least:g} (metres? then {_shown(values, 1000)})" if metres else ""


def not_radians(values: Sequence[float]) -> str:
    """Angles in radians."""
    return (
        "" if _largest(values) <= TURN + ROUNDED else f"up to {TURN:.4f} (degrees? then {_shown(values, TURN / 360)})"
    )


def not_degrees(values: Sequence[float]) -> str:
    """Angles in degrees. Parts of π, all of them, are radians."""
    if _largest(values) > TURNS * 360:
        return f"up to {TURNS * 360}"
    eighths = [abs(v) / (math.pi / 4) for v in values if v]
    parts = eighths and all(round(n) and abs(n - round(n)) <= ROUNDED * n for n in eighths)
    whole = all(float(v).is_integer() for v in values)
    return f"degrees (radians? then {_shown(values, 360 / TURN, 0)})" if parts and not whole else ""


def _largest(values: Sequence[float]) -> float:
    return max(map(abs, values), default=0.0)


def _shown(values: Sequence[float], factor: float, digits: int | None = None) -> str:
    shown = [f"{v * factor if digits is None else round(v * factor, digits):.4g}" for v in values]
    return shown[0] if len(shown) == 1 else f"[{', '.join(shown)}]"
