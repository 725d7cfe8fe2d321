"""Put problems so that engines take them and are fast: without what is the same in every state, and without goals that
an atom be false."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def simplified(problem: Any, static: bool = False) -> Any:
    """The problem without conditions and goals that always hold, and without actions that change nothing or can never
    be done; itself where nothing of it is shorter. `static`: atoms that no action changes are decided, too.

    A goal that never holds becomes a fact that no action gives. Any engine finds out that there is no plan for such a
    fact, whereas most fail on the constant, and on an action without an effect. Of preconditions Fast Downward makes
    all the ways in which they can hold, also those in which they never do; of a conditional effect that never comes
    about a compiler makes another action.
    """
    from unified_planning.model.walkers import Simplifier

    simplify = Simplifier(problem.environment, problem if static else None).simplify
    actions = [_simplified_action(action, simplify) for action in problem.actions]
    goals = [simplify(goal) for goal in problem.goals]
    same = all(new is old for new, old in zip(actions, problem.actions, strict=True))
    if same and not any(goal.is_bool_constant() for goal in goals):
        return problem
    copy = problem.clone()
    copy.clear_actions()
    copy.add_actions([action.clone() for action in actions if action is not None])
    copy.clear_goals()
    for goal in goals:
        if not goal.is_bool_constant():
            copy.add_goal(goal)
    if any(goal.is_false() for goal in goals):
        copy.add_goal(_never(copy))
    return copy


def _simplified_action(action: Any, simplify: Callable[[Any], Any]) -> Any:
    """The action, itself where nothing of it is shorter; None where it can never be done or changes nothing. One that
    lasts takes time at least."""
    if not hasattr(action, "preconditions"):
        return action
    needs = [simplify(c) for c in action.preconditions]
    conditions = [simplify(e.condition) for e in action.effects]
    if any(c.is_false() for c in needs) or all(c.is_false() for c in conditions):
        return None
    if needs == action.preconditions and not any(c.is_false() for c in conditions):
        return action
    made, effects = action.clone(), [e for e, c in zip(action.effects, conditions, strict=True) if not c.is_false()]
    made.clear_preconditions()
    made.clear_effects()
    for need in needs:
        made.add_precondition(need)
    for effect in effects:
        made._add_effect_instance(effect)
    return made


def _never(problem: Any) -> Any:
    from unified_planning.shortcuts import Fluent

    name = "never"
    while problem.has_name(name):
        name += "-"
    return problem.add_fluent(Fluent(name, environment=problem.environment), default_initial_value=False)()


def without_idle_effects(problem: Any) -> Any:
    """The problem without conditional effects whose condition, an atom that no action makes true, does not hold at the
    beginning; what is said of all objects is said of those for which it does. Itself where it has none.

    A compiler that takes out conditional effects makes two actions for each of them.
    """
    given = {e.fluent.fluent() for a in problem.actions for e in a.effects if not e.value.is_false()}
    rows: dict[Any, list[Any]] = {f: [] for f in problem.fluents if f not in given}
    for atom, value in problem.explicit_initial_values.items():
        if value.is_true() and atom.fluent() in rows:
            rows[atom.fluent()].append(atom.args)
    if not any(_waits(e, rows) for a in problem.actions for e in a.effects):
        return problem
    copy = problem.clone()
    for action in copy.actions:
        effects = [kept for e in action.effects for kept in (_that_may(e, rows) if _waits(e, rows) else [e])]
        action.clear_effects()
        for effect in effects:
            action._add_effect_instance(effect)
    return copy


def _waits(effect: Any, rows: dict[Any, list[Any]]) -> bool:
    """Whether it is an effect on an atom of a predicate that no action makes true."""
    return bool(effect.condition.is_fluent_exp() and effect.condition.fluent() in rows)


def _that_may(effect: Any, rows: dict[Any, list[Any]]) -> list[Any]:
    """The effect for each initial atom that is its condition, quantified variables bound to that atom's objects."""
    places = {a.variable(): (n, a) for n, a in enumerate(effect.condition.args) if a.is_variable_exp()}
    bound = {v: places[v] for v in effect.forall if v in places}
    left = tuple(v for v in effect.forall if v not in bound)
    found: dict[Any, Any] = {}
    for row in rows[effect.condition.fluent()]:
        if not all(v.type.is_compatible(row[n].type) for v, (n, _) in bound.items()):
            continue
        values = {a: row[n] for n, a in bound.values()}
        parts = [e.substitute(values) for e in (effect.fluent, effect.value, effect.condition)]
        found[parts[2]] = type(effect)(*parts, effect.kind, left)
    return list(found.values())


def complemented(problem: Any) -> Any:
    """The problem with a positive fact, true where the atom is false, for each negated atom in its goals; itself
    where there are none. Operators keep their names and parameters.

    Fast Downward's heuristics count such facts: to take eight things off a table, `(not (on ?o table))` for each, it
    searches for more than a minute; put so that eight facts become true it takes less than half a second.
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
