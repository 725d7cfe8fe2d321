"""Drawers and doors in the way: what they are called in symbols, and what is true only while one of them is open."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from tamp.model.atoms import Atom
from tamp.model.scene import Part, Scene
from tamp.skills.base import Infeasible

TOUCHING = frozenset({"collision", "no-room"})
"""Codes of what would be touched."""


def in_symbols(cause: Infeasible, scene: Scene) -> Infeasible:
    """The cause with parts of things that stay where they are named as a goal would name them: by the interior that a
    drawer or a door shuts, else by their thing. Of what is open it says that it is."""
    shutting = interiors(scene)
    symbols = {part.name: symbol for symbol, part in sorted(shutting.items(), reverse=True)}
    is_open = {part.name for symbol, part in shutting.items() if not _at_rest(symbol, scene)}
    called = {p.name: symbols.get(p.name, o.name) for o in scene if not o.movable for p in o.parts}
    blockers = tuple(dict.fromkeys(called.get(b, b) for b in cause.blockers))
    message = cause.message
    for part in {*cause.blockers} & {*called}:
        stated = called[part] + (", while it is open," if part in is_open else "")
        message = re.sub(rf"(?<![\w-]){re.escape(part)}(?![\w-])", stated, message)
    return replace(cause, blockers=blockers, message=message.rstrip(","))


def while_open(
    about: str, args: tuple[str, ...], causes: Iterable[Infeasible], then: Scene, now: Scene
) -> frozenset[Atom]:
    """That something is blocked while something else is open: what most samples would have touched, where that is
    drawers or doors that were open `then`, without those that the action, with `args`, is about; nothing where not.

    The causes are in symbols. What is open `now`, too, is in the way now.
    """
    is_open = open_parts(then, args)
    hit = Counter(frozenset(c.blockers) for c in causes if c.reason in TOUCHING and c.blockers)
    blocked = next((most for most, _ in hit.most_common(1) if most <= is_open), frozenset[str]())
    stated = frozenset(Atom("in-way-if-open", (about, s)) for s in blocked)
    return stated | {Atom("in-way", (about, s)) for s in blocked if not _at_rest(s, now)}


def open_parts(scene: Scene, args: tuple[str, ...]) -> frozenset[str]:
    """Interiors whose drawer or door is open, without those that an action with `args` is about."""
    shutting = interiors(scene)
    about_them = {shutting[a].name for a in args if a in shutting}
    return frozenset(s for s, part in shutting.items() if not _at_rest(s, scene) and part.name not in about_them)


def interiors(scene: Scene) -> dict[str, Part]:
    """The drawer or door of each interior that has one."""
    return {r.name: o.part(r.door) for o, r in scene.regions() if r.kind == "interior" and r.door is not None}


def _at_rest(symbol: str, scene: Scene) -> bool:
    joint = interiors(scene)[symbol].joint
    return joint is None or joint.is_nearly_rest
