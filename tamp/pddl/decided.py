"""What of a problem is the same in every state: engines stumble over it."""

from __future__ import annotations

from typing import Any


def undecided(problem: Any) -> Any:
    """The problem without goals that always hold and actions that change nothing; itself where it has none.

    A goal that never holds becomes a fact that no action gives. Any engine finds out that there is no plan for such a
    fact, whereas most fail on the constant, and on an action without an effect.
    """
    goals = [goal.simplify() for goal in problem.goals]
    actions = [action for action in problem.actions if _acts(action)]
    if len(actions) == len(problem.actions) and not any(goal.is_bool_constant() for goal in goals):
        return problem
    copy = problem.clone()
    copy.clear_actions()
    copy.add_actions([action.clone() for action in actions])
    copy.clear_goals()
    for goal in goals:
        if not goal.is_bool_constant():
            copy.add_goal(goal)
    if any(goal.is_false() for goal in goals):
        copy.add_goal(_never(copy))
    return copy


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


def _acts(action: Any) -> bool:
    """Whether an action may change anything. A durative one takes time at least."""
    return not hasattr(action, "preconditions") or any(not e.condition.simplify().is_false() for e in action.effects)


def _never(problem: Any) -> Any:
    from unified_planning.shortcuts import Fluent

    name = "never"
    while problem.has_name(name):
        name += "-"
    return problem.add_fluent(Fluent(name, environment=problem.environment), default_initial_value=False)()


def settled(problem: Any) -> Any:
    """The problem without what preconditions say of atoms that no action changes, and without actions that can never be
    done. Itself where nothing of it is shorter.

    Fast Downward makes of a precondition all the ways in which it can hold, also those in which it never does.
    """
    from unified_planning.model.walkers import Simplifier

    simplifier, copy = Simplifier(problem.environment, problem), problem.clone()
    copy.clear_actions()
    shorter = False
    for action in problem.actions:
        made, before = action.clone(), getattr(action, "preconditions", [])
        needs = [simplifier.simplify(c) for c in before]
        shorter |= needs != before
        if any(c.is_false() for c in needs):
            continue
        if before:
            made.clear_preconditions()
        for condition in needs:
            made.add_precondition(condition)
        copy.add_action(made)
    return copy if shorter else problem
