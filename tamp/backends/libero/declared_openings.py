"""Which drawers, doors and knobs of a thing of a scene file start open, or on, and how far."""

from __future__ import annotations

import numpy as np

from tamp.backends.libero.categories import Category
from tamp.backends.libero.openings import farthest
from tamp.files.toml_table import Table
from tamp.model.goal_syntax import with_article
from tamp.model.scene import Joint, Part, SceneObject

Opened = dict[str, float | None]
"""Names of parts, with how far they are open or on: metres or radians, None for as far as usual."""


def read_openings(table: Table, name: str, category: Category) -> Opened:
    """What `open` and `turned_on` of the thing `name` say. InputError, with file and line, for what it has not."""
    return _opened(table, name, category) | _turned_on(table, name, category)


def door_names(thing: SceneObject) -> dict[str, str]:
    """What `open` calls the drawers and doors of a thing, after the places behind them, with the names of the parts."""
    doors = {r.name: r.door for r in thing.regions if r.door is not None and r.kind == "interior"}
    return {symbol.removeprefix(f"{thing.name}_").removesuffix("_region"): door for symbol, door in doors.items()}


def _opened(table: Table, name: str, category: Category) -> Opened:
    if not table.has("open"):
        return {}
    short = door_names(category.thing)
    if not short:
        raise table.wrong(f"{name}, {with_article(category.name)}, has nothing that opens", "open")
    wanted = table.values["open"]
    if isinstance(wanted, bool):
        return dict.fromkeys(short.values()) if wanted else {}
    known = {**short, **{r.name: r.door for r in category.thing.regions if r.door is not None}}
    valid = f"true, a list of {', '.join(short)}, or a table with how far"
    far = table.table("open", valid) if isinstance(wanted, dict) else None
    names = table.texts("open", valid) if far is None else tuple(far.values)
    for each in names:
        if each not in known:
            raise table.wrong(f"{name} has no {each!r} to open; valid: {', '.join(short)}", "open")
    return {known[n]: None if far is None else _far(far, n, category.thing.part(known[n])) for n in names}


def _turned_on(table: Table, name: str, category: Category) -> Opened:
    if not table.has("turned_on"):
        return {}
    if not category.knobs:
        raise table.wrong(f"{name}, {with_article(category.name)}, cannot be turned on", "turned_on")
    wanted = table.values["turned_on"]
    if isinstance(wanted, bool):
        return dict.fromkeys(p.name for p in category.knobs) if wanted else {}
    if not isinstance(wanted, int | float):
        raise table.wrong(f"turned_on is {wanted!r}; valid: true, false, or how far", "turned_on")
    return {p.name: _far(table, "turned_on", p) for p in category.knobs}


def _far(table: Table, key: str, part: Part) -> float:
    joint = part.joint
    assert isinstance(joint, Joint)
    most, unit = farthest(joint), "metres" if joint.kind == "slide" else "radians"
    return table.number(key, f"{unit} from 0 to {np.floor(1e4 * most) / 1e4:g}", 0.0, most)
