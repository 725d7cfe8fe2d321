"""What would help a plan that fails: an action that makes a literal true and can be done there, or could before."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from tamp.pddl.conditions import shown, written
from tamp.pddl.simulation import Simulator

MOST_TRIED = 1000
"""Ground actions that are tried for all the literals of one verdict."""
MOST_EARLIER = 1000
"""Times that an action is tried in an earlier state of a plan, for one literal."""

Literal = tuple[Any, bool]
"""unified-planning's expression of a ground atom, and the value that it is to have."""


def hint(
    simulator: Simulator,
    states: Sequence[Any],
    condition: Any,
    step: Any = None,
    most: int = MOST_TRIED,
    lost: int | None = None,
) -> str:
    """What makes a condition true that is false in the last of a plan's states, in words; empty for what is no literal.

    At most so many ground actions are tried. Better than any is an action after which `step`, which needs the
    condition, can be taken. Where none can be done, it is the one that could be done last in an earlier state, after
    step `lost` that made the condition false.
    """
    literal = literal_of(condition)
    if literal is None:
        return ""
    producers = list(_producers(simulator.problem, literal))
    if not producers:
        return "no operator makes it true"
    candidates = _candidates(simulator.problem, producers, () if step is None else step.actual_parameters)
    some, all_tried = list(itertools.islice(candidates, most)), next(candidates, None) is None
    helpful = [(a, after) for a in some if (after := _made(simulator, states[-1], a, literal)) is not None]
    if helpful:
        enabling = (a for a, after in helpful if step is not None and simulator.after(after, step) is not None)
        return f"{shown(next(enabling, helpful[0][0]))} makes it true and can be done there"
    looks = itertools.product(range(len(states) - 2, (lost or 0) - 1, -1), some)
    for n, action in itertools.islice(looks, MOST_EARLIER):
        if _holds(states[n], literal[0]) != literal[1] and _made(simulator, states[n], action, literal) is not None:
            return _not_here(simulator, action, n, states[-1], step)
    return "no action that can be done there makes it true" if all_tried else ""


def literal_of(condition: Any) -> Literal | None:
    """The atom of a literal, and whether it is wanted true; None for any other condition."""
    wanted = not condition.is_not()
    atom = condition if wanted else condition.arg(0)
    return (atom, wanted) if atom.is_fluent_exp() and atom.type.is_bool_type() else None


def may_make(effect: Any, literal: Literal) -> dict[Any, Any] | None:
    """What an operator's parameters have to be for an effect to make a literal true; None where it cannot."""
    atom, wanted = literal
    if effect.fluent.fluent() != atom.fluent() or not effect.is_assignment():
        return None
    if effect.value.is_bool_constant() and effect.value.bool_constant_value() != wanted:
        return None
    given: dict[Any, Any] = {}
    for part, named in zip(effect.fluent.args, atom.args, strict=True):
        if part.is_parameter_exp():
            if given.setdefault(part.parameter(), named) != named:
                return None
        elif not part.is_variable_exp() and part != named:  # a variable of a forall can be any object
            return None
    return given


def instances(problem: Any, operator: Any, given: dict[Any, Any], near: Sequence[Any] = ()) -> Iterator[Any]:
    """ActionInstances of an operator with some of its arguments given, with those that are `near` first."""
    from unified_planning.plans import ActionInstance

    manager, choices = problem.environment.expression_manager, []
    for parameter in operator.parameters:
        there = [manager.ObjectExp(o) for o in problem.objects(parameter.type)]
        if parameter in given:
            choices.append([o for o in there if o == given[parameter]])
        else:
            choices.append(sorted(there, key=lambda o: o not in near))
    return (ActionInstance(operator, arguments) for arguments in itertools.product(*choices))


def _producers(problem: Any, literal: Literal) -> Iterator[tuple[Any, dict[Any, Any]]]:
    """Operators with an effect that makes a literal true, and what that says of their parameters."""
    for operator in problem.actions:
        for effect in operator.effects:
            if (given := may_make(effect, literal)) is not None:
                yield operator, given


def _candidates(problem: Any, producers: Sequence[tuple[Any, dict[Any, Any]]], near: Sequence[Any]) -> Iterator[Any]:
    return itertools.chain.from_iterable(instances(problem, operator, given, near) for operator, given in producers)


def _made(simulator: Simulator, state: Any, action: Any, literal: Literal) -> Any:
    """The state after an action that makes a literal true; None where it cannot be done or does not."""
    after = simulator.after(state, action)
    return after if after is not None and _holds(after, literal[0]) == literal[1] else None


def _not_here(simulator: Simulator, action: Any, before: int, here: Any, step: Any) -> str:
    """That an action can be done before a step, counted from 0, and what it lacks here: the end, without `step`."""
    lacking = " and ".join(map(written, simulator.unmet(here, action)))
    where = "here" if step is not None else "at the end"
    because = f": it needs {lacking}" if lacking else ""
    return f"{shown(action)} makes it true; it can be done before step {before + 1}, not {where}{because}"


def _holds(state: Any, atom: Any) -> bool:
    return bool(state.get_value(atom).bool_constant_value())
