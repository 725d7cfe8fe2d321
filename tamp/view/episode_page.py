"""The page of an episode, in a file or served while it goes on, and that of several."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tamp.runs import episode_log
from tamp.runs.endings import Ending
from tamp.runs.goal_origin import read_origin
from tamp.runs.moving_parts import part_label, part_state
from tamp.view import scene_tracks, summary
from tamp.view.log_fields import names, number, time_of, words
from tamp.view.page_layout import Layout
from tamp.view.scene_tracks import TrackedThing, Tracks
from tamp.view.story import Story

TEMPLATE = "episode.html.j2"
SCRIPTS = ("common.js", "space.js", "episode.js")
VIDEO = "video.mp4"
MOST = 300
"""Entries of each list that a page has: of more, the last ones."""
ABOUT = ("task", "scene_instruction", "backend", "body", "world", "arm", "planner", "seed", "init_state", "clock")
"""Fields of a log's beginning that say what ran."""


@dataclass(frozen=True)
class RunStatus:
    """How a run stands: the state in a word, the verdict in a sentence, and what is wrong with its log. `on`: it goes
    on, or has not begun."""

    state: str
    verdict: str
    notes: tuple[str, ...] = ()
    on: bool = False


def episode_page(log: Path, layout: Layout, folder: Path) -> str:
    """The page of a log, to be written in `folder`, from which it refers to the video. InputError when the
    log cannot be read."""
    story = Story.of(log)
    ended = story.ending()
    cut = not log.read_bytes().endswith(b"\n")
    content = shown(story, RunStatus(ended.verdict, summary.verdict_of(ended), notes_on(story, ended, cut)))
    video = log.parent / VIDEO
    has_picture = bool(scene_tracks.drawn(story.tracks) or story.tracks.path)
    return layout.page(
        TEMPLATE,
        SCRIPTS if has_picture else tuple(s for s in SCRIPTS if s != "space.js"),
        data_of(story, content),
        **content,
        video=address(video, folder) if video.is_file() else "",
        has_picture=has_picture,
        orders_taken=None,
    )


def notes_on(story: Story, ended: Ending, cut: bool, spoilt: int = 0) -> tuple[str, ...]:
    """What is wrong with a log; `cut`: its last line is only half written, `spoilt` lines are no events."""
    found = []
    schema = story.start.get("schema")
    if story.steps and not story.start:
        found.append("The log has no beginning: what was run is not known.")
    elif story.start and schema != episode_log.SCHEMA and "world" not in story.start:
        known = f"this version of tamp knows {episode_log.SCHEMA}"
        found.append(f"The log is of schema {schema}, {known}: the page shows as much of it as it understands.")
    if spoilt:
        found.append(f"{spoilt} lines of the log are no events, and left out.")
    if cut:
        found.append("The last line of the log is only half written, and left out.")
    if ended.verdict == "interrupted":
        found.append("The log has no outcome: the run was killed, or is not over yet.")
    return tuple(found)


def shown(story: Story, status: RunStatus) -> dict[str, Any]:
    """What the template lays out."""
    ended, start, events = story.ending(), story.start, story.events
    goals, said = summary.goals_of(ended), ended.said or words(start, "instruction")
    orders = [
        (time_of(e), words(e, "order"), None if e.get("taken") is True else words(e, "why"))
        for e in events
        if e["event"] == "order"
    ]
    lists: dict[str, list[Any]] = {"rows": story.rows(), "failures": summary.failures(story.steps), "orders": orders}
    return {
        **{name: some[-MOST:] for name, some in lists.items()},
        "left_out": {name: max(0, len(some) - MOST) for name, some in lists.items()},
        "name": story.name,
        "title": summary.title_of(said, goals, names(start, "steps"), bool(orders)),
        "status": status,
        "perception": summary.perception_of(ended),
        "ending": ended,
        "goals": goals,
        "origin": read_origin(start),
        "reading": next((words(e, "reply") for e in reversed(events) if e["event"] == "language"), ""),
        "untouched": next((names(e, "untouched") for e in reversed(events) if e["event"] == "goal"), ()),
        "about": [(key.replace("_", " "), str(start[key])) for key in ABOUT if start.get(key) is not None],
        "seconds": [p for e in events if e["event"] == "outcome" for p in summary.pairs(e, "seconds")],
        "versions": summary.pairs(start, "versions"),
        "facts": sorted(story.facts),
        "things": [_place(t) for t in story.tracks.things.values()],
        "exchanges": summary.exchanges(events)[-MOST:],
        "activities": [
            (words(e, "name"), words(e, "stage"), max(0.0, time_of(e) - (number(e, "seconds") or 0.0)), words(e, "why"))
            for e in story.activities()
        ],
        "arm": None,
    }


def _place(thing: TrackedThing) -> dict[str, Any]:
    """A thing and its joints at first and now, as text."""
    first, now = (f"{x:.3f} {y:.3f} {z:.3f}" for x, y, z in (thing.place(0), thing.place()))
    parts = [
        (part_label(p, thing.name), p.kind, part_state(p, thing.value(p, 0)), part_state(p, thing.value(p)))
        for p in thing.parts
        if p.joint is not None
    ]
    return {"rows": [(thing.name, thing.category, first, now), *parts], "note": thing.note}


def data_of(story: Story, content: dict[str, Any]) -> dict[str, Any]:
    """What the scripts read of an episode that is over. `failing` is the number of the last failure of an action, None
    where the episode succeeded."""
    rows, verdict = content["failures"], content["ending"].verdict
    ends = [n for n, f in enumerate(rows) if f.ends_action and verdict != "success"]
    return {
        "period": story.period,
        "scene": scene_tracks.scene_of(story.tracks),
        "history": scene_tracks.history_of(story.tracks),
        "actions": [
            {"number": a.number, "action": a.action, "first": a.first_step, "last": a.last_step} for a in story.actions
        ],
        "failures": [{"step": f.step, "marks": marked(f.things, story.tracks)} for f in rows],
        "failing": ends[-1] if ends else None,
    }


def marked(named: Sequence[str], tracks: Tracks) -> list[str]:
    """The things that names stand for, of which some are of parts: the drawer `cabinet_1_top_region`."""
    found = dict[str, TrackedThing]()
    for name in named:
        whole = [t for t in tracks.things.values() if name == t.name or name.startswith(f"{t.name}_")]
        if whole and not (best := max(whole, key=lambda t: len(t.name))).ground:
            found[best.name] = best
    return [*found]


def episodes_page(rows: Sequence[tuple[Ending, Path, Path]], layout: Layout, folder: Path) -> str:
    """The page of several episodes: how each ended, its log, and the file, page or log, that it leads to. Those
    with the same name are distinguished by their folders."""
    counts = Counter(ending.verdict for ending, _, _ in rows)
    same = Counter(ending.episode for ending, _, _ in rows)
    verdicts = ", ".join(f"{n} {'no success' if verdict == 'no' else verdict}" for verdict, n in counts.most_common())
    entries = [
        (ending, str(log.parent.parent) if same[ending.episode] > 1 else "", address(file, folder))
        for ending, log, file in rows
    ]
    return layout.page("episodes.html.j2", ("common.js",), {}, title=f"{len(rows)} episodes: {verdicts}", rows=entries)


def address(path: Path, folder: Path) -> str:
    """A file as a page in `folder` refers to it."""
    return quote(Path(os.path.relpath(path.resolve(), folder.resolve())).as_posix())
