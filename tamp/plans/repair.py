"""What would help a plan that fails: an action that makes a literal true and can be done there, or could before."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from tamp.pddl.conditions import given_to, unheld, written

MOST_TRIED = 1000
"""Ground actions that are looked at for all the literals of one verdict."""


MOST_LOOKED = 1000
"""Times that an earlier state of a plan is looked at for an action that could be done there, for one literal."""


def hint(
    simulator: Any,
    problem: Any,
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
    atom, wanted = literal
    some, all_tried = achievers(problem, condition, step, most)
    if some is None:
        return "no operator makes it true"
    helpful = [(a, after) for a in some if (after := _made(simulator, states[-1], a, atom, wanted)) is not None]
    if not helpful:
        earlier = _earlier(simulator, states[:-1], some, literal, lost or 0)
        if earlier is not None:
            return _not_here(problem, *earlier, states[-1], step)
        return "no action that can be done there makes it true" if all_tried else ""
    enabling = (c for c, after in helpful if step is not None and simulator.is_applicable(after, step))
    return f"{shown(next(enabling, helpful[0][0]))} makes it true and can be done there"


def literal_of(condition: Any) -> tuple[Any, bool] | None:
    """The atom of a literal, and whether it is wanted true; None for any other condition."""
    wanted = not condition.is_not()
    atom = condition if wanted else condition.arg(0)
    return (atom, wanted) if atom.is_fluent_exp() and atom.type.is_bool_type() else None


def achievers(problem: Any, condition: Any, step: Any, most: int) -> tuple[list[Any] | None, bool]:
    """Ground actions that may make a literal true, those about what `step` is about first, and whether that is all of
    them; None where no operator does."""
    from unified_planning.plans import ActionInstance

    wanted = not condition.is_not()
    producers = list(_producers(problem, condition if wanted else condition.arg(0), wanted))
    if not producers:
        return None, True
    near = step.actual_parameters if step is not None else ()
    candidates = itertools.chain.from_iterable(
        (ActionInstance(action, some) for some in completed(problem, action, given, near))
        for action, given in producers
    )
    return list(itertools.islice(candidates, most)), next(candidates, None) is None


def changers(problem: Any, condition: Any, step: Any, most: int) -> list[Any]:
    """Ground actions, at most so many, that change something of what a condition is about: numbers, or one of several
    facts. Those about what `step` is about come first."""
    from unified_planning.plans import ActionInstance

    near = step.actual_parameters if step is not None else ()
    pairs = (
        (action, given)
        for fluent in sorted(problem.environment.free_vars_extractor.get(condition), key=str)
        for action in problem.actions
        for effect in action.effects
        if effect.fluent.fluent() == fluent.fluent() and (given := unified(effect.fluent.args, fluent.args)) is not None
    )
    some = (ActionInstance(a, args) for a, given in pairs for args in completed(problem, a, given, near))
    return list(itertools.islice(some, most))


def shown(action: Any) -> str:
    """An ActionInstance in PDDL."""
    return f"({' '.join((action.action.name, *map(written, action.actual_parameters)))})"


def _made(simulator: Any, state: Any, action: Any, atom: Any, wanted: bool) -> Any:
    """The state after an action that makes an atom true, or false; None where it cannot be done or does not."""
    if not simulator.is_applicable(state, action):
        return None
    after = simulator.apply_unsafe(state, action)
    return after if _holds(after, atom) == wanted else None


def _earlier(
    simulator: Any, states: Sequence[Any], actions: Sequence[Any], literal: tuple[Any, bool], first: int
) -> tuple[Any, int] | None:
    """The action that makes a literal true in the latest of the states from `first` on, and that state's number."""
    looks = itertools.product(range(len(states) - 1, first - 1, -1), actions)
    for n, action in itertools.islice(looks, MOST_LOOKED):
        if _holds(states[n], literal[0]) != literal[1] and _made(simulator, states[n], action, *literal) is not None:
            return action, n
    return None


def _not_here(problem: Any, action: Any, before: int, here: Any, step: Any) -> str:
    """That an action can be done before a step, counted from 0, and what it lacks here: the end, without `step`."""
    lacking = unheld(problem, [c.substitute(given_to(action)) for c in action.action.preconditions], here)
    needs = f": it needs {' and '.join(map(written, lacking))}" if lacking else ""
    where = "here" if step is not None else "at the end"
    return f"{shown(action)} makes it true; it can be done before step {before + 1}, not {where}{needs}"


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


def completed(problem: Any, action: Any, given: dict[Any, Any], near: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """Arguments of the action with those that are given, of the right types; those that are `near` first."""
    manager, choices = problem.environment.expression_manager, []
    for parameter in action.parameters:
        there = [manager.ObjectExp(o) for o in problem.objects(parameter.type)]
        if parameter in given:
            choices.append([o for o in there if o == given[parameter]])
        else:
            choices.append(sorted(there, key=lambda o: o not in near))
    yield from itertools.product(*choices)
