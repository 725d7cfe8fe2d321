"""Events as lines for a person at a terminal."""

from __future__ import annotations

from collections.abc import Callable

from tamp.runs.events import ActionEnded, Event, GoalTaken, MilestoneEnded, Publish


def spoken(say: Callable[[str], None]) -> Publish:
    """A subscriber that says what a person wants to hear of, a line each."""

    def tell(event: Event) -> None:
        if (line := line_of(event)) is not None:
            say(line)

    return tell


def line_of(event: Event) -> str | None:
    """The line for an event; None for what is for the log alone."""
    match event:
        case GoalTaken(goal, untouched):
            wanted = ", then ".join(goal if isinstance(goal, list) else [str(goal)])
            alone = f"; not to be touched: {', '.join(untouched)}" if untouched else ""
            return f"goal {wanted}{alone}"
        case ActionEnded(_, action, missing, steps):
            return f"{action}: {missing or 'done'} ({steps} steps)"
        case MilestoneEnded(number, _, reached, _, of):
            return f"goal {number} of {of} {'is seen to hold' if reached else 'is not reached'}"
    return None
