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


def _acts(action: Any) -> bool:
    """Whether an action may change anything. A durative one takes time at least."""
    return not hasattr(action, "preconditions") or any(not e.condition.simplify().is_false() for e in action.effects)


def _never(problem: Any) -> Any:
    from unified_planning.shortcuts import Fluent

    name = "never"
    while problem.has_name(name):
        name += "-"
    return problem.add_fluent(Fluent(name, environment=problem.environment), default_initial_value=False)()
