"""Where a thing is among things of the same name, in words, from the scene's geometry alone.

Left, right, front and back are the agent view's: image right is world +y, front is world +x. A relation is
only said when it holds of one thing and clearly not of the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from tamp.model.scene import Scene, SceneObject

NEXT_TO = 0.10
"""Metres of gap, seen from above, up to which a thing is next to another."""
CLEARLY = 0.03
"""Metres by which a relation must hold better of one thing than of the others."""
BESIDE_LINE = 0.05
"""Metres off the line between two things up to which a third is between them."""
CENTRE = 0.12
"""Metres from the middle of the table up to which a thing is at its centre."""
LONGEST_SPAN = 0.45
"""Metres between two things beyond which nothing is said to be between them."""

_ENDS = ((("front", 1), ("back", -1)), (("left", -1), ("right", 1)))
"""What the outermost things along world x and y are called, and on which side they are."""


def templates(
    thing: SceneObject, group: Sequence[SceneObject], marks: dict[str, SceneObject], scene: Scene
) -> list[str]:
    """Ways to single `thing` out of `group`, as texts with `{}` for the noun: "{} next to the stove".

    `marks` are the landmarks that a relation may refer to, by name. Best first.
    """
    others = [o for o in group if o is not thing]
    landmarks = {n: o for n, o in marks.items() if o not in group}
    out = [f"{adjective} {{}}" for adjective in _extremes(thing, others)]
    out += [f"{{}} next to the {n}" for n in _next_to(thing, others, landmarks)]
    out += [f"{{}} between the {a} and the {b}" for a, b in _between(thing, others, landmarks)]
    return out + (["{} in the middle of the table"] if _central(thing, others, scene) else [])


def gap(a: SceneObject, b: SceneObject) -> float:
    """Metres between two things' boxes, seen from above; 0 when they overlap."""
    (la, ha), (lb, hb) = a.bounds(), b.bounds()
    apart = np.maximum(0.0, np.maximum(la - hb, lb - ha))[:2]
    return float(np.linalg.norm(apart))


def _level(a: SceneObject, b: SceneObject) -> bool:
    """Whether two things share some height: neither stands on the other."""
    (la, ha), (lb, hb) = a.bounds(), b.bounds()
    return bool(min(ha[2], hb[2]) - max(la[2], lb[2]) > 0.3 * min(ha[2] - la[2], hb[2] - lb[2]))


def _next_to(thing: SceneObject, others: list[SceneObject], marks: dict[str, SceneObject]) -> list[str]:
    near = []
    for name, mark in marks.items():
        g = gap(thing, mark)
        if _level(thing, mark) and g <= NEXT_TO and all(gap(o, mark) > g + CLEARLY for o in others):
            near.append((g, name))
    return [name for _, name in sorted(near)]


def _between(thing: SceneObject, others: list[SceneObject], marks: dict[str, SceneObject]) -> list[tuple[str, str]]:
    """Pairs of landmarks that `thing`, and none of the others, stands between; the nearest first."""
    found = []
    for (name_a, a), (name_b, b) in combinations(marks.items(), 2):
        span = float(np.linalg.norm((b.position - a.position)[:2]))
        if not 0.05 < span <= LONGEST_SPAN:
            continue
        if _on_line(thing, a, b, BESIDE_LINE) and not any(_on_line(o, a, b, 2 * BESIDE_LINE) for o in others):
            found.append((span, name_a, name_b))
    return [(a, b) for _, a, b in sorted(found)]


def _on_line(thing: SceneObject, a: SceneObject, b: SceneObject, margin: float) -> bool:
    start, line = a.position[:2], (b.position - a.position)[:2]
    along = float((thing.position[:2] - start) @ line / (line @ line))
    off = float(np.linalg.norm(thing.position[:2] - start - along * line))
    return 0.2 < along < 0.8 and off < margin


def _central(thing: SceneObject, others: list[SceneObject], scene: Scene) -> bool:
    surfaces = [r for o, r in scene.regions() if r.kind == "surface" and not o.movable]
    if not surfaces:
        return False
    middle = max(surfaces, key=lambda r: float(np.prod(r.half_extent[:2]))).T_world_region[:2, 3]
    away = float(np.linalg.norm(thing.position[:2] - middle))
    return away < CENTRE and all(np.linalg.norm(o.position[:2] - middle) > away + CENTRE / 2 for o in others)


def _extremes(thing: SceneObject, others: list[SceneObject]) -> list[str]:
    """ "left" and the like, where `thing` is clearly the outermost or the middle one; first along the axis on which the
    group is spread most."""
    points = np.array([o.position[:2] for o in (thing, *others)])
    main, out = int(np.argmax(np.ptp(points, axis=0))), list[str]()
    for axis in (main, 1 - main):
        beyond = points[0, axis] - points[1:, axis]
        out += [end for end, sign in _ENDS[axis] if (sign * beyond > CLEARLY).all()]
        half = len(others) / 2
        if axis == main and others and (beyond > CLEARLY).sum() == half == (beyond < -CLEARLY).sum():
            out.append("middle")
    return out
