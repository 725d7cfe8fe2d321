"""Reads a `scene.toml`: one that names a BDDL or an MJCF file, or one that declares its things itself."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from motion.poses import Array
from tamp.backends.libero.bddl import read_bddl
from tamp.backends.libero.categories import Category, load
from tamp.backends.libero.openings import read_openings
from tamp.backends.libero.panda import ROBOT_PREFIXES
from tamp.backends.libero.scene_description import (
    ARENAS,
    DEFAULT_STEP_LIMIT,
    USUAL,
    Arena,
    Declaration,
    DeclaredThing,
    Relation,
    Task,
    arena,
)
from tamp.backends.mujoco.mjcf_scene import KEYS, check_names, file_beside, read_mjcf_scene
from tamp.errors import InputError
from tamp.files.toml_table import Table, read_placed
from tamp.model.goal_syntax import NAME, nearest_name, with_article
from tamp.model.scene import RegionKind

COMMON = ("instruction", "goal", "seed", "step_limit", "names")
OF_BDDL = ("bddl", "start")
DECLARED = ("table", "things")


def read_scene(path: Path) -> Task:
    """The scene in a file. InputError, with file and line, for whatever is wrong in it."""
    t = read_placed(path)
    t.only(*COMMON, *OF_BDDL, *DECLARED, *KEYS)
    _one_way(t)
    name = path.parent.name or path.parent.resolve().name
    needs_words = t.has("bddl") or t.has("instruction")
    instruction = t.text("instruction", "a sentence") if needs_words else ""
    bddl = _bddl(t, path) if t.has("bddl") else None
    mjcf = read_mjcf_scene(t, path.parent) if t.has("mjcf") else None
    names = {text: thing for thing, notes in mjcf.notes.items() for text in notes.names} if mjcf else {}
    unchecked = f"{name} has no goal: LIBERO knows no task in a scene that is declared"
    return Task(
        name,
        None if bddl is None else bddl.bddl,
        instruction,
        _whole(t, "step_limit", DEFAULT_STEP_LIMIT, 1),
        names=names | _symbols(t, "names"),
        start=_symbols(t, "start"),
        seed=_whole(t, "seed", 0, 0),
        goal=t.text("goal", 'a formula, as "(on mug_1 plate_1)"') if t.has("goal") else None,
        declared=None if bddl or mjcf else read_declaration(t),
        unchecked=unchecked if bddl is None else bddl.unchecked,
        mjcf=mjcf,
        file=t,
    )


WAYS = {"bddl": OF_BDDL, "mjcf": (*KEYS, "things"), "things": DECLARED}
"""What a scene is made of, with the keys that go with it."""
MOVED = "a file of the robot says where it stands: --body FILE, with --backend mujoco or pybullet (docs/bodies.md)"
"""How the robot is moved where the scene file cannot say it."""


def _one_way(t: Table) -> None:
    """InputError where a file names a BDDL or an MJCF file and says what is of another kind, or says nothing."""
    way = next((w for w in WAYS if t.has(w)), None)
    if way is None:
        raise t.wrong('no things in this scene; valid: tables such as [things.mug_1] with category = "porcelain_mug"')
    for other in dict.fromkeys(key for keys in WAYS.values() for key in keys):
        if t.has(other) and other not in WAYS[way]:
            of_robot = other in ("base", "yaw", "body")
            instead = MOVED if of_robot else "name a BDDL file, or an MJCF file, or declare the things here"
            raise t.wrong(f"{other!r} does not go with {way!r}: {instead}", other)


def _whole(t: Table, key: str, usual: int, least: int) -> int:
    if not t.has(key):
        return usual
    return t.whole(key, f"a whole number from {least}", least)


def _symbols(t: Table, key: str) -> dict[str, str]:
    if not t.has(key):
        return {}
    table = t.table(key, "a table of names and symbols")
    return {name: table.text(name, "a symbol") for name in table.values}


def _bddl(t: Table, path: Path) -> Task:
    found = file_beside(t, "bddl", path.parent, "*.bddl")
    try:
        return read_bddl(found)
    except InputError as e:
        raise t.wrong(str(e), "bddl") from e


Categories = dict[str, Category]
RELATIONS: tuple[Relation, ...] = ("on", "in", "beside")
TABLE = "table"
"""What the table is called in a scene file, besides its symbol."""
THING_KEYS = ("category", "on", "in", "beside", "region", "at", "yaw", "quaternion", "open", "turned_on")
TAKEN = {TABLE, "world", *(a.symbol for a in ARENAS)}
FARTHEST = 3.0
"""Metres: greater coordinates are meant to be millimetres, or a mistake."""
UNIT = 0.01
"""By how much a quaternion may be longer or shorter than 1: its numbers are rounded."""
MOST = 40
"""Things of a scene: LIBERO takes half a minute to build it with so many, and more than ever find room."""


def read_declaration(t: Table) -> Declaration:
    """The declared things of a scene file. InputError, with file and line, for the first mistake."""
    room = _arena(t)
    listed = t.table("things", "tables such as [things.mug_1]")
    if not listed.values:
        raise t.wrong("no things in this scene; valid: tables such as [things.mug_1]", "things")
    if len(listed.values) > MOST:
        raise t.wrong(f"{len(listed.values)} things; valid: at most {MOST}", "things")
    tables = {name: _named(listed, name) for name in listed.values}
    categories = {name: _category(table, name) for name, table in tables.items()}
    _unambiguous(listed, categories)
    things = tuple(_Reader(table, name, categories, room).read() for name, table in tables.items())
    declared = Declaration(t, room, things)
    check_names(t, declared.symbols())
    _in_order(listed, declared)
    for thing in things:
        _check_beside(tables[thing.name], thing, declared)
    return declared


def _arena(t: Table) -> Arena:
    if not t.has("table"):
        return USUAL
    name = t.text("table", ", ".join(a.name for a in ARENAS))
    found = arena(name)
    if isinstance(found, str):
        raise t.wrong(f"no table {name!r}; {found}", "table")
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


def _category(table: Table, name: str) -> Category:
    wanted = table.text("category", "one of `tamp scene categories`")
    try:
        return load(wanted, name)
    except InputError as e:
        raise table.wrong(str(e), "category") from e


def _unambiguous(listed: Table, categories: Categories) -> None:
    seen: dict[str, str] = {}
    for name, category in categories.items():
        for symbol in (name, *(r.name for r in category.thing.regions)):
            if symbol in seen:
                raise listed.wrong(f"{symbol!r} is a name of {seen[symbol]} too; valid: another name", name)
            seen[symbol] = name


class _Reader:
    """Reads the thing `name`, with the categories of all of them by name."""

    def __init__(self, table: Table, name: str, categories: Categories, room: Arena) -> None:
        self.table, self.name, self.categories, self.room = table, name, categories, room
        self.category = categories[name]

    def read(self) -> DeclaredThing:
        """The thing, checked for itself."""
        relation, target, owner = self._relation()
        if self.category.fixed and (relation == "in" or (relation == "on" and owner is not None)):
            raise self.table.wrong(
                f"{self.name} is fixed, so it stands on the table, not {relation} {target}; "
                f'valid: on = "{TABLE}", or beside = "…"',
                relation,
            )
        region, at, quaternion = self._rectangle(), self._spot(), self._quaternion()
        yaw = self.table.angle("yaw") if self.table.has("yaw") else None
        self._coordinates_fit(relation, owner)
        opened = read_openings(self.table, self.name, self.category)
        return DeclaredThing(self.name, self.category, relation, target, owner, region, at, yaw, quaternion, opened)

    def _relation(self) -> tuple[Relation, str, str | None]:
        """What it is on, in or beside: the symbol, and the thing that has that symbol, None for the table."""
        given = [r for r in RELATIONS if self.table.has(r)]
        if len(given) > 1:
            said = " and ".join(given)
            raise self.table.wrong(f"{self.name} has {said}, which exclude each other; valid: one of them", given[1])
        if not given:
            return "on", self.room.symbol, None
        relation = given[0]
        target = self.table.text(relation, "the name of a thing, or of a region of one")
        if relation == "on" and target in (TABLE, self.room.symbol):
            return relation, self.room.symbol, None
        if relation != "beside":
            kind: RegionKind = "surface" if relation == "on" else "interior"
            find = self._region_of if target in self.categories else self._region
            return relation, *find(relation, target, kind)
        if target not in self.categories:
            raise self._unknown(relation, target, self._others())
        if target == self.name:
            others = ", ".join(self._others()) or "nothing: add another thing"
            raise self.table.wrong(f"{self.name} cannot be beside itself; valid: {others}", relation)
        return relation, target, target

    def _region_of(self, relation: str, owner: str, kind: RegionKind) -> tuple[str, str]:
        """The only region of a thing of some kind; on what can be carried and has none, the thing itself."""
        category = self.categories[owner]
        regions = category.regions(kind)
        if not regions and kind == "surface" and not category.fixed:
            return owner, owner
        if not regions:
            others = [n for n, c in self.categories.items() if n != self.name and c.regions(kind)]
            where = f"valid: {', '.join(others)}" if others else f"no thing of this scene has {with_article(kind)}"
            raise self.table.wrong(
                f"nothing can be {relation} {owner}, {with_article(category.name)}; {where}", relation
            )
        if len(regions) > 1:
            raise self.table.wrong(
                f"{owner} has several places to be {relation}; valid: {', '.join(r.name for r in regions)}", relation
            )
        return regions[0].name, owner

    def _region(self, relation: str, symbol: str, kind: RegionKind) -> tuple[str, str]:
        """A region by its symbol, and the thing that has it."""
        for owner, category in self.categories.items():
            for region in category.regions("surface", "interior"):
                if region.name == symbol and region.kind == kind:
                    return symbol, owner
                if region.name == symbol:
                    other = "in" if kind == "surface" else "on"
                    raise self.table.wrong(f'{symbol} is no {kind}; valid: {other} = "{symbol}"', relation)
        about = max((n for n in self.categories if symbol.startswith(f"{n}_")), key=len, default=None)
        if about is not None:
            own = [r.name for r in self.categories[about].regions(kind)]
            said = ", ".join(own) or f"nothing, {with_article(self.categories[about].name)} has no {kind}"
            raise self.table.wrong(f"{about} has no {kind} {symbol!r}; valid: {said}", relation)
        regions = [r.name for c in self.categories.values() for r in c.regions(kind)]
        things = self._others() if kind == "surface" else []
        raise self._unknown(relation, symbol, [*regions, *things, *([TABLE] if kind == "surface" else [])])

    def _unknown(self, relation: str, target: str, options: Iterable[str]) -> InputError:
        known = list(options)
        near = difflib.get_close_matches(target, known, 1, 0.5)
        meant = f"did you mean {near[0]!r}? " if near else ""
        return self.table.wrong(
            f"no {target!r} in this scene for {self.name} to be {relation}; {meant}valid: "
            f"{', '.join(known) or 'nothing: add another thing'}",
            relation,
        )

    def _others(self) -> list[str]:
        return [n for n in self.categories if n != self.name]

    def _coordinates_fit(self, relation: str, owner: str | None) -> None:
        """InputError for coordinates that do not go with each other, or with where the thing is."""
        for one, other in (("region", "at"), ("yaw", "quaternion")):
            if self.table.has(one) and self.table.has(other):
                said = f"{self.name} has {one} and {other}, which exclude each other"
                raise self.table.wrong(f"{said}; valid: one", other)
        if self.table.has("region") and (relation != "on" or owner is not None):
            said = f"region is about the table, and {self.name} is {relation} something"
            raise self.table.wrong(f"{said}; valid: without region, or without {relation}", "region")
        placed = self.table.has("at") and len(self.table.values["at"]) == 3
        if placed and self.category.fixed:
            raise self.table.wrong(f"{self.name} is fixed, so it stands on the table; valid: at = [x, y]", "at")
        if self.table.has("at") and (relation == "beside" or (relation == "in" and not placed)):
            better = "without at" if relation == "beside" else "at = [x, y, z], z being the height of its origin"
            raise self.table.wrong(f"{self.name} is {relation} something; valid: {better}", "at")
        if self.table.has("quaternion") and not placed:
            raise self.table.wrong(f"{self.name} has a quaternion, which goes with at = [x, y, z]", "quaternion")

    def _rectangle(self) -> Array | None:
        if not self.table.has("region"):
            return None
        valid = "[x_min, y_min, x_max, y_max] in metres, as [-0.1, 0.0, 0.1, 0.2]"
        region = self.table.metres("region", 4, valid, FARTHEST)
        if (region[2:] < region[:2]).any():
            raise self.table.wrong(f"region {region.tolist()} ends before it begins; valid: {valid}", "region")
        self._on_table("region", region[:2], region[2:])
        return region

    def _spot(self) -> Array | None:
        if not self.table.has("at"):
            return None
        given = self.table.values["at"]
        count = 3 if isinstance(given, list) and len(given) == 3 else 2
        at = self.table.metres("at", count, "[x, y] or [x, y, z] in metres, as [-0.1, 0.05]", FARTHEST)
        self._on_table("at", at[:2], at[:2])
        return at

    def _quaternion(self) -> Array | None:
        if not self.table.has("quaternion"):
            return None
        given = self.table.numbers("quaternion", 4, "[w, x, y, z], as [1, 0, 0, 0]")
        if abs(length := float(np.linalg.norm(given)) - 1.0) > UNIT:
            raise self.table.wrong(f"quaternion of {self.name} is {length + 1:g} long; valid: 1", "quaternion")
        return given / np.linalg.norm(given)

    def _on_table(self, key: str, low: Array, high: Array) -> None:
        if (low > self.room.high).any() or (high < self.room.low).any():
            x, y = (f"{a} {lo:g} to {hi:g}" for a, lo, hi in zip("xy", self.room.low, self.room.high, strict=True))
            raise self.table.wrong(
                f"{key}: {self.name} is beyond the table; valid: {x}, {y} (metres, {self.room.name})", key
            )


def _in_order(listed: Table, declared: Declaration) -> None:
    """InputError for things that stand on, in or beside each other in a circle."""
    for thing in declared.things:
        chain = [thing.name]
        while (owner := declared.thing(chain[-1]).owner) is not None:
            if owner in chain:
                circle = [*chain[chain.index(owner) :], owner]
                said = ", ".join(f"{a} {declared.thing(a).where}" for a in circle[:-1])
                raise listed.wrong(f"a circle: {said}; valid: one of them on the table", circle[0])
            chain.append(owner)


def _check_beside(table: Table, thing: DeclaredThing, declared: Declaration) -> None:
    if thing.relation != "beside":
        return
    support = declared.support(thing.target)
    if support.relation == "in":
        raise table.wrong(f"{thing.target} is in {support.target}: nothing stands beside it there", "beside")
    if thing.category.fixed and support.owner is not None:
        raise table.wrong(
            f"{thing.name} is fixed, so it stands on the table, and {thing.target} is {support.where}", "beside"
        )
