"""A plan as it was read: steps that know their line, not yet compared with any domain."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Step:
    """One step as written, in lower case: PDDL does not tell cases apart.

    `args` are in the operator's order, or by the name of its parameters in `named`. `start` and `duration` are in
    the plan's own unit of time; `line` is None where a format has none.
    """

    name: str
    args: tuple[str, ...]
    line: int | None
    named: dict[str, str] | None = None
    start: Fraction | None = None
    duration: Fraction | None = None

    def __str__(self) -> str:
        given = self.args if self.named is None else tuple(self.named.values())
        return f"({' '.join((self.name, *given))})"


@dataclass(frozen=True)
class PlanFile:
    """A plan's steps in the order of the file, the file's name and the format it was read as."""

    name: str
    format: str
    steps: tuple[Step, ...]
