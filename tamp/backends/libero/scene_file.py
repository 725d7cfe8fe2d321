"""Reads a `scene.toml`: one that names a BDDL or an MJCF file, or one that declares its things itself."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from motion.poses import Array
from tamp.backends.libero.bddl import read_bddl
from tamp.backends.libero.categories import Category, load
from tamp.backends.libero.panda import ROBOT_PREFIXES
from tamp.backends.libero.scene_description import (
    ARENAS,
    DEFAULT_STEP_LIMIT,
    Arena,
    Declaration,
    DeclaredThing,
    Relation,
    Task,
)
from tamp.backends.mujoco.mjcf_scene import KEYS, check_names, file_beside, read_mjcf_scene
from tamp.errors import InputError
from tamp.files.toml_table import Table, read_placed
from tamp.model.goal_syntax import NAME, nearest_name, valid, with_article
from tamp.model.scene import RegionKind

COMMON = ("instruction", "goal", "seed", "step_limit", "names")
WAYS = {"bddl": ("bddl",), "mjcf": (*KEYS, "things"), "things": ("table", "things")}
"""What a scene is made of, with the keys that go with it."""
MOVED = "a file of the robot says where it stands: --body FILE, with --backend mujoco or pybullet (docs/bodies.md)"
"""How the robot is moved where the scene file cannot say it."""


def read_scene(path: Path) -> Task:
    """The scene in a file. InputError, with file and line, for whatever is wrong in it."""
    t = read_placed(path)
    t.only(*COMMON, *dict.fromkeys(key for keys in WAYS.values() for key in keys))
    _check_way(t)
    name = path.parent.name or path.parent.resolve().name
    needs_words = t.has("bddl") or t.has("instruction")
    instruction = t.text("instruction", "a sentence") if needs_words else ""
    bddl = None
    if t.has("bddl"):
        file = file_beside(t, "bddl", path.parent, "*.bddl")
        try:
            bddl = read_bddl(file)
        except InputError as e:
            raise t.wrong(str(e), "bddl") from e
    mjcf = read_mjcf_scene(t, path.parent) if t.has("mjcf") else None
    names = {text: thing for thing, notes in mjcf.notes.items() for text in notes.names} if mjcf else {}
    if t.has("names"):
        named = t.table("names", "a table of names and symbols")
        names |= {phrase: named.text(phrase, "a symbol") for phrase in named.values}
    unchecked = f"{name} has no goal: LIBERO knows no task in a scene that is declared"
    return Task(
        name,
        None if bddl is None else bddl.bddl,
        instruction,
        t.whole("step_limit", "a whole number from 1", 1) if t.has("step_limit") else DEFAULT_STEP_LIMIT,
        names=names,
        seed=t.whole("seed", "a whole number from 0") if t.has("seed") else 0,
        goal=t.text("goal", 'a formula, as "(on mug_1 plate_1)"') if t.has("goal") else None,
        declared=None if bddl or mjcf else read_declaration(t),
        unchecked=unchecked if bddl is None else bddl.unchecked,
        mjcf=mjcf,
        file=t,
    )


def _check_way(t: Table) -> None:
    """InputError where a file describes a scene in two ways, or in none."""
    way = next((w for w in WAYS if t.has(w)), None)
    if way is None:
        raise t.wrong('no things in this scene; valid: tables such as [things.mug_1] with category = "porcelain_mug"')
    for other in t.values:
        if other not in (*COMMON, *WAYS[way]):
            of_robot = other in ("base", "yaw", "body")
            instead = MOVED if of_robot else "name a BDDL file, or an MJCF file, or declare the things here"
            raise t.wrong(f"{other!r} does not go with {way!r}: {instead}", other)


Categories = dict[str, Category]
RELATIONS: tuple[Relation, ...] = ("on", "in", "beside")
TABLE = "table"
"""What the table is called in a scene file, besides its symbol."""
THING_KEYS = ("category", "on", "in", "beside", "region", "at", "yaw", "open", "turned_on")
TAKEN = {TABLE, "world", *(a.symbol for a in ARENAS)}
FARTHEST = 3.0
"""Metres: greater coordinates are meant to be millimetres, or a mistake."""
MOST = 40
"""Things of a scene: LIBERO takes half a minute to build it with so many, and more than ever find room."""


def read_declaration(t: Table) -> Declaration:
    """The declared things of a scene file. InputError, with file and line, for the first mistake."""
    arena = _arena(t)
    listed = t.table("things", "tables such as [things.mug_1]")
    if not listed.values:
        raise t.wrong("no things in this scene; valid: tables such as [things.mug_1]", "things")
    if len(listed.values) > MOST:
        raise t.wrong(f"{len(listed.values)} things; valid: at most {MOST}", "things")
    tables = {name: _named(listed, name) for name in listed.values}
    categories = _categories(listed, tables)
    things = tuple(_thing(table, name, categories, arena) for name, table in tables.items())
    declared = Declaration(t, arena, things)
    check_names(t, declared.symbols())
    _check_circles(listed, declared)
    for thing in things:
        if thing.relation == "beside":
            _check_beside(tables[thing.name], thing, declared)
    return declared


def _arena(t: Table) -> Arena:
    if not t.has("table"):
        return ARENAS[0]
    name = t.text("table", ", ".join(a.name for a in ARENAS))
    wanted = name.strip().lower().replace(" ", "_").replace("-", "_")
    found = next((a for a in ARENAS if wanted in (a.name, a.symbol)), None)
    if found is None:
        raise t.wrong(f"no table {name!r}; {valid(wanted, [a.name for a in ARENAS])}", "table")
    return found


def _named(listed: Table, name: str) -> Table:
    if not NAME.fullmatch(name):
        better = f"valid: a-z, 0-9 and _, as {nearest_name(name)!r}"
        raise listed.wrong(f"{name!r} is no name for a thing; {better}", name)
    if name in TAKEN or name.startswith(ROBOT_PREFIXES):
        raise listed.wrong(f"{name!r} is taken; valid: another name, as 'my_{name}'", name)
    table = listed.table(name, 'a table with category = "…"')
    table.only(*THING_KEYS)
    return table


def _categories(listed: Table, tables: Mapping[str, Table]) -> Categories:
    """The category of each thing. InputError for one that there is not, and for a symbol of two things."""
    found: Categories = {}
    owners: dict[str, str] = {}
    for name, table in tables.items():
        wanted = table.text("category", "one of `tamp scene categories`")
        try:
            found[name] = load(wanted, name)
        except InputError as e:
            raise table.wrong(str(e), "category") from e
        for symbol in (name, *(r.name for r in found[name].thing.regions)):
            if symbol in owners:
                raise listed.wrong(f"{symbol!r} is a name of {owners[symbol]} too; valid: another name", name)
            owners[symbol] = name
    return found


def _thing(table: Table, name: str, categories: Categories, arena: Arena) -> DeclaredThing:
    """The thing `name`, checked for itself. `categories` are those of all things, by name."""
    category = categories[name]
    relation, target, owner = _relation(table, name, categories, arena)
    if category.fixed and (relation == "in" or (relation == "on" and owner is not None)):
        where = f'valid: on = "{TABLE}", or beside = "…"'
        raise table.wrong(f"{name} is fixed, so it stands on the table, not {relation} {target}; {where}", relation)
    region = at = None
    if table.has("region"):
        region = _rectangle(table, name, arena)
    if table.has("at"):
        at = table.metres("at", 2, "[x, y] in metres, as [-0.1, 0.05]", FARTHEST)
        _check_on_table(table, "at", name, at, at, arena)
        if region is not None:
            raise table.wrong(f"{name} has region and at, which exclude each other; valid: one", "at")
    if (region is not None or at is not None) and owner is not None:
        key = "at" if region is None else "region"
        either = f"valid: without {key}, or without {relation}"
        raise table.wrong(f"{key} is about the table, and {name} is {relation} something; {either}", key)
    yaw = table.angle("yaw") if table.has("yaw") else None
    opened = _opened(table, name, category) + _turned_on(table, name, category)
    return DeclaredThing(name, category, relation, target, owner, region, at, yaw, opened)


def _relation(table: Table, name: str, categories: Categories, arena: Arena) -> tuple[Relation, str, str | None]:
    """What a thing is on, in or beside: the symbol, and the thing that has that symbol, None for the table."""
    given = [r for r in RELATIONS if table.has(r)]
    if len(given) > 1:
        both = " and ".join(given)
        raise table.wrong(f"{name} has {both}, which exclude each other; valid: one of them", given[1])
    if not given:
        return "on", arena.symbol, None
    relation = given[0]
    target = table.text(relation, "the name of a thing, or of a region of one")
    others = [n for n in categories if n != name]
    if relation == "beside":
        if target not in others:
            raise table.wrong(f"no {target!r} for {name} to be beside; {valid(target, others)}", relation)
        return relation, target, target
    if relation == "on" and target in (TABLE, arena.symbol):
        return relation, arena.symbol, None
    kind: RegionKind = "surface" if relation == "on" else "interior"
    if target in categories:
        return relation, _only_place(table, relation, target, kind, categories), target
    owners = {r.name: n for n, c in categories.items() for r in c.regions(kind)}
    if target in owners:
        return relation, target, owners[target]
    if any(target == r.name for c in categories.values() for r in c.regions("surface", "interior")):
        other = "in" if relation == "on" else "on"
        raise table.wrong(f'{target} is no {kind}; valid: {other} = "{target}"', relation)
    options = [*owners, *(others if relation == "on" else []), *([TABLE] if relation == "on" else [])]
    raise table.wrong(f"no {target!r} in this scene for {name} to be {relation}; {valid(target, options)}", relation)


def _only_place(table: Table, relation: Relation, owner: str, kind: RegionKind, categories: Categories) -> str:
    """The only region of a kind that a thing has; the thing itself where it can be carried and has no surface."""
    category = categories[owner]
    regions = [r.name for r in category.regions(kind)]
    if len(regions) > 1:
        raise table.wrong(f"{owner} has several places to be {relation}; valid: {', '.join(regions)}", relation)
    if regions:
        return regions[0]
    if kind == "surface" and not category.fixed:
        return owner
    others = [n for n, c in categories.items() if c.regions(kind)]
    where = f"valid: {', '.join(others)}" if others else f"no thing of this scene has {with_article(kind)}"
    raise table.wrong(f"nothing can be {relation} {owner}, {with_article(category.name)}; {where}", relation)


def _rectangle(table: Table, name: str, arena: Arena) -> Array:
    usual = "[x_min, y_min, x_max, y_max] in metres, as [-0.1, 0.0, 0.1, 0.2]"
    region = table.metres("region", 4, usual, FARTHEST)
    if (region[2:] < region[:2]).any():
        raise table.wrong(f"region {region.tolist()} ends before it begins; valid: {usual}", "region")
    _check_on_table(table, "region", name, region[:2], region[2:], arena)
    return region


def _check_on_table(table: Table, key: str, name: str, low: Array, high: Array, arena: Arena) -> None:
    if (low > arena.high).any() or (high < arena.low).any():
        x, y = (f"{a} {lo:g} to {hi:g}" for a, lo, hi in zip("xy", arena.low, arena.high, strict=True))
        raise table.wrong(f"{key}: {name} is beyond the table; valid: {x}, {y} (metres, {arena.name})", key)


def _opened(table: Table, name: str, category: Category) -> tuple[str, ...]:
    """The parts that start open. A drawer or door is named by the place behind it."""
    if not table.has("open"):
        return ()
    doors = {r.name: r.door for r in category.thing.regions if r.door is not None and r.kind == "interior"}
    short = {symbol.removeprefix(f"{name}_").removesuffix("_region"): door for symbol, door in doors.items()}
    if not short:
        raise table.wrong(f"{name}, {with_article(category.name)}, has nothing that opens", "open")
    if isinstance(wanted := table.values["open"], bool):
        return tuple(short.values()) if wanted else ()
    for each in table.texts("open", f"true, or a list of {', '.join(short)}"):
        if each not in short | doors:
            raise table.wrong(f"{name} has no {each!r} to open; valid: {', '.join(short)}", "open")
    return tuple((short | doors)[each] for each in table.values["open"])


def _turned_on(table: Table, name: str, category: Category) -> tuple[str, ...]:
    """The knobs that start turned on."""
    if not table.has("turned_on"):
        return ()
    if not category.knobs:
        raise table.wrong(f"{name}, {with_article(category.name)}, cannot be turned on", "turned_on")
    return tuple(p.name for p in category.knobs) if table.flag("turned_on", "true or false") else ()


def _check_circles(listed: Table, declared: Declaration) -> None:
    """InputError for things that stand on, in or beside each other in a circle."""
    for thing in declared.things:
        chain = [thing.name]
        while (owner := declared.thing(chain[-1]).owner) is not None:
            if owner in chain:
                circle = chain[chain.index(owner) :]
                listing = ", ".join(f"{a} {declared.thing(a).where}" for a in circle)
                raise listed.wrong(f"a circle: {listing}; valid: one of them on the table", circle[0])
            chain.append(owner)


def _check_beside(table: Table, thing: DeclaredThing, declared: Declaration) -> None:
    """InputError for what is beside something that stands elsewhere than on the table."""
    other = declared.thing(thing.target)
    while other.relation == "beside":
        other = declared.thing(other.target)
    if other.owner is not None:
        where = f"{other.name} is {other.where}: nothing stands beside it there"
        raise table.wrong(f"{where}; valid: beside what is on the table", "beside")
