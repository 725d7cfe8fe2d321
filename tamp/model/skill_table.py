"""The table of a domain's folder: which skill carries out each operator, and what is to be believed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tamp.files.toml_table import Table, read_placed

OLDEST = 604_800.0
"""Seconds after which anything is doubted that is to be doubted at all: a week. More were milliseconds."""
PREDICATES = "predicates"


@dataclass(frozen=True)
class Belief:
    """Of a predicate that is not looked at: what an operator that was carried out says of it is believed, for `age`
    seconds if that is a number."""

    age: float | None = None


@dataclass(frozen=True)
class SkillTable:
    """`skills` maps operators to skill names, `beliefs` predicates to how they are believed."""

    skills: Mapping[str, str] = field(default_factory=dict)
    beliefs: Mapping[str, Belief] = field(default_factory=dict)


def read_skill_table(path: Path) -> SkillTable:
    """The table in a file, an empty one where there is none. InputError with the line of what is wrong."""
    if not path.is_file():
        return SkillTable()
    table = read_placed(path)
    beliefs = {name: _belief(each) for name, each in table.tables(PREDICATES, "[predicates.NAME]")}
    skills = {o: table.text(o, "the name of a skill") for o in table.values if o != PREDICATES}
    return SkillTable(skills, beliefs)


def _belief(table: Table) -> Belief:
    table.only("believed", "age")
    believed = table.values.get("believed", "missing")
    if believed is not True:
        raise table.wrong(f"{table.called('believed')} is {believed}; valid: true", "believed")
    valid = f"seconds, above 0, up to {OLDEST:g}"
    return Belief(table.number("age", valid, 1e-9, OLDEST) if table.has("age") else None)
