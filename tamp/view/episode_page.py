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
from tamp.runs.goal_origin import origin_told
from tamp.view import picture, summary
from tamp.view.failed_steps import failures, rejected_plans
from tamp.view.failing import FailedAction, last_failure, without_motion
from tamp.view.follow import PlanAccount
from tamp.view.log_fields import names, number, time_of, words
from tamp.view.page_layout import Layout
from tamp.view.scene_tracks import TrackedThing
from tamp.view.story import Story, changed_facts, listed
from tamp.view.timeline import LANES, Axis, bars

TEMPLATE = "episode.html.j2"
SCRIPTS = ("common.js", "space.js", "episode.js")
VIDEO = "video.mp4"
MOST = {"rows": 300, "bars": 900, "rejected": 50, "failures": 300, "orders": 200, "looks": 60}
"""Entries of each list that a page has: of more, the last ones."""
ABOUT = ("task", "scene_instruction", "backend", "body", "world", "arm", "planner", "seed", "init_state", "clock")
"""Fields of a log's beginning that say what ran."""


@dataclass(frozen=True)
class RunStatus:
    """How a run stands: the state in a word, the verdict in a sentence, and what is wrong with its log. `on`: it goes
    on. `whole`: the page has all of it, and not only what is quickly made."""

    state: str
    verdict: str
    notes: tuple[str, ...] = ()
    on: bool = False
    whole: bool = True


def episode_page(log: Path, layout: Layout, beside: Path) -> str:
    """The page of a log, to be written in the folder `beside`, from which it refers to the video. InputError when the
    log cannot be read."""
    story = Story.of(log)
    ended = story.ending()
    cut = not log.read_bytes().endswith(b"\n")
    content = shown(story, RunStatus(ended.verdict, summary.verdict_of(ended), notes_on(story, ended, cut)))
    video = log.parent / VIDEO
    has_picture = bool(picture.drawn(story.tracks) or story.tracks.path)
    return layout.page(
        TEMPLATE,
        SCRIPTS if has_picture else tuple(s for s in SCRIPTS if s != "space.js"),
        data_of(story, content),
        **content,
        video=address(video, beside) if video.is_file() else "",
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
    followed, why_not = story.followed() if status.whole else (PlanAccount(), "")
    rejected, goal = rejected_plans(story.steps), ended.goal
    looks = story.looks()[-MOST["looks"] if status.whole else -8 :]
    said = ended.said or words(start, "instruction")
    orders = [(time_of(e), words(e, "order"), _refused(e.get("taken"), words(e, "why"))) for e in _of(story, "order")]
    timeline = bars(story.searches, story.actions)
    lists: dict[str, list[Any]] = {
        "rows": story.rows(followed),
        "bars": timeline,
        "rejected": rejected,
        "failures": failures(story.steps),
        "orders": orders,
    }
    obstacles = [without_motion(r, story.tracks) for r in rejected[-MOST["rejected"] :]]
    failing = None
    if not status.on and ended.verdict != "success":
        failing = last_failure(rejected, story.actions, story.tracks, ended.stage)
    return {
        **{name: some[-MOST[name] :] for name, some in lists.items()},
        "left_out": {name: max(0, len(some) - MOST[name]) for name, some in lists.items()},
        "name": story.name,
        "title": summary.title_of(said, goal, names(start, "steps"), bool(orders)),
        "status": status,
        "perception": summary.perception_of(ended),
        "ending": ended,
        "origin": origin_told(start),
        "goal_facts": summary.goal_facts(goal),
        "reading": next((words(e, "reply") for e in reversed(events) if e["event"] == "language"), ""),
        "untouched": next((names(e, "untouched") for e in reversed(events) if e["event"] == "goal"), ()),
        "about": [(key.replace("_", " "), str(start[key])) for key in ABOUT if start.get(key) is not None],
        "seconds": [p for e in _of(story, "outcome") for p in summary.pairs(e, "seconds")],
        "versions": summary.pairs(start, "versions"),
        "axis": Axis.of(timeline),
        "totals": [(lane, sum(b.end - b.begin for b in timeline if b.lane == lane), LANES[lane]) for lane in LANES],
        "lanes": [lane for lane in LANES if any(b.lane == lane for b in timeline)],
        "account": followed,
        "why_no_account": why_not,
        "obstacles": obstacles,
        "failing": failing,
        "looks": [name for name, _ in looks],
        "seen": changed_facts(looks),
        "holds": sorted(looks[-1][1]) if looks else [],
        "things": [_place(t) for t in story.tracks.things.values()],
        "first_step": min((a.first_step for a in story.actions if a.first_step is not None), default=None),
        "last_step": story.last,
        "period": story.period,
        "exchanges": [*summary.shortened(summary.exchanges(events))],
        "activities": [_activity(e) for e in story.activities()],
        "files": story.files() if status.whole else [],
        "arm": None,
    }


def _of(story: Story, kind: str) -> list[Any]:
    return [e for e in story.events if e["event"] == kind]


def _refused(taken: object, why: str) -> str | None:
    return None if taken is True else why


def _activity(e: Any) -> tuple[str, str, float, str]:
    """What goes on, its stage, the log's second in which it began, and what it waits for or lacks."""
    return words(e, "name"), words(e, "stage"), max(0.0, time_of(e) - (number(e, "seconds") or 0.0)), words(e, "why")


def _place(thing: TrackedThing) -> dict[str, Any]:
    """A thing and its joints at first and now, as text."""
    states = [(p, thing.value(p, 0), thing.value(p)) for p in thing.parts]
    first, now = (f"{x:.3f} {y:.3f} {z:.3f}" for x, y, z in (thing.place(0), thing.place()))
    parts = [
        (p.called(thing.name), p.kind, p.state(a), p.state(b))
        for p, a, b in states
        if p.joint is not None and a is not None and b is not None
    ]
    return {"rows": [(thing.name, thing.category, first, now), *parts], "note": thing.note}


def data_of(story: Story, content: dict[str, Any]) -> dict[str, Any]:
    """What the scripts read of an episode that is over."""
    lines, left_out = ([], 0) if story.log is None else listed(story.log)
    failing: FailedAction | None = content["failing"]
    return {
        "period": story.period,
        "scene": picture.scene_of(story.tracks),
        "history": picture.history_of(story.tracks),
        "actions": [
            {"number": a.number, "action": a.action, "first": a.first_step, "last": a.last_step} for a in story.actions
        ],
        "obstacles": [_obstacle(f) for f in (*content["obstacles"], *([failing] if failing else []))],
        "failing": failing is not None,
        "events": lines,
        "events_left_out": left_out,
    }


def _obstacle(failed: FailedAction) -> dict[str, Any]:
    """What the 3-D view shows of an action that came to nothing."""
    spans = [{"from": s.begin, "to": s.end, "text": s.text} for s in failed.spans]
    return {"step": failed.step, "marks": {name: (text, wrong) for name, text, wrong in failed.marks}, "spans": spans}


def episodes_page(rows: Sequence[tuple[Ending, Path, Path]], layout: Layout, beside: Path) -> str:
    """The page of several episodes: how each ended, its log, and the file, page or log, that it leads to. Those
    with the same name are distinguished by their folders."""
    counts = Counter(ending.verdict for ending, _, _ in rows)
    same = Counter(ending.episode for ending, _, _ in rows)
    verdicts = ", ".join(f"{n} {'no success' if verdict == 'no' else verdict}" for verdict, n in counts.most_common())
    entries = [
        (ending, str(log.parent.parent) if same[ending.episode] > 1 else "", address(file, beside))
        for ending, log, file in rows
    ]
    return layout.page("episodes.html.j2", ("common.js",), {}, title=f"{len(rows)} episodes: {verdicts}", rows=entries)


def address(path: Path, beside: Path) -> str:
    """A file as a page in the folder `beside` refers to it."""
    return quote(Path(os.path.relpath(path.resolve(), beside.resolve())).as_posix())
