"""What is to be no longer where it is: "take the bowl off the plate", of which a small model says that it is there.

An instruction asks for a change, and a place that it leads away from is where something is, not where it is to be.
"""

from __future__ import annotations

import re

from llm.phrases import Vocabulary
from llm.spatial_cues import led_away_from
from tamp.model.formula import Not
from tamp.model.goal import Goal
from tamp.model.state import WorldState


def taken_away(goal: Goal, text: str, words: Vocabulary, state: WorldState) -> Goal | None:
    """For a goal that holds already, while the words lead away from where it has things: that they are there no
    longer. None for any other."""
    if goal.missing(state):
        return None
    left = led_away_from(text, words)
    there = [a for a in goal.atoms if len(a.args) > 1 and left & {a.args[-1], words.owner.get(a.args[-1])}]
    return Goal.of(map(Not, there)) if there else None


def no_longer(fact: str) -> str:
    """A fact in words, as over: "the bowl is no longer on the plate"."""
    return re.sub(r" (is|are) ", r" \1 no longer ", fact, count=1)
