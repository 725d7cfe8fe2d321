"""Where an episode failed, in space: at which step, what the action was about, what was in the way, and how far off."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import dist

from tamp.runs.pages.fields import Point
from tamp.runs.pages.paths import Course
from tamp.runs.pages.places import Box, Thing
from tamp.runs.pages.reasons import FAR, ROOM, in_words
from tamp.runs.pages.timeline import Deed
from tamp.runs.pages.troubles import Rejected

ABOUT = "what it is about"
IN_THE_WAY = "in the way"


@dataclass(frozen=True)
class Span:
    """A line between two points, metres in the world frame, and what is said of it."""

    begin: Point
    end: Point
    told: str


@dataclass(frozen=True)
class Failing:
    """An action that came to nothing, at the control period `step`: of each thing that has to do with it its name, what
    it is, and whether that is what is wrong; and distances. `moved` says whether the arm had begun it. `in_the_way` has
    names of what is, apart from what the action is about; `hint` says what would make it possible, where that is known;
    `followed` are actions without a motion that kept what had gone wrong from being mended, each with its reason.
    """

    action: str
    why: str
    step: int
    t: float
    moved: bool
    marks: tuple[tuple[str, str, bool], ...]
    spans: tuple[Span, ...]
    in_the_way: tuple[str, ...] = ()
    hint: str = ""
    followed: tuple[tuple[str, str], ...] = ()


def failing_of(
    rejected: Sequence[Rejected],
    deeds: Sequence[Deed],
    things: Sequence[Thing],
    courses: Sequence[Course],
    stage: str | None = None,
) -> Failing | None:
    """What failed last: an action that was begun, or the first plan without motions of the last decision that no other
    got beyond: the others were tried instead of it. None where nothing failed. Where the episode ended in the `stage`
    of execution, it is the last action that was begun, whatever was tried afterwards."""
    last = max(rejected, key=lambda r: r.until, default=None)
    broken = next((d for d in reversed(deeds) if d.how in ("failed", "stopped")), None)
    if broken is not None and (last is None or broken.end > last.until):
        return _broken(broken, things, courses)
    if broken is not None and broken is deeds[-1] and stage == "execution":
        after = dict.fromkeys((r.action, r.message) for r in rejected if r.until > broken.end)
        return replace(_broken(broken, things, courses), followed=tuple(after))
    if last is None:
        return None
    together = [r for r in rejected if r.decision == last.decision]
    stuck = [r for n, r in enumerate(together) if not any(_got_beyond(r, later) for later in together[n + 1 :])]
    return no_motion(next((r for r in stuck if r.hint), stuck[0]), things, courses)


def _got_beyond(of: Rejected, other: Rejected) -> bool:
    """Whether another plan had motions for the action that had none."""
    done = other.plan[: other.plan.index(other.action)] if other.action in other.plan else ()
    return of.action in done


def no_motion(of: Rejected, things: Sequence[Thing], courses: Sequence[Course]) -> Failing:
    """An action that had no motion, as it was when that was found out."""
    about = _things_in(of.action, things)
    blockers = _named(of.blockers, things)
    others = [t for t in blockers if t not in about]
    told = IN_THE_WAY if of.reason in ROOM and others else in_words(of.reason)
    wrong = {t.name: told for t in others or blockers}
    marks = tuple((t.name, wrong.get(t.name, ABOUT), t.name in wrong) for t in _once(*about, *blockers))
    spans = list[Span]()
    if of.reason in FAR:
        spans = [span for t in blockers or about[:1] for span in _from_shoulder(t, of.step, courses)]
    elif of.reason in ROOM:
        spans = [_apart(t, other, of.step) for t in about for other in others]
    own = {*of.action.strip("()").split()[1:], *(t.name for t in about)}
    hinder = (n for n in of.blockers if n not in own and not set(_named([n], things)) & set(about))
    in_the_way = tuple(hinder) if of.reason in ROOM else ()
    return Failing(of.action, of.message, of.step, of.t, False, marks, tuple(spans), in_the_way, of.hint)


def _broken(deed: Deed, things: Sequence[Thing], courses: Sequence[Course]) -> Failing:
    """An action that was begun, as it was when it ended."""
    step = deed.last_step or 0
    about = _things_in(deed.action, things)
    spans = [span for t in about[:1] for span in _from_tool(t, step, deed.arm, courses)]
    marks = tuple((t.name, ABOUT, False) for t in about)
    return Failing(deed.action, deed.why, step, deed.end, True, marks, tuple(spans))


def _things_in(action: str, things: Sequence[Thing]) -> list[Thing]:
    """The things that an action in PDDL is about, in the order of its arguments."""
    return _named(action.strip("()").split()[1:], things)


def _named(names: Sequence[str], things: Sequence[Thing]) -> list[Thing]:
    """The things that names stand for, of which some are of parts: the drawer `cabinet_1_top_region`."""
    found = []
    for name in names:
        whole = [t for t in things if name == t.name or name.startswith(f"{t.name}_")]
        if whole and not (best := max(whole, key=lambda t: len(t.name))).ground:
            found.append(best)
    return _once(*found)


def _once(*things: Thing) -> list[Thing]:
    return list({t.name: t for t in things}.values())


def _box(thing: Thing, step: int) -> Box:
    place = thing.at(step)
    return thing.bounds(step) or (place, place)


def _nearest(a: Box, b: Box) -> tuple[Point, Point]:
    """Points of two boxes that are as near to each other as any; the middle of what they share where they overlap."""
    ends = []
    for k in range(3):
        low, high = max(a[0][k], b[0][k]), min(a[1][k], b[1][k])
        ends.append(
            ((low + high) / 2,) * 2 if low <= high else (a[1][k], b[0][k]) if a[1][k] < b[0][k] else (a[0][k], b[1][k])
        )
    (x, u), (y, v), (z, w) = ends
    return (x, y, z), (u, v, w)


def _apart(thing: Thing, other: Thing, step: int) -> Span:
    begin, end = _nearest(_box(thing, step), _box(other, step))
    far = dist(begin, end)
    if far < 0.0005:
        return Span(begin, end, f"the boxes of {thing.name} and {other.name} meet")
    return Span(begin, end, f"{thing.name} to {other.name}: {_length(far)}")


def _from_shoulder(thing: Thing, step: int, courses: Sequence[Course]) -> Iterator[Span]:
    for course in courses:
        if course.robot is not None:
            x, y, z = (float(v) for v in course.robot.shape.shoulder()[:3, 3])
            end = _nearest(((x, y, z), (x, y, z)), _box(thing, step))[1]
            whose = f"the shoulder of {course.arm}" if course.arm else "the arm's shoulder"
            reach = course.robot.reach
            known = "" if reach is None else f"; the arm reaches {_length(reach)}, to its flange"
            yield Span((x, y, z), end, f"{whose} to {thing.name}: {_length(dist((x, y, z), end))}{known}")


def _from_tool(thing: Thing, step: int, arm: str, courses: Sequence[Course]) -> Iterator[Span]:
    for course in courses:
        known = [p for s, p in zip(course.steps, course.points, strict=True) if s <= step and p is not None]
        if course.arm == arm and known:
            end = _nearest((known[-1], known[-1]), _box(thing, step))[1]
            yield Span(known[-1], end, f"the tool to {thing.name}: {_length(dist(known[-1], end))}")


def _length(metres: float) -> str:
    return f"{metres:.2f} m" if metres >= 1 else f"{100 * metres:.1f} cm"
