"""What is done of itself while actions go on, by name; apart from what does it, which loads a simulator."""

from __future__ import annotations

REFLEXES = ("servo", "monitor", "repair")
"""Motions are led to where things are seen; actions are stopped when they cannot go well any more; what went wrong is
tried otherwise."""
