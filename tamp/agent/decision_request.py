"""What somebody is asked who decides, for a while or at the end of one's wits, and what he answers with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tamp.model.goal import Goal
from tamp.model.state import WorldState
from tamp.planning.deliberation import Thought


@dataclass(frozen=True, eq=False)
class Question:
    """What somebody who decides is shown.

    `state` has what geometry found out beside what is seen; `told` is it in words: position, actions with their stages
    and seconds, what is held. `running` are the names of what can be stopped, `before` the orders so far and what
    became of them, `not_again` those that were given in this state already.
    """

    goal: Goal
    state: WorldState
    told: str
    running: tuple[str, ...]
    before: tuple[tuple[str, str], ...]
    not_again: frozenset[str]


Decide = Callable[[Question], Thought[str]]
"""Answers with an order, as it is typed; with nothing where there is none left to give."""
