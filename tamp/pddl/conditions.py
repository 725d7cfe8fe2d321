"""unified-planning's conditions: which parts of one are false in a state, the numbers in it, and both in PDDL."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any

Literal = tuple[Any, bool]
"""unified-planning's expression of a ground atom, and the value that it is to have."""

Value = tuple[str, int | float | str | None]
"""A function with its arguments in PDDL, and its number or object in a state; None where it has no value."""

MOST_VALUES = 10
"""Values that are reported of one condition: one about all objects may have very many."""

_WRITTEN = {
    "and": "is_and",
    "or": "is_or",
    "not": "is_not",
    "imply": "is_implies",
    "=": "is_equals",
    "<=": "is_le",
    "<": "is_lt",
    "+": "is_plus",
    "-": "is_minus",
    "*": "is_times",
    "/": "is_div",
}


def unheld(problem: Any, conditions: Iterable[Any], state: Any) -> list[Any]:
    """The parts of conditions that are false in a state: conjunctions are taken apart, for all objects too.

    The conditions have no parameters left. In the order in which they stand, each once. A comparison with a number
    that has no value is false, as PDDL has it.
    """
    from unified_planning.exceptions import UPUsageError
    from unified_planning.model.walkers import StateEvaluator

    false, left = [], list(conditions)[::-1]
    evaluator: Any = None
    while left:
        condition = left.pop()
        if condition.is_and():
            left.extend(reversed(condition.args))
        elif condition.is_forall():
            left.extend(reversed(_instances(problem, condition)))
        else:
            evaluator = evaluator or StateEvaluator(problem)
            try:
                holds = evaluator.evaluate(condition, state).bool_constant_value()
            except (UPUsageError, ArithmeticError):  # no value in this state, or a division by zero
                holds, evaluator = False, None  # an evaluator that has raised cannot be asked again
            if not holds:
                false.append(condition)
    return list(dict.fromkeys(false))


def values_in(problem: Any, condition: Any, state: Any) -> tuple[Value, ...]:
    """What the functions in a condition are in a state, at most `MOST_VALUES`, in the order in which they stand.

    The condition has no parameters left. What it says of all objects, or of some, is said of each.
    """
    some = itertools.islice(dict.fromkeys(_functions(problem, condition)), MOST_VALUES)
    return tuple((written(f), _value(problem, f, state)) for f in some)


def needs(literals: Sequence[str], values: Iterable[Value] = ()) -> str:
    """What is missing, in words, with the values of the numbers in it."""
    numbers = [f"{of} has no value" if value is None else f"{of} is {value}" for of, value in dict.fromkeys(values)]
    shown = f": {', '.join(numbers)}" if numbers else ""
    return f"needs {' and '.join(literals)}, which {'do' if len(literals) > 1 else 'does'} not hold then{shown}"


def _functions(problem: Any, expression: Any) -> Iterator[Any]:
    if expression.is_forall() or expression.is_exists():
        for one in _instances(problem, expression):
            yield from _functions(problem, one)
    elif expression.is_fluent_exp() and not expression.type.is_bool_type():
        yield expression
    else:
        for part in expression.args:
            yield from _functions(problem, part)


def _value(problem: Any, function: Any, state: Any) -> int | float | str | None:
    from unified_planning.exceptions import UPUsageError
    from unified_planning.model.walkers import StateEvaluator

    try:
        value = StateEvaluator(problem).evaluate(function, state)
    except UPUsageError:
        return None
    if not (value.is_int_constant() or value.is_real_constant()):
        return str(value)
    number = value.constant_value()
    return int(number) if number == int(number) else float(number)


def _instances(problem: Any, quantified: Any) -> list[Any]:
    variables = quantified.variables()
    manager = problem.environment.expression_manager
    objects = [list(problem.objects(v.type)) for v in variables]
    return [
        quantified.arg(0).substitute(
            {manager.VariableExp(v): manager.ObjectExp(o) for v, o in zip(variables, some, strict=True)}
        )
        for some in itertools.product(*objects)
    ]


def parts(conditions: Iterable[Any]) -> list[Any]:
    """Conditions with their conjunctions taken apart, each once."""
    left, found = list(conditions)[::-1], []
    while left:
        condition = left.pop()
        if condition.is_and():
            left.extend(reversed(condition.args))
        else:
            found.append(condition)
    return list(dict.fromkeys(found))


def within(condition: Any) -> Iterator[Any]:
    """A condition and all that is in it."""
    left = [condition]
    while left:
        one = left.pop()
        yield one
        left += one.args


def is_atom(condition: Any) -> bool:
    """Whether it is a fluent that is true or false."""
    return bool(condition.is_fluent_exp() and condition.type.is_bool_type())


def literal_of(condition: Any) -> Literal | None:
    """The atom of a literal, and whether it is wanted true; None for any other condition."""
    wanted = not condition.is_not()
    atom = condition if wanted else condition.arg(0)
    return (atom, wanted) if is_atom(atom) else None


def given_to(action: Any) -> dict[Any, Any]:
    """The parameters of unified-planning's ActionInstance and what they are."""
    return dict(zip(action.action.parameters, action.actual_parameters, strict=True))


def written(condition: Any) -> str:
    """One of unified-planning's conditions in PDDL."""
    if condition.is_fluent_exp():
        return f"({' '.join((condition.fluent().name, *map(written, condition.args)))})"
    for word, kind in _WRITTEN.items():
        if getattr(condition, kind)():
            return f"({' '.join((word, *map(written, condition.args)))})"
    if condition.is_forall() or condition.is_exists():
        word = "forall" if condition.is_forall() else "exists"
        variables = " ".join(f"?{v.name} - {v.type.name}" for v in condition.variables())
        return f"({word} ({variables}) {written(condition.arg(0))})"
    if condition.is_real_constant() and Fraction(repr(float(condition.constant_value()))) == condition.constant_value():
        return repr(float(condition.constant_value()))  # as a domain has it; (/ 10 3) has no such form
    named = condition.is_parameter_exp() or condition.is_variable_exp()
    return f"?{condition}" if named else str(condition)


def shown(action: Any) -> str:
    """An ActionInstance in PDDL."""
    return f"({' '.join((action.action.name, *map(written, action.actual_parameters)))})"
