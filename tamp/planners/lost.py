"""Goals that hold in the beginning, are lost for good when they are lost, and so shut out other goals."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

from tamp.pddl.conditions import written
from tamp.planners.answer import Lost
from tamp.planners.relaxed import Literal, Relaxed, in_pddl, parts, relax
from tamp.plans.repair import literal_of, shown

MOST_GOALS = 20
"""Goals that are looked at: each takes as long as looking for what can never hold."""


def lost_for_good(relaxed: Relaxed, ground: Any) -> list[Lost]:
    """The goals that hold at first and that no possible action makes true, each with the goals that cannot be reached
    without an action that makes it false.

    `ground` is what grounding gave, `relaxed` the fixpoint over it. Each is a proof: a plan keeps such a goal from its
    beginning to its end, so that it has none of those actions.
    """
    goals, found = parts(relaxed.problem.goals), []
    actions = [a for a in ground.problem.actions if all(map(relaxed.possible, a.preconditions))]
    for kept in itertools.islice(_never_made(goals, relaxed, actions), MOST_GOALS):
        spoiling = [a for a in actions if _makes_false(a, kept)]
        if not spoiling:
            continue
        rest = relax(relaxed.problem, [a for a in actions if a not in spoiling])
        if without := [written(g) for g in goals if not rest.possible(g)]:
            found.append(Lost(in_pddl(kept), _written(spoiling, ground), tuple(without)))
    return found


def _never_made(goals: Iterable[Any], relaxed: Relaxed, actions: list[Any]) -> Iterator[Literal]:
    """The goals that are literals, hold in the beginning, and that none of the actions could make true."""
    for literal in filter(None, map(literal_of, goals)):
        atom, wanted = literal
        if relaxed.initial(atom) == wanted and not any(_may_make(e, literal) for a in actions for e in a.effects):
            yield literal


def _may_make(effect: Any, literal: Literal) -> bool:
    atom, wanted = literal
    return effect.fluent == atom and not (
        effect.value.is_bool_constant() and effect.value.bool_constant_value() != wanted
    )


def _makes_false(action: Any, literal: Literal) -> bool:
    """Whether an action makes a literal false whatever the state is."""
    atom, wanted = literal
    return any(
        e.fluent == atom
        and not e.is_conditional()
        and e.value.is_bool_constant()
        and e.value.bool_constant_value() != wanted
        for e in action.effects
    )


def _written(actions: Iterable[Any], ground: Any) -> tuple[str, ...]:
    """Ground actions as they are written with the problem's operators."""
    from unified_planning.plans import ActionInstance

    return tuple(shown(ground.map_back_action_instance(ActionInstance(a))) for a in actions)
