"""Where an episode failed, in space: at which step, what the action was about, what was in the way, and how far off."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import dist

from tamp.view.failed_steps import RejectedPlan
from tamp.view.log_fields import Point
from tamp.view.scene_tracks import Box, TrackedThing, Tracks
from tamp.view.timeline import ExecutedAction

ABOUT = "what it is about"
IN_THE_WAY = "in the way"
ROOM = frozenset({"collision", "hindered", "no-room", "crowded"})
"""Codes of what has no room because of something else, which is then in the way."""
FAR = frozenset({"unreachable", "stretched", "timeout"})
"""Codes for which it counts how far something is from the arm."""
IN_WORDS = {
    "collision": "it would be touched",
    "hindered": "no room for the hand",
    "crowded": "no room left",
    "unreachable": "out of the arm's reach",
    "stretched": "within reach of a stretched arm only",
    "timeout": "nothing found in time",
    "nothing": "no way to do it",
    "no-grasp": "no grasp fits the gripper",
    "no-room": "no room for the hand at any grasp",
    "no-way": "it cannot be pushed there",
    "no-joint": "nothing of it moves on a joint",
    "not-held": "not in the hand",
    "does-not-fit": "no spot for it",
    "jammed": "it lies askew",
    "refused": "refused by the guide of the motion",
}
"""What the codes that skills give for a failure mean; other codes are shown without their hyphens."""


@dataclass(frozen=True)
class Span:
    """A line between two points, metres in the world frame, and its label."""

    begin: Point
    end: Point
    text: str


@dataclass(frozen=True)
class FailedAction:
    """An action that came to nothing, at the control period `step`: of each thing that has to do with it its name, what
    it is, and whether that is what is wrong; and distances. `moved` says whether the arm had begun it. `in_the_way` has
    names of what is, apart from what the action is about; `hint` says what would make it possible, where that is known;
    `followed` are actions without a motion that kept what had gone wrong from being repaired, each with its reason."""

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


def last_failure(
    rejected: Sequence[RejectedPlan], begun: Sequence[ExecutedAction], tracks: Tracks, stage: str | None = None
) -> FailedAction | None:
    """What failed last: an action that was begun, or the first plan without motions of the last decision that no other
    got beyond: the others were tried instead of it. None where nothing failed. Where the episode ended in the `stage`
    of execution, it is the last action that was begun, whatever was tried afterwards."""
    last = max(rejected, key=lambda r: r.until, default=None)
    broken = next((a for a in reversed(begun) if a.state in ("failed", "stopped")), None)
    if broken is not None and (last is None or broken.end > last.until):
        return _broken(broken, tracks)
    if broken is not None and broken is begun[-1] and stage == "execution":
        after = dict.fromkeys((r.action, r.message) for r in rejected if r.until > broken.end)
        return replace(_broken(broken, tracks), followed=tuple(after))
    if last is None:
        return None
    together = [r for r in rejected if r.decision == last.decision]
    stuck = [r for n, r in enumerate(together) if not any(_got_beyond(r, later) for later in together[n + 1 :])]
    return without_motion(next((r for r in stuck if r.hint), stuck[0]), tracks)


def _got_beyond(of: RejectedPlan, other: RejectedPlan) -> bool:
    """Whether another plan had motions for the action that had none."""
    return other.action in other.plan and of.action in other.plan[: other.plan.index(other.action)]


def without_motion(of: RejectedPlan, tracks: Tracks) -> FailedAction:
    """An action that had no motion, as it was when that was found out."""
    about = _named(of.action.strip("()").split()[1:], tracks)
    blockers = _named(of.blockers, tracks)
    others = [t for t in blockers if t not in about]
    text = IN_THE_WAY if of.reason in ROOM and others else IN_WORDS.get(of.reason, of.reason.replace("-", " "))
    wrong = {t.name: text for t in others or blockers}
    marks = tuple((name, wrong.get(name, ABOUT), name in wrong) for name in _once(about, blockers))
    spans = list[Span]()
    if of.reason in FAR:
        spans = [span for t in blockers or about[:1] for span in _from_shoulder(t, of.step, tracks)]
    elif of.reason in ROOM:
        spans = [_apart(t, other, of.step) for t in about for other in others]
    own = {*of.action.strip("()").split()[1:], *(t.name for t in about)}
    hinder = (n for n in of.blockers if n not in own and not set(_once(_named([n], tracks))) & set(_once(about)))
    in_the_way = tuple(hinder) if of.reason in ROOM else ()
    return FailedAction(of.action, of.message, of.step, of.t, False, marks, tuple(spans), in_the_way, of.hint)


def _broken(action: ExecutedAction, tracks: Tracks) -> FailedAction:
    """An action that was begun, as it was when it ended."""
    step = action.last_step or 0
    about = _named(action.action.strip("()").split()[1:], tracks)
    tool = tracks.tool(step)
    spans = list[Span]()
    for thing in about[:1] if tool is not None else ():
        assert tool is not None
        end = _nearest((tool, tool), _box(thing, step))[1]
        spans.append(Span(tool, end, f"the tool to {thing.name}: {_length(dist(tool, end))}"))
    marks = tuple((t.name, ABOUT, False) for t in about)
    return FailedAction(action.action, action.why, step, action.end, True, marks, tuple(spans))


def _named(names: Sequence[str], tracks: Tracks) -> list[TrackedThing]:
    """The things that names stand for, of which some are of parts: the drawer `cabinet_1_top_region`."""
    found = dict[str, TrackedThing]()
    for name in names:
        whole = [t for t in tracks.things.values() if name == t.name or name.startswith(f"{t.name}_")]
        if whole and not (best := max(whole, key=lambda t: len(t.name))).ground:
            found[best.name] = best
    return [*found.values()]


def _once(*things: Sequence[TrackedThing]) -> list[str]:
    return list(dict.fromkeys(t.name for some in things for t in some))


def _box(thing: TrackedThing, step: int) -> Box:
    place = thing.place(step)
    return thing.bounds(step) or (place, place)


def _nearest(a: Box, b: Box) -> tuple[Point, Point]:
    """Points of two boxes that are as near to each other as any; the middle of what they share where they overlap."""
    ends = []
    for k in range(3):
        low, high = max(a[0][k], b[0][k]), min(a[1][k], b[1][k])
        apart = (a[1][k], b[0][k]) if a[1][k] < b[0][k] else (a[0][k], b[1][k])
        ends.append(((low + high) / 2,) * 2 if low <= high else apart)
    (x, u), (y, v), (z, w) = ends
    return (x, y, z), (u, v, w)


def _apart(thing: TrackedThing, other: TrackedThing, step: int) -> Span:
    begin, end = _nearest(_box(thing, step), _box(other, step))
    far = dist(begin, end)
    if far < 0.0005:
        return Span(begin, end, f"the boxes of {thing.name} and {other.name} meet")
    return Span(begin, end, f"{thing.name} to {other.name}: {_length(far)}")


def _from_shoulder(thing: TrackedThing, step: int, tracks: Tracks) -> Iterator[Span]:
    if (robot := tracks.robot) is not None:
        x, y, z = (float(v) for v in robot.shape.shoulder()[:3, 3])
        end = _nearest(((x, y, z), (x, y, z)), _box(thing, step))[1]
        known = "" if robot.reach is None else f"; the arm reaches {_length(robot.reach)}, to its flange"
        yield Span((x, y, z), end, f"the arm's shoulder to {thing.name}: {_length(dist((x, y, z), end))}{known}")


def _length(metres: float) -> str:
    return f"{metres:.2f} m" if metres >= 1 else f"{100 * metres:.1f} cm"
