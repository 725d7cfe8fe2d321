"""Things and places of a scene in words, for people: "top drawer of the wooden cabinet"."""

from __future__ import annotations

from collections.abc import Iterable

from tamp.model.scene import UNKNOWN, Scene

SIDES = frozenset({"region", "contain", "side"})
"""Words of regions' names that say nothing."""


def called(scene: Scene, symbol: str) -> str:
    """A thing or a place in it, without an article."""
    for o, r in scene.regions():
        if r.name != symbol:
            continue
        words = [w for w in r.name.removeprefix(o.name).split("_") if w and w not in SIDES and not w.isdigit()]
        kind = o.part(r.door).kind if r.door is not None else ""
        alone = sum(other.kind == r.kind for other in o.regions) == 1
        what = o.category.replace("_", " ")
        return what if alone else f"{' '.join([*words, *(['drawer'] if kind == 'drawer' else [])])} of the {what}"
    thing = scene.object(symbol)
    return "unknown thing" if thing.category == UNKNOWN else thing.category.replace("_", " ")


def listed(looked: Iterable[str]) -> str:
    """Where one has looked: "around, and into the top, middle and bottom drawer of the wooden cabinet"."""
    places = list(dict.fromkeys(looked))
    around, inside = [p for p in places if p == "around"], [p for p in places if p != "around"]
    of: dict[str, list[str]] = {}
    for p in inside:
        which, _, whose = p.partition(" of the ")
        of.setdefault(whose, []).append(which)
    told = [_told(which, whose) for whose, which in of.items()]
    return ", and ".join([*around, *([f"into {_and(told)}"] if told else [])])


def _told(which: list[str], whose: str) -> str:
    if not whose:
        return _and([f"the {w}" for w in which])
    drawers = all(w.endswith(" drawer") for w in which)
    if drawers and len(which) > 1:
        return f"the {_and([w.removesuffix(' drawer') for w in which])} drawers of the {whose}"
    return f"the {_and(which)} of the {whose}"


def _and(words: list[str]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "".join(words)
