"""How results say what saw, and where."""

from __future__ import annotations


def in_physics(engine: str, body: str | None) -> str:
    """The state of a simulation other than LIBERO's, with a robot or the scene's own."""
    return f"oracle, {body or 'its own robot'} in {engine}"


def through_sdk(body: str) -> str:
    """The emulator's state, of an arm that its maker's SDK moves."""
    return f"oracle, {body} through its SDK"
