"""Events as lines for a person at a terminal."""

from __future__ import annotations

from collections.abc import Callable

from tamp.model.events import (
    ActionEnded,
    Blind,
    Event,
    GoalTaken,
    Interrupted,
    MilestoneEnded,
    OrderTaken,
    Publish,
    Searching,
    StageChanged,
    StateDescribed,
)


def spoken(say: Callable[[str], None], words: Callable[[Event], str] | None = None) -> Publish:
    """A subscriber that says a line about each event that has `words`; those of `line_of` unless given."""

    def tell(event: Event) -> None:
        if line := (words or line_of)(event):
            say(line)

    return tell


def line_of(event: Event) -> str:
    """The line for an event; empty for what is for the log alone."""
    line = ""
    match event:
        case GoalTaken(goal, untouched):
            alone = f"; not to be touched: {', '.join(untouched)}" if untouched else ""
            line = f"goal {', then '.join(goal if isinstance(goal, list) else [str(goal)])}{alone}"
        case ActionEnded(_, action, missing, steps):
            line = f"{action}: {missing or 'done'} ({steps} steps)"
        case Interrupted(action, why):
            line = f"{action} is stopped: {why}"
        case Searching(what, how):
            line = f"looking {what}: {how}"
        case MilestoneEnded(number, _, reached, _, of):
            line = f"goal {number} of {of} {'is seen to hold' if reached else 'is not reached'}"
        case OrderTaken(order, False, why):
            line = f"no: {order}: {why}"
        case Blind(_, why):
            line = why
        case StateDescribed(text):
            line = text
    return line


def live_line_of(event: Event) -> str:
    """The same for a person at a live session: stages of actions, and whether orders were taken, too."""
    match event:
        case StageChanged(name, stage, seconds, why):
            return f"{name} {stage}, {seconds:.1f} s{f': {why}' if why else ''}"
        case OrderTaken(order, True):
            return f"{order}: taken"
        case ActionEnded():
            return ""
    return line_of(event)
