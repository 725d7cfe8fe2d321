"""What a skill declares of itself: all that search, refinement, lint and sessions know of it besides its motions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

ARM, HAND, EYES = "arm", "hand", "eyes"
"""Resources: two activities that take the same cannot run at one time."""

Segment = Literal["move", "grip", "look"]
RESOURCES: Mapping[Segment, str] = {"move": ARM, "grip": HAND, "look": EYES}


@dataclass(frozen=True)
class Spec:
    """A skill in the terms of the domains that it is bound in.

    `name` is what a binding table calls it. `takes`: types of the operator's first arguments, `object` for any. `moves`
    is the index of the argument that it takes hold of or pushes, `to` that of the place where this comes to rest.
    `segments`: `move` when the tool moves, `grip` when the fingers are told how far to open, `look` when it perceives.

    `facts` are the predicates by which it tells the planner what geometry found out: the first argument is what a fact
    is about, the others are what stands against it. `of_grasp` has for some of them what is said instead when the thing
    is in the hand already, so that another grasp may help. `of_order` are reasons that blame the order of actions, even
    where an earlier action has put the thing there.
    """

    name: str
    takes: tuple[str, ...] = ()
    moves: int | None = None
    to: int | None = None
    segments: frozenset[Segment] = frozenset({"move", "grip"})
    facts: frozenset[str] = frozenset()
    of_grasp: Mapping[str, str] = field(default_factory=dict)
    of_order: frozenset[str] = frozenset()

    @property
    def resources(self) -> frozenset[str]:
        """What it takes while it runs."""
        return frozenset(RESOURCES[s] for s in self.segments)

    @property
    def carried(self) -> frozenset[str]:
        """The type of what it moves, if it moves anything."""
        return frozenset() if self.moves is None else frozenset({self.takes[self.moves]})

    def moved(self, args: tuple[str, ...]) -> str | None:
        """The thing that an action with these arguments moves."""
        return None if self.moves is None else args[self.moves]

    def brought(self, args: tuple[str, ...]) -> tuple[str, str] | None:
        """The thing that an action with these arguments puts somewhere, and where."""
        return None if self.moves is None or self.to is None else (args[self.moves], args[self.to])

    def misfit(self, parameters: Sequence[str], is_a: Callable[[str, str], bool]) -> str | None:
        """What it takes, in words, where an operator's parameters do not begin so; None where they do.

        `parameters` are their types, and `is_a(kind, ancestor)` says which is below which.
        """
        if len(parameters) >= len(self.takes) and all(map(is_a, parameters, self.takes)):
            return None
        told = [f"an {kind}" if kind[0] in "aeiou" else f"a {kind}" for kind in self.takes]
        return f"takes {' and '.join(told)}, in this order"
