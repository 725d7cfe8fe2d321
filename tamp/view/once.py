"""Where the page of a run tells a reason: once. What repeats it there leads to that place."""

from __future__ import annotations

from tamp.view.state import View

VERDICT = "verdict"
"""The id of the part of the page that says how the run ended, and why."""


def at_the_top(view: View, why: str) -> bool:
    """Whether a reason is told with the verdict."""
    return bool(why) and view.ending is not None and why in (view.ending.reason or "")


def told_once(view: View, text: str, first: int = 0) -> tuple[str, str]:
    """What is still to be told of something that happened, and the id of the part of the page that tells the rest of
    it, empty where that is all. `first` is the number of actions that the plan on the page leaves out."""
    reason = view.ending.reason if view.ending is not None else None
    if reason and text.endswith(reason):
        return text.removesuffix(reason).rstrip(" :") or _action(text), VERDICT
    for n, deed in reversed([*enumerate(view.deeds, 1)][first:]):
        if deed.why and text == f"{deed.action}: {deed.why}":
            return deed.action, VERDICT if at_the_top(view, deed.why) else f"plan-{n}"
    return text, ""


def _action(text: str) -> str:
    """The action that a line begins with, empty where it begins with none."""
    return text.partition(": ")[0] if text.startswith("(") else ""
