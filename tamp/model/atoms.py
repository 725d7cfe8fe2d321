"""Ground atoms and typed symbols: the vocabulary that scenes, goals and plans share."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Atom:
    """A ground atom, `(predicate arg …)` in PDDL."""

    predicate: str
    args: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"({' '.join((self.predicate, *self.args))})"


@dataclass(frozen=True, order=True)
class GroundAction:
    """An operator of the domain applied to symbols."""

    name: str
    args: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"({' '.join((self.name, *self.args))})"
