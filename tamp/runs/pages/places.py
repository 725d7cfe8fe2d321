"""Where things were at each moment of a log, for a picture in space."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import dist

from tamp.runs.pages.fields import Event, Point, names, point, table, words
from tamp.runs.pages.moments import Moments

LOOKS = ("scene", "look", "final")
"""Events with the places of things."""
WIDE = 1.5
"""Metres: what is wider is what all stands on."""
MOVED = 0.001
"""Metres that make another place."""

Box = tuple[Point, Point]
"""Two opposite corners of a box along the world's axes, the lower one first."""


@dataclass(frozen=True)
class Thing:
    """Something in the scene. `places` are where it was, by the number of the control period from which on, the first
    one first; metres, world frame. What is held is where the tool has it. `box` is the box around it at the first one,
    None where the log does not say how large it is."""

    name: str
    category: str
    places: tuple[tuple[int, Point], ...]
    box: Box | None = None

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

    def box_at(self, place: Point) -> Box | None:
        """The box around it once it is at a place, as it was turned at first."""
        if self.box is None:
            return None
        low, high = ((c[0] - f[0], c[1] - f[1], c[2] - f[2]) for c, f in ((b, self.first) for b in self.box))
        return tuple((place[0] + c[0], place[1] + c[1], place[2] + c[2]) for c in (low, high))  # type: ignore[return-value]


def things(events: Sequence[Event], moments: Moments) -> tuple[Thing, ...]:
    """The things whose places a log has, in the order in which they are named."""
    seen: dict[str, dict[int, Point]] = {}
    category: dict[str, str] = {}
    boxes: dict[str, Box] = {}
    real = _names_seen(events)
    for e, moment in zip(events, moments.of, strict=True):
        called = real if e["event"] == "final" else {}
        for name, pose in table(e, "poses").items():
            if e["event"] in LOOKS and (at := point(pose)):
                seen.setdefault(called.get(name, name), {})[moment] = at
        category |= {name: words(table(e, "objects"), name) for name in table(e, "objects")}
        for name, corners in table(e, "boxes").items():
            if isinstance(corners, list) and len(corners) == 2 and name not in boxes:
                low, high = map(point, corners)
                if low and high:
                    boxes[name] = (low, high)
    for name, moment, place in _held(events, moments, seen):
        seen[name].setdefault(moment, place)
    told = ((n, category.get(n, ""), _changes(seen[n]), boxes.get(n)) for n in seen)
    return tuple(Thing(*t) for t in told)


def _names_seen(events: Sequence[Event]) -> dict[str, str]:
    """By the simulator's names, with which a log of cameras ends, what they were called when they were seen."""
    matched: Mapping[str, object] = next((table(e, "names") for e in events if e["event"] == "matched"), {})
    return {real: seen for seen, real in matched.items() if isinstance(real, str)}


def _changes(places: Mapping[int, Point]) -> tuple[tuple[int, Point], ...]:
    """Places in order, without those that are as the one before."""
    kept: list[tuple[int, Point]] = []
    for moment in sorted(places):
        if not kept or dist(kept[-1][1], places[moment]) > MOVED:
            kept.append((moment, places[moment]))
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
