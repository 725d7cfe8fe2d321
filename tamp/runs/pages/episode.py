"""The page of an episode."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from math import dist
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tamp.runs.endings import Ending
from tamp.runs.pages.failing import Failing
from tamp.runs.pages.frames import first_and_last
from tamp.runs.pages.layout import Layout
from tamp.runs.pages.picture import picture_of
from tamp.runs.pages.repeats import failing_card, of_trouble, opening, opens_elsewhere
from tamp.runs.pages.story import VIDEO, Story
from tamp.runs.pages.timeline import axis_of, lanes_of

SCRIPTS = ("common.js", "events.js", "links.js", "labels.js", "space.js", "timeline.js", "episode.js")
MOVED = 0.005
"""Metres from which on a thing is seen to be elsewhere in a picture."""


def episode_page(story: Story, layout: Layout, beside: Path) -> str:
    """The page of a story, to be written in the folder `beside`, from which it refers to the video."""
    first_step = min((c.steps[0] for c in story.courses if c.steps), default=None)
    return layout.page(
        "episode.html.j2",
        SCRIPTS,
        _data(story),
        story=story,
        axis=axis_of(story.bars),
        title=f"{story.ending.episode}: {story.ending.verdict}",
        pictures=first_and_last(story.folder / VIDEO) if story.has_video else None,
        video=address(story.folder / VIDEO, beside) if story.has_video else "",
        totals=_totals(story),
        lanes=lanes_of(story.bars),
        first_step=first_step,
        no_words=_no_words(story),
        moved=first_step is not None or any(dist(t.first, t.last) > MOVED for t in story.things),
        opening=opening(story),
        elsewhere=opens_elsewhere(story),
        failing_card=failing_card(story),
        troubles=[(trouble, *of_trouble(story, trouble)) for trouble in story.troubles],
    )


def episodes_page(rows: Sequence[tuple[Ending, Path, Path]], layout: Layout, beside: Path) -> str:
    """The page of several episodes: how each ended, its log, and the file, page or log, that it leads to. Those
    with the same name are told apart by their folders."""
    counts = Counter(ending.verdict for ending, _, _ in rows)
    same = Counter(ending.episode for ending, _, _ in rows)
    told = ", ".join(f"{n} {'no success' if verdict == 'no' else verdict}" for verdict, n in counts.most_common())
    shown = [
        (ending, str(log.parent.parent) if same[ending.episode] > 1 else "", address(file, beside))
        for ending, log, file in rows
    ]
    return layout.page("episodes.html.j2", ("common.js",), {}, title=f"{len(rows)} episodes: {told}", rows=shown)


def address(path: Path, beside: Path) -> str:
    """A file as a page in the folder `beside` refers to it."""
    return quote(Path(os.path.relpath(path.resolve(), beside.resolve())).as_posix())


def _no_words(story: Story) -> str:
    """What is said of a goal for which no words are known, empty where there are none."""
    if story.origin is None:
        return "No words for it: it was given in PDDL (with --goal, or in the scene's file), or the log does not say."
    return "The log does not say which words made which part." if story.origin.kind == "words" else ""


def _totals(story: Story) -> list[tuple[str, float, str]]:
    """Seconds of each lane of the timeline and what they are of."""
    of_lane = {lane: sum(b.end - b.begin for b in story.bars if b.lane == lane) for lane in ("symbolic", "geometric")}
    moved = sum(b.end - b.begin for b in story.bars if b.lane == "execution")
    return [
        ("symbolic", of_lane["symbolic"], "searching for plans"),
        ("geometric", of_lane["geometric"], "looking for grasps, placements and paths"),
        ("execution", moved, "moving, by the log's clock"),
    ]


def _data(story: Story) -> dict[str, Any]:
    """What the scripts read."""
    return {
        "period": story.period,
        **picture_of(story.courses, story.things),
        "deeds": [
            {"number": d.number, "action": d.action, "first": d.first_step, "last": d.last_step, "arm": d.arm}
            for d in story.deeds
        ],
        "last": story.moments.last,
        "failing": None if story.failing is None else _shown(story.failing),
        "obstacles": [_shown(f) for f in story.obstacles],
        "events": [[line.number, line.kind, line.t, line.text] for line in story.listing.lines],
    }


def _shown(failing: Failing) -> dict[str, Any]:
    """What the picture in space shows of an action that came to nothing."""
    spans = [{"from": s.begin, "to": s.end, "told": s.told} for s in failing.spans]
    return {"step": failing.step, "marks": {name: (told, wrong) for name, told, wrong in failing.marks}, "spans": spans}
