"""What a thing of a scene file is on, in or beside: the symbol that is meant, checked against what is there."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from tamp.backends.libero.arenas import Arena
from tamp.backends.libero.categories import Category
from tamp.backends.libero.scene_description import Relation
from tamp.errors import InputError
from tamp.files.toml_table import Table
from tamp.model.goal_syntax import with_article
from tamp.model.scene import Region, RegionKind

RELATIONS: tuple[Relation, ...] = ("on", "in", "beside")
TABLE = "table"
"""What the table is called in a scene file, besides its symbol."""

Categories = dict[str, Category]


class TargetReader:
    """Reads the relation of the thing `name`, with the categories of all of them by name. InputError, with file and
    line, for whatever is not there or cannot be."""

    def __init__(self, table: Table, name: str, categories: Categories, room: Arena) -> None:
        self.table, self.name, self.categories, self.room = table, name, categories, room

    def read(self) -> tuple[Relation, str, str | None]:
        """The relation, the symbol it is to, and the thing that has that symbol, None for the table."""
        given = [r for r in RELATIONS if self.table.has(r)]
        if len(given) > 1:
            said = " and ".join(given)
            raise self.table.wrong(f"{self.name} has {said}, which exclude each other; valid: one of them", given[1])
        if not given:
            return "on", self.room.symbol, None
        relation = given[0]
        target = self.table.text(relation, "the name of a thing, or of a region of one")
        match relation:
            case "beside":
                return relation, *self._beside(target)
            case "on":
                return relation, *self._on(target)
        return relation, *self._in(target)

    def _beside(self, target: str) -> tuple[str, str]:
        if target not in self.categories:
            raise self._unknown("beside", target, self._others())
        if target == self.name:
            raise self.table.wrong(f"{self.name} cannot be beside itself; valid: {self._listed()}", "beside")
        return target, target

    def _on(self, target: str) -> tuple[str, str | None]:
        if target in (TABLE, self.room.symbol):
            return self.room.symbol, None
        if target in self.categories:
            regions = self.categories[target].regions("surface")
            if not regions and not self.categories[target].fixed:
                return target, target
            return self._region("on", target, regions, "surface"), target
        return self._of_symbol("on", target, "surface")

    def _in(self, target: str) -> tuple[str, str]:
        if target in self.categories:
            return self._region("in", target, self.categories[target].regions("interior"), "interior"), target
        return self._of_symbol("in", target, "interior")

    def _region(self, relation: str, owner: str, regions: tuple[Region, ...], kind: RegionKind) -> str:
        """The only region of a thing of some kind."""
        category = self.categories[owner]
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
        return regions[0].name

    def _of_symbol(self, relation: str, symbol: str, kind: RegionKind) -> tuple[str, str]:
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

    def _listed(self) -> str:
        return ", ".join(self._others()) or "nothing: add another thing"
