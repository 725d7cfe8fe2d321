"""A plan as it was read: steps that know their line, not yet compared with any domain."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from tamp.errors import InputError
from tamp.pddl.edits import Mend


@dataclass(frozen=True)
class Step:
    """One step as written, in lower case: PDDL does not tell cases apart.

    `args` are in the operator's order, or by the name of its parameters in `named`. `start` and `duration` are in
    the plan's own unit of time, each `_within` so much of what was meant, since it may be printed rounded; `line` is
    None where a format has none. The name of a step that cannot be read is empty.
    """

    name: str
    args: tuple[str, ...]
    line: int | None
    named: dict[str, str] | None = None
    start: Fraction | None = None
    duration: Fraction | None = None
    start_within: Fraction = Fraction(0)
    duration_within: Fraction = Fraction(0)

    def __str__(self) -> str:
        if not self.name:
            return "(not a step)"
        given = self.args if self.named is None else tuple(self.named.values())
        return f"({' '.join((self.name, *given))})"


@dataclass(frozen=True)
class PlanFile:
    """A plan's steps in the order of the file, the file's name and the format it was read as; `notes` say what of the
    file was not read."""

    name: str
    format: str
    steps: tuple[Step, ...]
    notes: tuple[str, ...] = ()


class Mistake(NamedTuple):
    """What is wrong with a step, and its number, from 1."""

    step: int
    message: str


class BadPlan(InputError):
    """A plan that cannot be read, with all that is wrong with it; `plan` has the steps that can, `mend` what would make
    it valid, where that was looked for."""

    def __init__(self, plan: PlanFile, mistakes: Sequence[Mistake]) -> None:
        super().__init__(*(m.message for m in mistakes))
        self.plan, self.mistakes, self.mend = plan, tuple(mistakes), Mend()


def read_steps(name: str, form: str, steps: Iterable[Callable[[], Step]]) -> PlanFile:
    """A plan of steps that are read one by one. BadPlan with every one that cannot be."""
    read, wrong = list[Step](), list[Mistake]()
    for number, step in enumerate(steps, 1):
        try:
            read.append(step())
        except InputError as e:
            read.append(Step("", (), None))
            wrong.append(Mistake(number, str(e)))
    plan = PlanFile(name, form, tuple(read))
    if wrong:
        raise BadPlan(plan, wrong)
    return plan
