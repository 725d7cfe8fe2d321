"""What would help a plan that fails: an action that makes a literal true and can be done there."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from tamp.pddl.conditions import written

MOST_TRIED = 1000
"""Ground actions that are looked at for all the literals of one verdict."""


def hint(simulator: Any, problem: Any, state: Any, condition: Any, step: Any = None, most: int = MOST_TRIED) -> str:
    """What makes a condition true that is false in `state`, in words; empty for what is no literal.

    At most so many ground actions are tried.

    Better than any is an action after which `step`, which needs the condition, can be taken.
    """
    from unified_planning.plans import ActionInstance

    wanted = not condition.is_not()
    atom = condition if wanted else condition.arg(0)
    if not atom.is_fluent_exp() or not atom.type.is_bool_type():
        return ""
    producers = list(_producers(problem, atom, wanted))
    if not producers:
        return "no operator makes it true"
    near = step.actual_parameters if step is not None else ()
    candidates = itertools.chain.from_iterable(
        (ActionInstance(action, some) for some in _completed(problem, action, given, near))
        for action, given in producers
    )
    helpful = [
        (candidate, after)
        for candidate in itertools.islice(candidates, most)
        if simulator.is_applicable(state, candidate)
        and _holds(after := simulator.apply_unsafe(state, candidate), atom) == wanted
    ]
    if not helpful:
        return "no action that can be done there makes it true" if next(candidates, None) is None else ""
    enabling = (c for c, after in helpful if step is not None and simulator.is_applicable(after, step))
    best = next(enabling, helpful[0][0])
    shown = " ".join((best.action.name, *map(written, best.actual_parameters)))
    return f"({shown}) makes it true and can be done there"


def _holds(state: Any, atom: Any) -> bool:
    return bool(state.get_value(atom).bool_constant_value())


def _producers(problem: Any, atom: Any, wanted: bool) -> Iterator[tuple[Any, dict[Any, Any]]]:
    """Operators with an effect that makes the atom true, or false, and what that says of their parameters."""
    for action in problem.actions:
        for effect in action.effects:
            if effect.fluent.fluent() != atom.fluent() or not effect.is_assignment():
                continue
            if effect.value.is_bool_constant() and effect.value.bool_constant_value() != wanted:
                continue
            given = unified(effect.fluent.args, atom.args)
            if given is not None:
                yield action, given


def unified(pattern: Sequence[Any], objects: Sequence[Any]) -> dict[Any, Any] | None:
    """The parameters that have to be which objects; None when they cannot be. Variables of a forall can be any."""
    given: dict[Any, Any] = {}
    for part, named in zip(pattern, objects, strict=True):
        if part.is_parameter_exp():
            if given.setdefault(part.parameter(), named) != named:
                return None
        elif not part.is_variable_exp() and part != named:
            return None
    return given


def _completed(problem: Any, action: Any, given: dict[Any, Any], near: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """Arguments of the action with those that are given, of the right types."""
    manager, choices = problem.environment.expression_manager, []
    for parameter in action.parameters:
        there = [manager.ObjectExp(o) for o in problem.objects(parameter.type)]
        if parameter in given:
            choices.append([o for o in there if o == given[parameter]])
        else:
            choices.append(sorted(there, key=lambda o: o not in near))
    yield from itertools.product(*choices)
