"""What would make a whole plan valid that is not: two steps exchanged, one moved, left out or replaced, or one more."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tamp.pddl.conditions import unheld
from tamp.plans.edits import Edit, Mend
from tamp.plans.repair import achievers, changers, literal_of, shown
from tamp.plans.replacements import about, slips

LONGEST = 40
"""Steps of a plan of which changes are tried."""
MOST_FOLLOWED = 1000
"""Steps that are tried for one plan, of all its changes of a kind: steps as they are, one like it, one that is new."""
MOST_ADDED = 20
"""Ground actions that are tried as one step more, for each literal that is missing."""
MOST_TOLD = 3
"""Actions that are told where each of them would do in place of one step."""

Follow = Callable[[Any, Any], Any]
"""The state after an action in a state; None where it cannot be done."""


@dataclass(frozen=True)
class Change:
    """A plan with one change, in words and as edits. The steps before number `first`, from 0, are as they were.

    `instead` is the action, in words, that takes the place of step `first`; empty for other changes.
    """

    words: str
    first: int
    actions: tuple[Any, ...]
    edits: tuple[Edit, ...]
    instead: str = ""


def mend(
    problem: Any,
    follow: Follow,
    actions: Sequence[Any],
    states: Sequence[Any],
    unmet: Sequence[Any],
    step: Any = None,
    tries: int | None = None,
) -> Mend:
    """The first change that makes a plan valid, as `valid with steps 1 and 2 exchanged`. Empty when none does, for long
    plans, and when it takes too long to find out.

    Changes that keep steps as they are come first. Where one step can be another in several ways, `MOST_TOLD` are told.
    `states` are those before each step that could be taken, and the one in which the conditions `unmet` are false,
    which `step` needs, or without it the goal. `tries` instead of `MOST_FOLLOWED` are tried.
    """
    if len(actions) > LONGEST:
        return Mend()
    last = len(states) - 1
    for some in kinds(problem, actions, last, unmet, step):
        if found := _valid(problem, follow, states, some, MOST_FOLLOWED if tries is None else tries):
            instead = " or ".join(c.instead for c in found)
            words = f"valid with {instead} {found[0].words}" if instead else f"valid {found[0].words}"
            return Mend.of(found[0].edits, [shown(a) for a in actions], words)
    return Mend()


def kinds(
    problem: Any, actions: Sequence[Any], last: int, unmet: Sequence[Any], step: Any
) -> Iterator[Iterator[Change]]:
    """The changes of a plan of which `last` steps could be taken, in the order of `mend`: those that keep steps as they
    are, those that give one another argument or operator, and others."""
    yield itertools.chain(_exchanged(actions, last), _moved(actions, last), _without(actions, last))
    yield _slipped(problem, actions, last)
    yield itertools.chain(_more(problem, actions, last, unmet, step), _other(problem, actions, last, unmet, step))


def _valid(problem: Any, follow: Follow, states: Sequence[Any], changes: Iterable[Change], tries: int) -> list[Change]:
    """The first change after which the plan reaches the goal, with the next ones where they replace the same step."""
    found = list[Change]()
    for change in changes:
        if found and (not found[0].instead or change.first != found[0].first or len(found) == MOST_TOLD):
            break
        state = states[change.first]
        for action in change.actions[change.first :]:
            tries -= 1
            if tries < 0:
                return found
            state = follow(state, action)
            if state is None:
                break
        if state is not None and not unheld(problem, problem.goals, state):
            found.append(change)
    return found


def _exchanged(actions: Sequence[Any], last: int) -> Iterator[Change]:
    """Two steps exchanged, of which one at least comes no later than the one that fails: near ones first."""
    for apart in range(1, len(actions)):
        for i in range(min(last + 1, len(actions) - apart)):
            j = i + apart
            order = (*actions[:i], actions[j], *actions[i + 1 : j], actions[i], *actions[j + 1 :])
            back = [_move(actions, i, j + 1)] if apart > 1 else []
            yield Change(f"with steps {i + 1} and {j + 1} exchanged", i, order, (_move(actions, j, i), *back))


def _moved(actions: Sequence[Any], last: int) -> Iterator[Change]:
    """One step moved by two places at least, which is no exchange: forward, then backward."""
    for j in range(len(actions)):
        for i in range(min(last + 1, j - 1)):
            order = (*actions[:i], actions[j], *actions[i:j], *actions[j + 1 :])
            yield Change(f"with step {j + 1} moved before step {i + 1}", i, order, (_move(actions, j, i),))
    for i in range(min(last + 1, len(actions))):
        for j in range(i + 2, len(actions)):
            order = (*actions[:i], *actions[i + 1 : j + 1], actions[i], *actions[j + 1 :])
            yield Change(f"with step {i + 1} moved after step {j + 1}", i, order, (_move(actions, i, j + 1),))


def _without(actions: Sequence[Any], last: int) -> Iterator[Change]:
    """One step left out."""
    for i in range(min(last + 1, len(actions))):
        left_out = Edit("leave out", i + 1)
        yield Change(f"without step {i + 1}", i, (*actions[:i], *actions[i + 1 :]), (left_out,))


def _more(problem: Any, actions: Sequence[Any], last: int, unmet: Sequence[Any], step: Any) -> Iterator[Change]:
    """One step more that makes true what is missing, as late as it can be."""
    for some in _helpful(problem, unmet, step):
        for i in range(last, -1, -1):
            where = f"before step {i + 1}" if i < len(actions) else "at the end"
            for action in some:
                added = Edit("add", None, shown(action), i + 1)
                yield Change(f"with {shown(action)} {where}", i, (*actions[:i], action, *actions[i:]), (added,))


def _helpful(problem: Any, unmet: Sequence[Any], step: Any) -> Iterator[list[Any]]:
    """For each condition that is missing, actions that make it true, or where it is no literal that may."""
    for condition in unmet:
        if literal_of(condition):
            yield achievers(problem, condition, step, MOST_ADDED)[0] or []
        else:
            yield changers(problem, condition, step, MOST_ADDED)


def _slipped(problem: Any, actions: Sequence[Any], last: int) -> Iterator[Change]:
    """One step with another argument or operator: the one that fails, then those before it, late ones first."""
    for i in range(min(last, len(actions) - 1), -1, -1):
        yield from (_replaced(actions, i, action) for action in slips(problem, actions[i]))


def _other(problem: Any, actions: Sequence[Any], last: int, unmet: Sequence[Any], step: Any) -> Iterator[Change]:
    """The step that fails replaced by any other about the same things; where only the goal is missed, a step about
    the same things, late ones first, replaced by one that makes true what is missing."""
    if step is not None:
        yield from (_replaced(actions, last, action) for action in about(problem, step))
        return
    for some, i in itertools.product(_helpful(problem, unmet, step), range(last - 1, -1, -1)):
        things = set(actions[i].actual_parameters)
        yield from (_replaced(actions, i, a) for a in some if things & set(a.actual_parameters))


def _replaced(actions: Sequence[Any], i: int, action: Any) -> Change:
    instead = shown(action)
    edits = (Edit("replace", i + 1, instead),)
    return Change(f"as step {i + 1}", i, (*actions[:i], action, *actions[i + 1 :]), edits, instead)


def _move(actions: Sequence[Any], i: int, before: int) -> Edit:
    """Step `i` moved before step `before`, both from 0."""
    return Edit("move", i + 1, shown(actions[i]), before + 1)
