"""What a page tells once in full, under "Where it failed", and elsewhere only leads to."""

from __future__ import annotations

from dataclasses import replace

from tamp.runs.pages.story import Story
from tamp.runs.pages.telling import verdict_of
from tamp.runs.pages.troubles import Trouble


def opening(story: Story) -> str:
    """The sentence on what the episode came to, without as much of its reason as is told where it failed."""
    ended, failing = story.ending, story.failing
    if failing is None or not ended.reason or not _repeated(failing.why, ended.reason):
        return story.verdict
    at = min(n for n in map(ended.reason.find, (failing.action, failing.why)) if n >= 0)
    return verdict_of(replace(ended, reason=ended.reason[:at].rstrip(" :;") or None))


def opens_elsewhere(story: Story) -> bool:
    """Whether the rest of the reason is told where it failed."""
    return opening(story) != story.verdict


def failing_card(story: Story) -> int | None:
    """Which of the plans that were given up is told where it failed, None where none is."""
    failing = story.failing
    if failing is None or failing.moved:
        return None
    same = (
        n for n, o in enumerate(story.obstacles) if (o.action, o.why, o.t) == (failing.action, failing.why, failing.t)
    )
    return next(same, None)


def of_trouble(story: Story, trouble: Trouble) -> tuple[str, str]:
    """What is told of a trouble, and the id of the part of the page with the rest of it, empty where that is all."""
    if trouble.kind == "plan rejected":
        for n, r in enumerate(story.rejected):
            if r.t <= trouble.t <= r.until and trouble.told.startswith(r.action):
                return r.action, f"rejected-{n + 1}"
    reason, failing = story.ending.reason, story.failing
    if failing is not None and reason and trouble.told.endswith(reason) and _repeated(failing.why, reason):
        return trouble.told.removesuffix(reason).rstrip(" :") or failing.action, "failed"
    return trouble.told, ""


def _repeated(why: str, reason: str) -> bool:
    return bool(why) and why in reason
