"""A plan's steps as actions of a problem, or which names in them it does not have."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tamp.pddl.plan_file import BadPlan, Mistake, PlanFile, Step


def resolve(plan: PlanFile, problem: Any) -> list[Any]:
    """unified-planning's ActionInstance of each step.

    BadPlan with file, line and step for every operator and object that the problem does not have, every wrong number of
    arguments and every argument of a wrong type: such a plan belongs to another domain or problem.
    """
    made = resolved(plan, problem)
    if any(action is None for action in made):
        raise BadPlan(plan, mistakes(plan, problem))
    return made


def resolved(plan: PlanFile, problem: Any) -> list[Any]:
    """The same with None for each step that is of another domain or problem."""
    from unified_planning.plans import ActionInstance

    names, manager = _Names.of(problem), problem.environment.expression_manager
    read = [names.args(step) for step in plan.steps]
    return [
        None if args is None else ActionInstance(names.operators[step.name], tuple(map(manager.ObjectExp, args)))
        for step, args in zip(plan.steps, read, strict=True)
    ]


def mistakes(plan: PlanFile, problem: Any) -> list[Mistake]:
    """What is wrong with the steps of a plan that could be read, in their order."""
    names = _Names.of(problem)
    return [
        Mistake(number, f"{f'{plan.name}:{step.line}' if step.line else plan.name}: step {number}, {step}: {message}")
        for number, step in enumerate(plan.steps, 1)
        if step.name
        for message in names.wrong_with(step)
    ]


@dataclass(frozen=True)
class _Names:
    """The operators and the objects of a problem by their names in lower case."""

    operators: Mapping[str, Any]
    objects: Mapping[str, Any]

    @classmethod
    def of(cls, problem: Any) -> _Names:
        return cls({a.name.lower(): a for a in problem.actions}, {o.name.lower(): o for o in problem.all_objects})

    def args(self, step: Step) -> list[Any] | None:
        """The objects of a step, in the operator's order; None where something is wrong with it."""
        operator = self.operators.get(step.name)
        ordered = None if operator is None else _in_order(step, operator)
        if ordered is None or not all(a in self.objects for a in ordered):
            return None
        args = [self.objects[a] for a in ordered]
        return None if any(self._wrong_types(args, operator)) else args

    def wrong_with(self, step: Step) -> Iterator[str]:
        """What is wrong with a step: its operator, the number of its arguments, each of these."""
        operator = self.operators.get(step.name)
        ordered = None if operator is None else _in_order(step, operator)
        if operator is None:
            yield _unknown(step.name, self.operators, "operator")
        elif ordered is None:
            takes = f"{step.name} takes {', '.join(p.name for p in operator.parameters) or 'nothing'}"
            yield f"{takes}; given: {', '.join(step.named or step.args) or 'nothing'}"
        given = step.args if step.named is None else tuple(step.named.values())
        unknown = [a for a in dict.fromkeys(given) if a not in self.objects]
        yield from (_unknown(a, self.objects, "object") for a in unknown)
        if ordered is not None and not unknown:
            yield from self._wrong_types([self.objects[a] for a in ordered], operator)

    def _wrong_types(self, args: list[Any], operator: Any) -> Iterator[str]:
        for given, parameter in zip(args, operator.parameters, strict=True):
            if not parameter.type.is_compatible(given.type):
                of = f"{operator.name}'s {parameter.name} is of type {parameter.type.name}"
                fitting = [n for n, o in self.objects.items() if parameter.type.is_compatible(o.type)]
                there = _valid(fitting) if fitting else "the problem has none"
                yield f"{given.name} is of type {given.type.name}, but {of}; {there}"


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
