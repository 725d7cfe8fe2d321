"""Goals that an atom be false, put so that Fast Downward's heuristics count them.

For taking eight things off a table, `(not (on ?o table))` for each, it searches for more than a minute; put so that
eight facts become true it takes less than half a second.
"""

from __future__ import annotations

from typing import Any


def complemented(problem: Any) -> Any:
    """The problem with a positive fact, true where the atom is false, for each negated atom in its goals; itself
    where there are none. Operators keep their names and parameters.
    """
    negated = [atom for goal in problem.goals for atom in _negated(goal)]
    if not negated:
        return problem
    copy = problem.clone()
    opposites = {f: _opposite(copy, f) for f in dict.fromkeys(atom.fluent() for atom in negated)}
    for action in copy.actions:
        for effect in list(action.effects):
            if (opposite := opposites.get(effect.fluent.fluent())) is not None:
                action._add_effect_instance(_mirrored(effect, opposite))
    for atom, value in problem.explicit_initial_values.items():
        if (opposite := opposites.get(atom.fluent())) is not None:
            copy.set_initial_value(opposite(*atom.args), value.is_false())
    copy.clear_goals()
    for goal in problem.goals:
        copy.add_goal(_positive(goal, opposites))
    return copy


def _negated(condition: Any) -> list[Any]:
    """The atoms that are negated under `and`, `or` and quantifiers."""
    if condition.is_not() and condition.arg(0).is_fluent_exp():
        return [condition.arg(0)]
    return [a for part in condition.args for a in _negated(part)] if _is_seen_through(condition) else []


def _positive(condition: Any, opposites: dict[Any, Any]) -> Any:
    """The condition with those atoms' opposites."""
    if condition.is_not() and condition.arg(0).is_fluent_exp():
        atom = condition.arg(0)
        return opposites[atom.fluent()](*atom.args)
    if not _is_seen_through(condition):
        return condition
    manager = condition.environment.expression_manager
    parts = [_positive(part, opposites) for part in condition.args]
    if condition.is_forall():
        return manager.Forall(*parts, *condition.variables())
    if condition.is_exists():
        return manager.Exists(*parts, *condition.variables())
    return manager.And(parts) if condition.is_and() else manager.Or(parts)


def _is_seen_through(condition: Any) -> bool:
    return bool(condition.is_and() or condition.is_or() or condition.is_forall() or condition.is_exists())


def _opposite(problem: Any, fluent: Any) -> Any:
    from unified_planning.shortcuts import Fluent

    name = f"not-{fluent.name}"
    while problem.has_name(name):
        name += "-"
    opposite = Fluent(name, fluent.type, fluent.signature, fluent.environment)
    return problem.add_fluent(opposite, default_initial_value=True)


def _mirrored(effect: Any, opposite: Any) -> Any:
    value = opposite.environment.expression_manager.Not(effect.value).simplify()
    return type(effect)(opposite(*effect.fluent.args), value, effect.condition, effect.kind, effect.forall)
