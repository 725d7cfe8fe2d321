"""What a step of a plan changed, and which step made a condition false."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tamp.pddl.conditions import given_to, unheld, written


def lost_at(problem: Any, condition: Any, actions: Sequence[Any], states: Sequence[Any]) -> int | None:
    """The number of the last step before which a condition held that is false in the last state; None without one.

    `states[n]` is the one after `actions[:n]`. Only steps that may change what the condition is about are looked at.
    """
    fluents = problem.environment.free_vars_extractor.get(condition)
    for number in range(len(states) - 1, 0, -1):
        if _may_change(actions[number - 1], fluents) and not unheld(problem, [condition], states[number - 1]):
            return number
    return None


def changed(problem: Any, action: Any, before: Any, after: Any) -> tuple[str, ...]:
    """The literals that an ActionInstance made true between two states, and the numbers that it changed, in PDDL."""
    given, told = given_to(action), []
    for effect in action.action.effects:
        for one in effect.expand_effect(problem):
            fluent = one.fluent.substitute(given)
            value = after.get_value(fluent)
            if value != before.get_value(fluent):
                told.append(_told(fluent, value))
    return tuple(dict.fromkeys(told))


def _told(fluent: Any, value: Any) -> str:
    if not value.is_bool_constant():
        return f"(= {written(fluent)} {value})"
    return written(fluent) if value.bool_constant_value() else f"(not {written(fluent)})"


def _may_change(action: Any, fluents: set[Any]) -> bool:
    given = given_to(action)
    return any(
        effect.fluent.fluent() == fluent.fluent()
        and all(map(_may_be, (_argument(a, given) for a in effect.fluent.args), fluent.args))
        for effect in action.action.effects
        for fluent in fluents
    )


def _argument(written: Any, given: dict[Any, Any]) -> Any:
    return given[written.parameter()] if written.is_parameter_exp() else written


def _may_be(one: Any, other: Any) -> bool:
    """Whether two arguments can be the same object: a variable, or what a function gives, can be any."""
    return bool(one == other or not (one.is_object_exp() and other.is_object_exp()))
