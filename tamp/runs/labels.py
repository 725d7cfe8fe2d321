"""How results say what saw, and where."""

from __future__ import annotations


def in_pybullet(body: object | None) -> str:
    """The simulator's state in PyBullet, with a robot, or robots, or the scene's own."""
    return f"oracle, {body or 'its own robot'} in pybullet"


def through_sdk(body: str) -> str:
    """The emulator's state, of an arm that its maker's SDK moves."""
    return f"oracle, {body} through its SDK"
