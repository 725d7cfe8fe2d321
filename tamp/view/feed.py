"""From a line of the log to what there is to show: no file, no clock, no page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from motion.poses import Array
from tamp.runs.endings import LAST, ending
from tamp.runs.moving_parts import parts_of, values_of
from tamp.runs.pages.fields import Event, Point, names, number, point, pose_in, table, time_of, words
from tamp.runs.pages.timeline import as_at_a_table, deeds_after
from tamp.runs.pages.troubles import troubles
from tamp.runs.robot_shape import MOVES, robots_of
from tamp.view.state import Change, Placed, Running, Told, View, corner_box

MOST_CHANGES, MOST_TOLD, MOST_RUNNING, MOST_DEEDS = 24, 60, 12, 200
"""What is kept of what changed, happened, ran and was done: the log has all of it."""
HOLDING = "(holding "
OFTEN = ("corrected", "veto")
"""What happens many times on end: the last one stands for all."""


def fed(view: View, e: Event) -> View:
    """What there is to show once one more event has happened. What is not of its kind, in a log that somebody wrote, is
    left out."""
    e = as_at_a_table(e)
    view = replace(view, t=max(view.t, time_of(e)), deeds=_recent(view, e))
    view = _HEARD.get(str(e["event"]), _nothing)(view, e)
    return _told(view, e)


def _recent(view: View, e: Event) -> Any:
    found = deeds_after(view.deeds, e)
    return found if len(found) <= MOST_DEEDS else found[-MOST_DEEDS:]


def _nothing(view: View, e: Event) -> View:
    return view


def _start(view: View, e: Event) -> View:
    said = words(e, "instruction") or view.said
    steps = names(e, "steps")
    robots = view.robots
    if e.get("arm") is not None or e["event"] == "robot":
        robots = (*(r for r in robots if r.arm != e.get("arm", "")), *robots_of([e]))
    start = view.start if e["event"] == "robot" else {**view.start, **e}
    goal = names(e, "goal") if e["event"] == "start" else ()
    return replace(view, start=start, said=said, plan=steps or view.plan, robots=robots, goal=goal or view.goal)


def _said(view: View, e: Event) -> View:
    return replace(view, said=words(e, "text") or view.said)


def _goal(view: View, e: Event) -> View:
    goal = names(e, "goal")
    if words(e, "arm"):  # of several arms each has a part of what is wanted
        goal = tuple(dict.fromkeys((*view.goal, *goal)))
    return replace(view, goal=goal, untouched=names(e, "untouched"))


def _plan(view: View, e: Event) -> View:
    plan = names(e, "plan")
    if not plan:
        return replace(view, searched=words(e, "status"))
    return replace(view, plan=plan, searched=words(e, "status"), before=len(view.deeds))


def _begins(view: View, e: Event) -> View:
    """An arm begins a part of the plan that it has: what the others have of theirs is still to be seen."""
    actions = names(e, "actions")
    return replace(view, plan=actions, before=len(view.deeds)) if actions else view


def _activity(view: View, e: Event) -> View:
    name, arm, t = words(e, "name"), words(e, "arm"), time_of(e)
    seconds = number(e, "seconds") or 0.0
    now = Running(name, words(e, "stage"), t - seconds, words(e, "why"), arm)
    others = [r for r in view.running if (r.name, r.arm) != (name, arm)]
    if now.stage == "moving" and seconds == 0.0:
        others = [r for r in others if not r.over]
    return replace(view, running=(*others, now)[-MOST_RUNNING:])


def _command(view: View, e: Event) -> View:
    arm, felt, tools = words(e, "arm"), dict(view.felt), dict(view.tools)
    for robot in view.robots:
        if robot.arm == arm and (configuration := robot.configuration(e)) is not None:
            felt[arm] = configuration
    if (tool := point(e.get("tool"))) is not None:
        tools[arm] = tool
    step = number(e, "step")
    stage = words(e, "stage") or view.stage
    return replace(view, felt=felt, tools=tools, stage=stage, step=view.step if step is None else int(step))


def _state(view: View, e: Event) -> View:
    if isinstance(e.get("atoms"), list):
        view = _facts(view, frozenset(names(e, "atoms")), time_of(e))
    things = dict(view.things)
    kinds, boxes = table(e, "objects"), table(e, "boxes")
    for name, values in table(e, "poses").items():
        if (T := pose_in(values)) is not None:
            known = things.get(name)
            kind = kinds.get(name) if isinstance(kinds.get(name), str) else known.category if known else ""
            corners = _corners(boxes.get(name)) if name in boxes else None
            if known is None or (corners is not None and e["event"] in ("scene", "look")):
                things[name] = Placed(str(kind), corners, T, T)
            else:
                things[name] = replace(known, T_last=T, tool=None)
    for name, values in values_of(e).items():
        if name in things:
            things[name] = replace(things[name], values={**things[name].values, **values})
    arm = words(e, "arm")
    tool = view.tools.get(arm)
    held = {a.removeprefix(HOLDING).rstrip(")") for a in view.atoms or () if a.startswith(HOLDING)}
    for name, thing in things.items():
        if name in held and tool is not None and thing.tool is None:
            things[name] = replace(thing, tool=tool, arm=arm)
        elif name not in held and thing.tool is not None and thing.arm == arm:
            things[name] = _let_go(thing, view.tools.get(thing.arm))
    parts = parts_of(e)
    return replace(view, things=things, parts={**view.parts, **parts} if parts else view.parts)


def _let_go(thing: Placed, tool: Point | None) -> Placed:
    """A thing that is no longer held, where it was carried to."""
    return replace(thing, T_last=at(thing, tool), tool=None)


def at(thing: Placed, tool: Point | None) -> Array:
    """Where a thing is (4, 4), the tool that may carry it being where it is."""
    if thing.tool is None or tool is None:
        return thing.T_last
    T = thing.T_last.copy()
    T[:3, 3] += np.subtract(tool, thing.tool)
    return T


def _facts(view: View, atoms: frozenset[str], t: float) -> View:
    before = atoms if view.atoms is None else view.atoms
    changed = [Change(t, fact, fact in atoms) for fact in sorted(atoms ^ before)]
    return replace(view, atoms=atoms, changes=(*reversed(changed), *view.changes)[:MOST_CHANGES])


def _listens(view: View, e: Event) -> View:
    path = e.get("path")
    return replace(view, listens=Path(path) if isinstance(path, str) and path else None)


def _ended(view: View, e: Event) -> View:
    events = [dict(view.start, event="start"), dict(e)]
    return replace(view, ending=ending("", events), listens=None)


def _interrupted(view: View, e: Event) -> View:
    """Of an action, which goes on or not; or of the whole run."""
    return view if words(e, "action") else _ended(view, {**e, "event": "error", "message": "it was interrupted"})


def _told(view: View, e: Event) -> View:
    found = [Told(t.t, t.kind, t.told) for t in troubles([e])]
    match e["event"]:
        case "order":
            taken = "taken" if e.get("taken") is True else f"refused: {words(e, 'why')}"
            found = [Told(time_of(e), "order", f"{words(e, 'order')}: {taken}")]
        case "goal":
            found = [Told(time_of(e), "goal", " then ".join(names(e, "goal")) or "nothing")]
        case "plan":
            steps = names(e, "plan")
            count = f", {len(steps)} action{'' if len(steps) == 1 else 's'}" if steps else ""
            found = [Told(time_of(e), "plan", words(e, "status") + count)]
        case "result" if e.get("success") is True:
            found = [Told(time_of(e), "done", words(e, "action"))]
        case "instruction" | "in_full":
            found = [Told(time_of(e), "words", words(e, "text"))]
    if not found:
        return view
    before = view.happened
    if before and before[-1].kind == found[0].kind and found[0].kind in OFTEN:
        before = before[:-1]  # the latest of a row of them
    return replace(view, happened=(*before, *found)[-MOST_TOLD:])


def _corners(box: Any) -> Array | None:
    if not isinstance(box, list) or len(box) != 2:
        return None
    low, high = map(point, box)
    return corner_box(low, high) if low and high else None


_HEARD: Mapping[str, Callable[[View, Event], View]] = {
    **dict.fromkeys(("start", "world", "robot"), _start),
    "instruction": _said,
    "goal": _goal,
    "plan": _plan,
    "begins": _begins,
    "activity": _activity,
    **dict.fromkeys(MOVES, _command),
    **dict.fromkeys(("scene", "state", "look", "final"), _state),
    "listens": _listens,
    **dict.fromkeys((*LAST, "error"), _ended),
    "interrupted": _interrupted,
}
