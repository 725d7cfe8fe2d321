"""A plan's steps as actions of a problem, or which name in them it does not have."""

from __future__ import annotations

import difflib
from collections.abc import Collection
from typing import Any

from tamp.errors import InputError
from tamp.plans.steps import PlanFile, Step


def resolve(plan: PlanFile, problem: Any) -> list[Any]:
    """unified-planning's ActionInstance of each step.

    InputError with file, line and step for an operator or an object that the problem does not have, a wrong number
    of arguments or one of a wrong type: such a plan belongs to another domain or problem.
    """
    from unified_planning.plans import ActionInstance

    operators = {a.name.lower(): a for a in problem.actions}
    objects = {o.name.lower(): o for o in problem.all_objects}
    manager, made = problem.environment.expression_manager, []
    for number, step in enumerate(plan.steps, 1):
        where = f"{plan.name}:{step.line}" if step.line else plan.name
        try:
            operator = _known(step.name, operators, "operator")
            args = [_known(a, objects, "object") for a in _in_order(step, operator)]
            _check_types(args, operator)
        except InputError as e:
            raise InputError(f"{where}: step {number}, {step}: {e}") from e
        made.append(ActionInstance(operator, tuple(map(manager.ObjectExp, args))))
    return made


def _known(name: str, there: dict[str, Any], what: str) -> Any:
    if name in there:
        return there[name]
    near = difflib.get_close_matches(name, there, 1)
    raise InputError(f"there is no {what} {name!r}; {_valid(near or there)}")


def _in_order(step: Step, operator: Any) -> tuple[str, ...]:
    names = [p.name for p in operator.parameters]
    if step.named is not None and sorted(step.named) == sorted(names):
        return tuple(step.named[n] for n in names)
    given = len(step.args) if step.named is None else None
    if given != len(names):
        takes = f"{step.name} takes {', '.join(names) or 'nothing'}"
        raise InputError(f"{takes}; given: {', '.join(step.named or step.args) or 'nothing'}")
    return step.args


def _check_types(args: list[Any], operator: Any) -> None:
    for given, parameter in zip(args, operator.parameters, strict=True):
        if not parameter.type.is_compatible(given.type):
            of = f"{operator.name}'s {parameter.name} is of type {parameter.type.name}"
            raise InputError(f"{given.name} is of type {given.type.name}, but {of}")


def _valid(names: Collection[str]) -> str:
    shown = sorted(names)
    return f"valid: {', '.join(shown[:10])}{', …' if len(shown) > 10 else ''}"
