"""Worlds drawn by a random generator: an arena, furniture, things and how they stand to each other, as a `scene.toml`.

What is drawn are relations; where things stand follows from the file's own seed, and whether they stay from physics.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TypeVar

import numpy as np

from tamp.backends.libero.categories import Category, added, load, names
from tamp.backends.libero.scene_description import ARENAS
from tamp.errors import InputError
from tamp.model.scene import Region, SceneObject

FURNITURE = (0, 3)
"""Fixtures of a world, fewest and most."""
THINGS = (2, 12)
"""Things that can be carried, fewest and most."""
OPEN = 0.35
"""Share of drawers, doors and knobs that start open, or on."""
STANDS = {"table": 0.55, "furniture": 0.2, "thing": 0.15, "beside": 0.1}
"""How things stand where all of it is possible: shares."""
SUPPORT, TALL = 0.8, 2.0
"""Least width of what carries something, in widths of that; and its greatest height, in widths of its own."""

T = TypeVar("T")


def drawn_scene(rng: np.random.Generator) -> str:
    """The text of a scene file, without a goal."""
    furniture = [c for c in _categories() if c.fixed and (c.regions("surface", "interior") or c.knobs)]
    portable = [c for c in _categories() if not c.fixed]
    fixtures = _named(rng, furniture, FURNITURE)
    things = _named(rng, portable, THINGS)
    lines = [f"seed = {rng.integers(2**31)}", f'table = "{_one(rng, ARENAS).name}"']
    for name, c in fixtures.items():
        lines += ["", f"[things.{name}]", f'category = "{c.name}"', *_opened(rng, name, c)]
    there: dict[str, Category] = {}
    beside = list(fixtures)
    for name, c in things.items():
        where = _where(rng, c, fixtures, there, beside)
        lines += ["", f"[things.{name}]", f'category = "{c.name}"', *([where] if where else []), *_straight(rng, c)]
        there[name] = c
        beside += [] if where else [name]
    return "\n".join(lines) + "\n"


def could_hold(place: Region | SceneObject, thing: SceneObject, covered: bool = True) -> bool:
    """Whether the box around a thing is small enough for a place in some attitude, whatever else is there; on top, or
    in what is not `covered`, it may be of any height. Inside, no is a proof; balancing on the rim of a basket, on what
    is narrower than the thing, or on what is a tower itself, is left out."""
    size = np.sort(thing.extent)
    if isinstance(place, SceneObject):
        if any(r.kind == "interior" for r in place.regions):
            return False
        width, carried = np.sort(place.extent[:2]), np.sort(thing.extent[:2])
        return bool((width >= SUPPORT * carried).all() and place.extent[2] <= TALL * width[0])
    room = 2 * place.world_half_extent()
    if place.kind == "surface":
        return bool(np.min(room[:2]) >= SUPPORT * size[0])
    return bool((np.sort(room) >= size).all()) if covered else bool((np.sort(room[:2]) >= size[:2]).all())


def _where(
    rng: np.random.Generator,
    c: Category,
    fixtures: dict[str, Category],
    there: dict[str, Category],
    beside: Sequence[str],
) -> str:
    """The line that says where a thing stands, empty for anywhere on the table."""
    options: dict[str, list[str]] = {"table": [""], "beside": [f'beside = "{n}"' for n in beside]}
    options["furniture"] = [line for n, f in fixtures.items() for line in _places(n, f, c)]
    options["thing"] = [line for n, t in there.items() for line in _places(n, t, c)]
    kinds = [kind for kind in STANDS if options.get(kind)]
    shares = np.array([STANDS[kind] for kind in kinds])
    return _one(rng, options[kinds[int(rng.choice(len(kinds), p=shares / shares.sum()))]])


def _places(name: str, owner: Category, c: Category) -> list[str]:
    """The lines that say that something is on or in a thing called `name`."""
    regions = owner.regions("surface", "interior")
    if not regions and not owner.fixed:
        return [f'on = "{name}"'] if could_hold(owner.thing, c.thing) else []
    fitting = [r for r in regions if could_hold(r, c.thing, owner.fixed)]
    symbols = [(r.kind, name + r.name.removeprefix(owner.thing.name)) for r in fitting]
    return [f'{"on" if kind == "surface" else "in"} = "{symbol}"' for kind, symbol in symbols]


def _straight(rng: np.random.Generator, c: Category) -> list[str]:
    """The line that turns what has an inside by a quarter turn: LIBERO judges what is in it by a box along the world's
    axes, which shrinks between."""
    return [f"yaw = {0.5 * np.pi * rng.integers(4):.4f}"] if c.regions("interior") else []


def _opened(rng: np.random.Generator, name: str, c: Category) -> list[str]:
    """The lines that say what of a fixture is open, or on."""
    behind = [name + r.name.removeprefix(c.thing.name) for r in c.regions("interior") if r.door is not None]
    shown = [f'"{symbol}"' for symbol in behind if rng.random() < OPEN]
    lines = [f"open = [{', '.join(shown)}]"] if shown else []
    return lines + (["turned_on = true"] if c.knobs and rng.random() < OPEN else [])


def _named(rng: np.random.Generator, categories: Sequence[Category], count: tuple[int, int]) -> dict[str, Category]:
    """So many things of categories, by their names."""
    drawn = [_one(rng, categories) for _ in range(int(rng.integers(count[0], count[1] + 1)))]
    return {f"{c.name}_{1 + sum(o is c for o in drawn[:n])}": c for n, c in enumerate(drawn)}


def _one(rng: np.random.Generator, options: Sequence[T]) -> T:
    return options[int(rng.integers(len(options)))]


@cache
def _categories() -> tuple[Category, ...]:
    """Every category whose files are there, LIBERO's and what the user added."""
    found = []
    for name in (*names(), *added()):
        try:
            found.append(load(name, "it"))
        except InputError:  # files are missing, or were added by an earlier version
            continue
    return tuple(found)
