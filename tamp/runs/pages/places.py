"""Where things were at each moment of a log, for a picture in space."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TypeVar

import numpy as np

from motion.poses import Array, inverse, moved, pose
from tamp.runs.moving_parts import DrawnJoint, DrawnPart, parts_of, values_of
from tamp.runs.pages.fields import Event, Point, names, point, pose_in, table, words
from tamp.runs.pages.moments import Moments

T = TypeVar("T", Point, float)

LOOKS = ("scene", "look", "final")
"""Events with the places of things."""
WIDE = 1.5
"""Metres: what is wider is what all stands on."""
MOVED = 0.001
"""Metres that make another place, and radians another angle."""

Box = tuple[Point, Point]
"""Two opposite corners of a box along the world's axes, the lower one first."""


@dataclass(frozen=True, eq=False)
class Thing:
    """Something in the scene. `places` are where it was, by the number of the control period from which on, the first
    one first; metres, world frame. What is held is where the tool has it. `box` is the box around it at the first one,
    None where the log does not say how large it is. `parts` are its pieces where any of them moves, `turned` (3, 3) how
    it is turned at the first place, and `values` what each joint is at, from which control period on."""

    name: str
    category: str
    places: tuple[tuple[int, Point], ...]
    box: Box | None = None
    parts: tuple[DrawnPart, ...] = ()
    turned: Array = field(default_factory=lambda: np.eye(3))
    values: Mapping[str, tuple[tuple[int, float], ...]] = field(default_factory=dict)

    @property
    def first(self) -> Point:
        """Where it was seen first."""
        return self.places[0][1]

    @property
    def last(self) -> Point:
        """Where it was in the end."""
        return self.places[-1][1]

    def at(self, moment: int) -> Point:
        """Where it was at a moment; at first, before it was seen."""
        return next((place for since, place in reversed(self.places) if since <= moment), self.first)

    @property
    def ground(self) -> bool:
        """Whether it is a floor or a table, which all stands on."""
        wide = self.box is not None and min(self.box[1][k] - self.box[0][k] for k in (0, 1)) > WIDE
        return wide or any(word in self.category for word in ("table", "floor"))

    def value(self, part: DrawnPart, moment: int) -> float | None:
        """What the joint of a part is at, metres or radians; as at first, before it was seen; None without a joint."""
        if part.joint is None:
            return None
        seen = self.values.get(part.name, ())
        return next((v for since, v in reversed(seen) if since <= moment), part.joint.value)

    def bounds(self, moment: int) -> Box | None:
        """The box around it at a moment, with its parts as they are then."""
        if not self.parts:
            return self.box_at(self.at(moment))
        T = pose(np.array(self.at(moment)), self.turned)
        return around(moved(s.points, T @ p.displacement(self.value(p, moment))) for p in self.parts for s in p.solids)

    def box_at(self, place: Point) -> Box | None:
        """The box around it once it is at a place, as it was turned at first."""
        if self.box is None:
            return None
        low, high = ((c[0] - f[0], c[1] - f[1], c[2] - f[2]) for c, f in ((b, self.first) for b in self.box))
        return tuple((place[0] + c[0], place[1] + c[1], place[2] + c[2]) for c in (low, high))  # type: ignore[return-value]


def around(clouds: Iterable[Array]) -> Box:
    """The box around points (n, 3)."""
    points = np.concatenate(list(clouds))
    low, high = (of(points, axis=0).round(4).tolist() for of in (np.min, np.max))
    return tuple(low), tuple(high)


def things(events: Sequence[Event], moments: Moments) -> tuple[Thing, ...]:
    """The things whose places a log has, in the order in which they are named."""
    seen: dict[str, dict[int, Point]] = {}
    category: dict[str, str] = {}
    boxes: dict[str, Box] = {}
    values: dict[tuple[str, str], dict[int, float]] = {}
    real = _names_seen(events)
    for e, moment in zip(events, moments.of, strict=True):
        called = real if e["event"] == "final" else {}
        for name, there in table(e, "poses").items():
            if e["event"] in LOOKS and (at := point(there)):
                seen.setdefault(called.get(name, name), {})[moment] = at
        for name, joints in values_of(e).items():
            for end, value in joints.items():
                values.setdefault((called.get(name, name), end), {})[moment] = value
        category |= {name: words(table(e, "objects"), name) for name in table(e, "objects")}
        for name, corners in table(e, "boxes").items():
            if isinstance(corners, list) and len(corners) == 2 and name not in boxes:
                low, high = map(point, corners)
                if low and high:
                    boxes[name] = (low, high)
    for name, moment, place in _held(events, moments, seen):
        seen[name].setdefault(moment, place)
    parts, steps = _parts(events), _steps(events, moments)
    whole: dict[str, dict[str, tuple[tuple[int, float], ...]]] = {name: {} for name in parts}
    for (name, end), known in values.items():
        if name in parts and name in seen:
            T_world_thing = pose(np.array(seen[name][min(seen[name])]), parts[name][1])
            joint = next((p.joint for p in parts[name][0] if p.name == end), None)
            guided = {} if joint is None else dict(_guided(joint, T_world_thing, known, steps))
            whole[name][end] = _changes({**known, **guided})
    told = ((n, category.get(n, ""), _changes(seen[n]), boxes.get(n)) for n in seen)
    return tuple(Thing(*t, *parts[t[0]], whole[t[0]]) if t[0] in parts else Thing(*t) for t in told)


def _parts(events: Sequence[Event]) -> dict[str, tuple[tuple[DrawnPart, ...], Array]]:
    """The parts of things by name, and how each thing is turned at first."""
    found: dict[str, tuple[tuple[DrawnPart, ...], Array]] = {}
    for e in events:
        for name, parts in parts_of(e).items():
            if (T := pose_in(table(e, "poses").get(name))) is not None:
                found.setdefault(name, (parts, T[:3, :3]))
    return found


def _names_seen(events: Sequence[Event]) -> dict[str, str]:
    """By the simulator's names, with which a log of cameras ends, what they were called when they were seen."""
    matched: Mapping[str, object] = next((table(e, "names") for e in events if e["event"] == "matched"), {})
    return {real: seen for seen, real in matched.items() if isinstance(real, str)}


def _changes(seen: Mapping[int, T]) -> tuple[tuple[int, T], ...]:
    """Places or joint values in order, without those that are as the one before."""
    kept: list[tuple[int, T]] = []
    for moment in sorted(seen):
        if not kept or np.linalg.norm(np.subtract(kept[-1][1], seen[moment])) > MOVED:
            kept.append((moment, seen[moment]))
    return tuple(kept)


def _held(
    events: Sequence[Event], moments: Moments, seen: Mapping[str, Mapping[int, Point]]
) -> Iterator[tuple[str, int, Point]]:
    """Things, moments and places while an arm has them: from the last closing of the fingers before it is seen to
    hold something until the last opening before it is seen not to. It is as far from the tool as it was when they
    closed."""
    steps: dict[str, list[tuple[int, Point, bool]]] = {}
    held: dict[str, tuple[str, int]] = {}
    for e, moment in zip(events, moments.of, strict=True):
        arm, kind = words(e, "arm"), e["event"]
        if kind == "action":
            begun = steps.setdefault(arm, [])
            begun[:] = [] if arm not in held else begun
        elif kind == "command" and (tool := point(e.get("tool"))):
            steps.setdefault(arm, []).append((moment, tool, words(e, "stage") == "grip"))
        elif kind == "state" and isinstance(e.get("atoms"), list):
            has = {a[9:-1].strip() for a in names(e, "atoms") if a.startswith("(holding ")}
            was = held.get(arm)
            if was is not None and was[0] not in has:
                yield from _carried(was[0], was[1], steps.get(arm, []), seen)
                del held[arm]
            for name in sorted(has):
                if arm not in held and name in seen and (closed := _gripped(steps.get(arm, []))) is not None:
                    held[arm] = (name, closed)
    for arm, (name, closed) in held.items():
        yield from _carried(name, closed, steps.get(arm, []), seen, kept=True)


def _steps(events: Sequence[Event], moments: Moments) -> dict[str, list[tuple[int, Point, bool]]]:
    """Of each arm the control periods, where its tool was, and whether its fingers were moving."""
    found: dict[str, list[tuple[int, Point, bool]]] = {}
    for e, moment in zip(events, moments.of, strict=True):
        if e["event"] == "command" and (tool := point(e.get("tool"))):
            found.setdefault(words(e, "arm"), []).append((moment, tool, words(e, "stage") == "grip"))
    return found


def _guided(
    joint: DrawnJoint,
    T_world_thing: Array,
    seen: Mapping[int, float],
    steps: Mapping[str, Sequence[tuple[int, Point, bool]]],
) -> Iterator[tuple[int, float]]:
    """Moments and values of a joint between two looks at which it was not the same: it goes with the tool from the last
    but one to the last time that fingers began to move, when they closed on it and opened."""
    for (before, start), (after, end) in pairwise(sorted(seen.items())):
        for of_arm in steps.values() if abs(end - start) > MOVED else ():
            some = [s for s in of_arm if before < s[0] <= after]
            opened = _gripped(some)
            closed = None if opened is None else _gripped([s for s in some if s[0] < opened])
            held = [s for s in some if closed is not None and opened is not None and closed <= s[0] <= opened]
            if len(held) > 1:
                far = joint.along(moved(np.array([tool for _, tool, _ in held]), inverse(T_world_thing)))
                whole = far[-1] - far[0]
                if whole * (end - start) > 0:
                    shares = np.clip((far - far[0]) / whole, 0.0, 1.0)
                    yield from ((s[0], float(start + (end - start) * x)) for s, x in zip(held, shares, strict=True))


def _gripped(steps: Sequence[tuple[int, Point, bool]], after: int = -1) -> int | None:
    """The last moment, after another one, at which fingers began to move."""
    begins = [m for n, (m, _, grips) in enumerate(steps) if grips and m > after and (n == 0 or not steps[n - 1][2])]
    return begins[-1] if begins else None


def _carried(
    name: str,
    closed: int,
    steps: Sequence[tuple[int, Point, bool]],
    seen: Mapping[str, Mapping[int, Point]],
    kept: bool = False,
) -> Iterator[tuple[str, int, Point]]:
    """Where a thing went that fingers closed on, until they opened or, if it was kept, in the end."""
    before = [m for m in seen[name] if m <= closed]
    tool = next((p for m, p, _ in steps if m == closed), None)
    if not before or tool is None:
        return
    was = seen[name][max(before)]
    away = tuple(was[k] - tool[k] for k in range(3))
    opened = None if kept else _gripped(steps, closed)
    for moment, p, _ in steps:
        if closed <= moment and (opened is None or moment <= opened):
            yield name, moment, (round(p[0] + away[0], 4), round(p[1] + away[1], 4), round(p[2] + away[2], 4))
    later = [m for m in seen[name] if opened is not None and m > opened]
    if opened is not None and later:
        yield name, opened + 1, seen[name][min(later)]
