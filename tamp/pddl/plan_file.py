"""A plan as it was read: steps that know their line; and these as actions of a problem."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from tamp.errors import InputError
from tamp.pddl.edits import Repair


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
        return f"({' '.join((self.name, *self.given))})" if self.name else "(not a step)"

    @property
    def given(self) -> tuple[str, ...]:
        """The arguments in the order in which they are written."""
        return self.args if self.named is None else tuple(self.named.values())


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
    """A plan that cannot be read, with all that is wrong with it; `plan` has the steps that can, `repair` what would
    make it valid, where that was looked for."""

    def __init__(self, plan: PlanFile, mistakes: Sequence[Mistake]) -> None:
        super().__init__(*(m.message for m in mistakes))
        self.plan, self.mistakes, self.repair = plan, tuple(mistakes), Repair()


def plan_of(name: str, form: str, steps: Iterable[Step | str]) -> PlanFile:
    """A plan of steps, a message in place of each that cannot be read. BadPlan where there are such."""
    read = list(steps)
    plan = PlanFile(name, form, tuple(Step("", (), None) if isinstance(s, str) else s for s in read))
    if wrong := [Mistake(number, s) for number, s in enumerate(read, 1) if isinstance(s, str)]:
        raise BadPlan(plan, wrong)
    return plan


def resolve(plan: PlanFile, problem: Any) -> list[Any]:
    """unified-planning's ActionInstance of each step.

    BadPlan with file, line and step for every operator and object that the problem does not have, every wrong number of
    arguments and every argument of a wrong type: such a plan belongs to another domain or problem.
    """
    made = resolved(plan, problem)
    if None in made:
        raise BadPlan(plan, mistakes(plan, problem))
    return made


def resolved(plan: PlanFile, problem: Any) -> list[Any]:
    """The same with None for each step that is of another domain or problem."""
    from unified_planning.plans import ActionInstance

    names, manager = _Names.of(problem), problem.environment.expression_manager
    read = [(step, *names.read(step)) for step in plan.steps]
    return [
        None if wrong else ActionInstance(names.operators[step.name], tuple(map(manager.ObjectExp, args)))
        for step, args, wrong in read
    ]


def mistakes(plan: PlanFile, problem: Any) -> list[Mistake]:
    """What is wrong with the steps of a plan that could be read, in their order."""
    names = _Names.of(problem)
    return [
        Mistake(number, f"{f'{plan.name}:{step.line}' if step.line else plan.name}: step {number}, {step}: {message}")
        for number, step in enumerate(plan.steps, 1)
        if step.name
        for message in names.read(step)[1]
    ]


@dataclass(frozen=True)
class _Names:
    """The operators and the objects of a problem by their names in lower case."""

    operators: Mapping[str, Any]
    objects: Mapping[str, Any]

    @classmethod
    def of(cls, problem: Any) -> _Names:
        return cls({a.name.lower(): a for a in problem.actions}, {o.name.lower(): o for o in problem.all_objects})

    def read(self, step: Step) -> tuple[list[Any], list[str]]:
        """The objects of a step in the operator's order, and what is wrong: its operator, the number of its arguments,
        each of these."""
        wrong, ordered = list[str](), None
        operator = self.operators.get(step.name)
        if operator is None:
            wrong.append(_unknown(step.name, self.operators, "operator"))
        elif (ordered := _in_order(step, operator)) is None:
            takes = f"{step.name} takes {', '.join(p.name for p in operator.parameters) or 'nothing'}"
            wrong.append(f"{takes}; given: {', '.join(step.named or step.args) or 'nothing'}")
        unknown = [a for a in dict.fromkeys(step.given) if a not in self.objects]
        wrong += [_unknown(a, self.objects, "object") for a in unknown]
        if operator is None or ordered is None or unknown:
            return [], wrong
        args = [self.objects[a] for a in ordered]
        for given, parameter in zip(args, operator.parameters, strict=True):
            if not parameter.type.is_compatible(given.type):
                of = f"{operator.name}'s {parameter.name} is of type {parameter.type.name}"
                fitting = [n for n, o in self.objects.items() if parameter.type.is_compatible(o.type)]
                there = _valid(fitting) if fitting else "the problem has none"
                wrong.append(f"{given.name} is of type {given.type.name}, but {of}; {there}")
        return args, wrong


def _in_order(step: Step, operator: Any) -> tuple[str, ...] | None:
    """A step's arguments in the operator's order; None when they are not as many, or not called so."""
    names = [p.name for p in operator.parameters]
    if step.named is not None:
        return tuple(step.named[n] for n in names) if sorted(step.named) == sorted(names) else None
    return step.args if len(step.args) == len(names) else None


def _unknown(name: str, there: Mapping[str, Any], what: str) -> str:
    near = difflib.get_close_matches(name, there, 1)
    return f"there is no {what} {name!r}; {_valid(near or there)}"


def _valid(names: Collection[str]) -> str:
    shown = sorted(names)
    return f"valid: {', '.join(shown[:10])}{f' and {len(shown) - 10} more' if len(shown) > 10 else ''}"
