"""What would make a whole plan valid that is not: two of its steps exchanged, one moved, one left out, or one more."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tamp.pddl.conditions import unheld
from tamp.plans.repair import achievers, literal_of, shown

LONGEST = 40
"""Steps of a plan of which changes are tried."""
MOST_FOLLOWED = 1000
"""Steps that are tried for one plan, of all the changes of it together."""
MOST_ADDED = 20
"""Ground actions that are tried as one step more, for each literal that is missing."""

Follow = Callable[[Any, Any], Any]
"""The state after an action in a state; None where it cannot be done."""


@dataclass(frozen=True)
class Change:
    """A plan with one change, in words. The steps before number `first`, from 0, are as they were."""

    words: str
    first: int
    actions: tuple[Any, ...]


def mend(
    problem: Any, follow: Follow, actions: Sequence[Any], states: Sequence[Any], unmet: Sequence[Any], step: Any = None
) -> str:
    """The first change that makes a plan valid, in words: `valid with steps 1 and 2 exchanged`. Empty when none does,
    for long plans, and when it takes too long to find out.

    `states` are those before each step that could be taken, and the one in which the conditions `unmet` are false,
    which `step` needs, or without it the goal.
    """
    if len(actions) > LONGEST:
        return ""
    last, tries = len(states) - 1, MOST_FOLLOWED
    other_orders = itertools.chain(_exchanged(actions, last), _moved(actions, last), _without(actions, last))
    for change in itertools.chain(other_orders, _more(problem, actions, last, unmet, step)):
        state = states[change.first]
        for action in change.actions[change.first :]:
            tries -= 1
            if tries < 0:
                return ""
            state = follow(state, action)
            if state is None:
                break
        if state is not None and not unheld(problem, problem.goals, state):
            return f"valid {change.words}"
    return ""


def _exchanged(actions: Sequence[Any], last: int) -> Iterator[Change]:
    """Two steps exchanged, of which one at least comes no later than the one that fails: near ones first."""
    for apart in range(1, len(actions)):
        for i in range(min(last + 1, len(actions) - apart)):
            j = i + apart
            order = (*actions[:i], actions[j], *actions[i + 1 : j], actions[i], *actions[j + 1 :])
            yield Change(f"with steps {i + 1} and {j + 1} exchanged", i, order)


def _moved(actions: Sequence[Any], last: int) -> Iterator[Change]:
    """One step moved by two places at least, which is no exchange: forward, then backward."""
    for j in range(len(actions)):
        for i in range(min(last + 1, j - 1)):
            order = (*actions[:i], actions[j], *actions[i:j], *actions[j + 1 :])
            yield Change(f"with step {j + 1} moved before step {i + 1}", i, order)
    for i in range(min(last + 1, len(actions))):
        for j in range(i + 2, len(actions)):
            order = (*actions[:i], *actions[i + 1 : j + 1], actions[i], *actions[j + 1 :])
            yield Change(f"with step {i + 1} moved after step {j + 1}", i, order)


def _without(actions: Sequence[Any], last: int) -> Iterator[Change]:
    """One step left out."""
    for i in range(min(last + 1, len(actions))):
        yield Change(f"without step {i + 1}", i, (*actions[:i], *actions[i + 1 :]))


def _more(problem: Any, actions: Sequence[Any], last: int, unmet: Sequence[Any], step: Any) -> Iterator[Change]:
    """One step more that makes true what is missing, as late as it can be."""
    for condition in filter(literal_of, unmet):
        some, _ = achievers(problem, condition, step, MOST_ADDED)
        for i in range(last, -1, -1):
            where = f"before step {i + 1}" if i < len(actions) else "at the end"
            for action in some or ():
                yield Change(f"with {shown(action)} {where}", i, (*actions[:i], action, *actions[i:]))
