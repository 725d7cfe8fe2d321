"""What was moved though no action was about it."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tamp.model.scene import Scene, objects_of
from tamp.model.state import WorldState

SHIFT = 0.01
"""Metres from which a bystander counts as moved."""


def operands_of(actions: Iterable[str]) -> tuple[str, ...]:
    """The arguments of actions in PDDL."""
    return tuple(s for action in actions for s in action.strip("()").split()[1:])


def shifted(before: Scene, state: WorldState, after: Scene, operands: tuple[str, ...]) -> list[str]:
    """Items that `after` has further than a centimetre from where they were, in the scene `before` and its `state`,
    though no action was about them and none of them stood in or on something movable that one was about."""
    meant = objects_of(before, operands) | {
        a.args[0]
        for a in state.atoms
        if a.predicate in ("on", "in") and a.args[1] in operands and _moves(before, a.args[1])
    }
    return [
        o.name
        for o in before
        if o.movable and o.name not in meant and np.linalg.norm(after.object(o.name).position - o.position) > SHIFT
    ]


def _moves(scene: Scene, place: str) -> bool:
    """Whether a symbol is an item, or a region on a part with a joint."""
    if any(o.name == place for o in scene):
        return True
    owner, region = scene.region(place)
    return owner.part(region.part).joint is not None
