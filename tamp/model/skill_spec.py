"""What a skill declares of itself: all that search, refinement, lint and sessions know of it besides its motions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from tamp.model.goal_syntax import with_article

ARM, HAND, EYES = "arm", "hand", "eyes"
"""Resources: two activities that take the same cannot run at one time."""

Segment = Literal["move", "grip", "look"]
RESOURCES: Mapping[Segment, str] = {"move": ARM, "grip": HAND, "look": EYES}


@dataclass(frozen=True)
class Spec:
    """A skill in the terms of the domains that it is bound in.

    `name` is what a binding table calls it. `takes`: types of the operator's first arguments, `object` for any. `moves`
    is the index of the argument that it takes hold of or pushes, `to` that of the place where this comes to rest.
    `segments`: `move` when the tool moves, `grip` when the fingers open or close, `look` when it perceives.

    `facts` are the predicates by which it tells the planner what geometry found out: the first argument is what a fact
    is about, the others are what stands against it. `of_grasp` has for some of them what is said instead when the thing
    is in the hand already, so that another grasp may help. `of_order` are reasons that blame the order of actions, even
    where an earlier action has put the thing there.

    `affords` has for an argument the kinds of things that are seen on which the skill can work at all: those with a
    door, say. `brings` has the predicates that it makes true, each with the arguments, by number, that it is true of;
    None for any. A skill without it can bring about whatever its domain says.
    """

    name: str
    takes: tuple[str, ...] = ()
    moves: int | None = None
    to: int | None = None
    segments: frozenset[Segment] = frozenset({"move", "grip"})
    facts: frozenset[str] = frozenset()
    of_grasp: Mapping[str, str] = field(default_factory=dict)
    of_order: frozenset[str] = frozenset()
    affords: Mapping[int, frozenset[str]] = field(default_factory=dict)
    brings: Mapping[str, tuple[int, ...] | None] | None = None

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
        if len(parameters) < len(self.takes) or not all(map(is_a, parameters, self.takes)):
            return f"takes {' and '.join(map(with_article, self.takes))}, in this order"
        for number, kinds in self.affords.items():
            some = parameters[number]
            if not any(is_a(kind, some) or is_a(some, kind) for kind in kinds):
                return f"works on {' or '.join(map(with_article, sorted(kinds)))}, and not on {with_article(some)}"
        return None

    def not_brought(self, predicate: str, arguments: Sequence[int | None]) -> str | None:
        """What it brings about, in words, where that is not what an effect says: a predicate of the operator's
        arguments, by number, None for what is no parameter. None where it is."""
        if self.brings is None:
            return None
        wanted = self.brings.get(predicate, ())
        if predicate in self.brings and (wanted is None or tuple(arguments) == wanted):
            return None
        brought = [f"({' '.join((p, *(f'?{n + 1}' for n in args or ())))})" for p, args in self.brings.items()]
        return f"brings about {', '.join(brought)}, where ?1 is the first parameter"
