"""What the codes that skills give for a failure mean, in words."""

from __future__ import annotations

ROOM = frozenset({"collision", "hindered", "no-room", "crowded"})
"""Codes of what has no room because of something else, which is then in the way."""
FAR = frozenset({"unreachable", "stretched", "timeout"})
"""Codes for which it counts how far something is from the arm."""

_WORDS = {
    "collision": "it would be touched",
    "hindered": "no room for the hand",
    "crowded": "no room left",
    "unreachable": "out of the arm's reach",
    "stretched": "within reach of a stretched arm only",
    "timeout": "nothing found in time",
    "nothing": "no way to do it",
    "no-grasp": "no grasp fits the gripper",
    "no-room": "no room for the hand at any grasp",
    "no-way": "it cannot be pushed there",
    "no-joint": "nothing of it moves on a joint",
    "not-held": "not in the hand",
    "not-open": "not open",
    "does-not-fit": "no spot for it",
    "too-tall": "too tall",
    "jammed": "it lies askew",
    "refused": "refused by the guide of the motion",
}


def in_words(reason: str) -> str:
    """A code in words; one of a skill that is not known here without its hyphens."""
    return _WORDS.get(reason, reason.replace("-", " "))
