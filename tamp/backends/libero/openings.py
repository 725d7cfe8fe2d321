"""Which drawers, doors and knobs of a declared scene start open, or on, how far, and the room that they take."""

from __future__ import annotations

import numpy as np

from motion.poses import Array
from motion.shapes import bounds
from tamp.backends.libero.categories import Category
from tamp.files.toml_table import Table
from tamp.model.goal_syntax import with_article
from tamp.model.scene import Joint, Part, SceneObject
from tamp.skills.place_targets import outside

Box = tuple[Array, Array]
"""Lower and upper corner (3,), (3,), metres, world axes."""

Opened = dict[str, float | None]
"""Names of parts, with how far they are open or on: metres or radians, None for as far as usual."""
OPENED = 0.8
"""Share of the way from where a part counts as open, or on, to the end of its joint, at which it starts."""


def opened(joint: Joint) -> float:
    """The joint value at which a part that is declared open, or on, starts."""
    end = joint.limits[1] if joint.sign > 0 else joint.limits[0]
    return joint.active + OPENED * (end - joint.active)


def closed(joint: Joint) -> float:
    """The joint value at which a part that is not starts."""
    return float(np.clip(0.0, *joint.limits))


def farthest(joint: Joint) -> float:
    """Metres or radians from where a part is closed, or off, to the end of its joint."""
    return abs((joint.limits[1] if joint.sign > 0 else joint.limits[0]) - closed(joint))


def far_open(joint: Joint) -> float:
    """Metres or radians by which a part is open, or turned on."""
    return joint.sign * (joint.value - closed(joint))


def started(joint: Joint, far: float | None) -> float:
    """The joint value at which a part starts that is declared open, or on, so far; None: as far as usual."""
    return opened(joint) if far is None else closed(joint) + joint.sign * far


def _moved(part: Part, value: float) -> Box:
    assert part.joint is not None
    return bounds(part.shapes, part.joint.displacement(value) @ part.T_world_part)


def swept(o: SceneObject) -> list[Box]:
    """The box around a thing, then those of its drawers and doors when they are open."""
    doors = [p for p in o.parts if p.kind in ("drawer", "door") and p.joint is not None and p.shapes]
    return [o.bounds(), *(_moved(p, opened(p.joint)) for p in doors if p.joint is not None)]


def facing(o: SceneObject, towards: Array) -> float:
    """The quarter turn (rad) with which the way into a fixture is most towards a direction (2,); 0 without doors."""
    into = [outside(o, r)[0] for r in o.regions if r.kind == "interior" and r.door is not None]
    if not into:
        return 0.0
    out = o.T_world_object[:2, :2].T @ np.mean(into, axis=0)[:2]
    angle = float(np.arctan2(towards[1], towards[0]) - np.arctan2(out[1], out[0]))
    return float(np.round(angle / (0.5 * np.pi)) * 0.5 * np.pi)


def meet(a: Box, b: Box, gap: float) -> bool:
    """Whether two boxes overlap, or are nearer than `gap` metres along every axis."""
    return bool((a[0] - gap < b[1]).all() and (b[0] - gap < a[1]).all())


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
