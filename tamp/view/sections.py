"""What there is to show as the parts of a page, each plain data: a part that is as before need not be sent again."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from motion.poses import Array, moved
from tamp.runs.endings import Ending
from tamp.runs.goal_origin import origin_told
from tamp.runs.moving_parts import DrawnPart
from tamp.runs.pages.drawing import polyhedra
from tamp.runs.pages.fields import Point, names
from tamp.runs.pages.telling import title_of, verdict_of
from tamp.runs.pages.timeline import Deed
from tamp.view.feed import at
from tamp.view.once import VERDICT, at_the_top, told_once
from tamp.view.state import Placed, Running, View

Life = Literal["waited for", "goes on", "ended", "gone"]
"""Of a run: it has not begun; somebody writes its log; it has an outcome; nobody writes its log, and it has none."""
GONE = "It ended without a verdict: its log breaks off, and nobody writes it any more."
MOST_DONE = 12
"""Actions before the present plan that are listed."""


@dataclass(frozen=True, eq=False)
class Sections:
    """The parts of the page by name, each as JSON, and what they were made from."""

    view: View
    told: tuple[Life, tuple[str, ...]]
    parts: Mapping[str, str]


def sections(
    view: View,
    life: Life,
    notes: tuple[str, ...] = (),
    before: Sections | None = None,
    only: Collection[str] | None = None,
) -> Sections:
    """The parts of the page, or `only` some. Those that nothing has changed of since `before` are taken from there."""
    told, found = (life, notes), dict[str, str]()
    for name, (fields, make) in _PARTS.items():
        if only is not None and name not in only:
            continue
        if before is not None and before.told == told and all(_same(f, view, before.view) for f in fields):
            found[name] = before.parts[name]
        else:
            found[name] = json.dumps(make(view, life, notes), ensure_ascii=False, separators=(",", ":"))
    return Sections(view, told, found)


def _same(field: str, a: View, b: View) -> bool:
    return getattr(a, field) is getattr(b, field)


def _head(view: View, life: Life, notes: tuple[str, ...]) -> dict[str, Any]:
    start, ordered = view.start, any(t.kind == "order" for t in view.happened)
    shown = ("task", "scene_instruction", "backend", "body", "world", "arm", "perception", "planner", "seed", "clock")
    state, told = _verdict(view.ending, life)
    return {
        "title": title_of(view.said, list(view.goal), names(start, "steps"), ordered),
        "goal": list(view.goal),
        "untouched": list(view.untouched),
        "origin": origin.in_words if (origin := origin_told(start)) else "",
        "state": state,
        "verdict": told,
        "about": [[key.replace("_", " "), str(start[key])] for key in shown if start.get(key) is not None],
        "notes": list(notes),
    }


def _verdict(ending: Ending | None, life: Life) -> tuple[str, str]:
    if ending is not None:
        return ending.verdict, verdict_of(ending)
    if life == "gone":
        return "interrupted", GONE
    if life == "waited for":
        return "waiting", "It has not begun."
    return "running", "It goes on."


def _now(view: View, life: Life, notes: tuple[str, ...]) -> dict[str, Any]:
    """What is being done: activities where the log has them, else the action that was begun last."""
    on = view.ending is None and life == "goes on"
    running = [r for r in view.running if on and not r.over]
    # an action is told beside the goal that it is done for
    inner = [r for r in running if r.name not in view.goal and r.name != ", then ".join(view.goal)] or running
    open_ = [d for d in view.deeds if on and d.how == "unfinished"]
    told = [_running(r) for r in inner] or [{"name": d.action, "stage": "acting", "began": d.begin} for d in open_]
    return {"running": told, "stage": view.stage if open_ else "", "step": view.step, "t": round(view.t, 2)}


def _running(r: Running) -> dict[str, Any]:
    name = f"{r.arm}: {r.name}" if r.arm else r.name
    return {"name": name, "stage": r.stage, "began": round(r.began, 2), "why": r.why}


def _plan(view: View, life: Life, notes: tuple[str, ...]) -> dict[str, Any]:
    """The actions that were begun, and those of the present plan that are still to come."""
    since, on = view.deeds[view.before :], view.ending is None and life == "goes on"
    left = list(view.plan)
    for deed in since:
        if deed.how != "failed" and deed.action in left:
            left.remove(deed.action)
    stages = {(r.name, r.arm): r.stage for r in view.running if not r.over}
    left_out = _left_out(view)
    rows = [_row(view, d, stages.get((d.action, d.arm)), on) for d in view.deeds[left_out:]]
    rows += [{"action": action, "how": "planned", "arm": ""} for action in left]
    return {"rows": rows, "left_out": left_out, "searched": view.searched}


def _left_out(view: View) -> int:
    """How many actions, the first ones, are not listed."""
    return max(0, min(view.before, len(view.deeds)) - MOST_DONE)


def _row(view: View, deed: Deed, stage: str | None, on: bool) -> dict[str, Any]:
    how = deed.how if deed.how != "unfinished" or not on else stage or "acting"
    seconds = None if deed.how == "unfinished" else round(deed.end - deed.begin, 1)
    above = at_the_top(view, deed.why)
    why = {"why": "" if above else deed.why, "rest": VERDICT if above else ""}
    return {"action": deed.action, "how": how, **why, "arm": deed.arm, "seconds": seconds}


def _facts(view: View, life: Life, notes: tuple[str, ...]) -> dict[str, Any]:
    changes = [[round(c.t, 2), c.fact, c.holds] for c in view.changes]
    return {"holds": sorted(view.atoms or ()), "seen": view.atoms is not None, "changes": changes}


def _things(view: View, life: Life, notes: tuple[str, ...]) -> list[dict[str, Any]]:
    return [
        _thing(name, thing, view.tools.get(thing.arm), view.parts.get(name, ())) for name, thing in view.things.items()
    ]


def _parts(view: View, life: Life, notes: tuple[str, ...]) -> dict[str, Any]:
    """Of each thing with parts that move the solids of each part: points and polygons."""
    return {name: [polyhedra(p.solids) for p in parts] for name, parts in view.parts.items()}


def _thing(name: str, thing: Placed, tool: Point | None, parts: Sequence[DrawnPart]) -> dict[str, Any]:
    """The frame of a part has 12 numbers, 3 rows of rotation and position; its state is a word for one on a joint."""
    T = at(thing, tool)
    corners = None if thing.corners is None else moved(thing.corners, T @ np.linalg.inv(thing.T_first))
    return {
        "name": name,
        "category": thing.category,
        "first": _rounded(thing.T_first[:3, 3]),
        "last": _rounded(T[:3, 3]),
        "corners": None if corners is None else [_rounded(p) for p in corners],
        "held": thing.tool is not None,
        "note": thing.note,
        "parts": [_part(name, p, thing.values.get(p.name), T) for p in parts],
    }


def _part(thing: str, part: DrawnPart, value: float | None, T: Array) -> dict[str, Any]:
    state = part.state(part.joint.value if value is None else value) if part.joint else None
    frame = _frame(T @ part.displacement(value))
    return {"name": part.called(thing), "kind": part.kind, "state": state, "frame": frame}


def _solids(view: View, life: Life, notes: tuple[str, ...]) -> list[Any]:
    """Of each robot the solids of each link: points and faces."""
    return [
        [[[[_rounded(p) for p in s.points], s.faces.tolist()] for s in link] for link in r.shape.solids]
        for r in view.robots
    ]


def _frames(view: View, life: Life, notes: tuple[str, ...]) -> list[Any]:
    """Of each robot the frames of its links, None where it was not felt yet."""
    felt: Mapping[str, tuple[Array, float]] = view.felt
    return [[_frame(T) for T in r.shape.frames(*felt[r.arm])] if r.arm in felt else None for r in view.robots]


def _frame(T: Array) -> list[float]:
    return [round(float(v), 4) for v in T[:3].ravel()]


def _rounded(p: Array) -> list[float]:
    return [round(float(v), 4) for v in p]


def _happened(view: View, life: Life, notes: tuple[str, ...]) -> list[Any]:
    left_out = _left_out(view)
    return [[round(t.t, 2), t.kind, *told_once(view, t.text, left_out)] for t in view.happened]


_PARTS: Mapping[str, tuple[tuple[str, ...], Callable[[View, Life, tuple[str, ...]], Any]]] = {
    "head": (("start", "said", "goal", "untouched", "ending", "happened"), _head),
    "now": (("t", "running", "deeds", "stage", "step"), _now),
    "plan": (("plan", "deeds", "running", "searched", "ending"), _plan),
    "facts": (("atoms", "changes"), _facts),
    "parts": (("parts",), _parts),
    "things": (("things", "tools", "parts"), _things),
    "solids": (("robots",), _solids),
    "frames": (("robots", "felt"), _frames),
    "happened": (("happened", "deeds", "plan", "ending"), _happened),
}
"""Each part of the page, the fields that it is made from, and what makes it."""
