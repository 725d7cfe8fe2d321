"""A planning domain as the toolkit sees it: types, signatures, and the skill bound to each operator.

unified-planning parses (`tamp.pddl.domain_file`); this module keeps what the rest of the toolkit asks for, and reads
the table of a domain's folder: which skill carries out each operator, and what is to be believed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tamp.files.toml_table import Table, read_placed
from tamp.model.atoms import Atom, GroundAction

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


@dataclass(frozen=True)
class Signature:
    """Name and typed parameters, as (name, type) pairs, of a predicate or an operator."""

    name: str
    parameters: tuple[tuple[str, str], ...]


@dataclass(frozen=True, eq=False)
class Domain:
    """A parsed domain. `types` maps each type to its parent, None for the roots.

    `table` is what the folder's `skills.toml` says, empty without one. `adds` are the predicates that each operator
    makes true unconditionally, over the operator's parameters, `changes` all that it may make true or false. `parsed`
    is unified-planning's own Problem, without objects.
    """

    name: str
    path: Path
    text: str
    types: dict[str, str | None]
    predicates: dict[str, Signature]
    operators: dict[str, Signature]
    table: SkillTable = field(default_factory=SkillTable)
    adds: dict[str, tuple[Signature, ...]] = field(default_factory=dict)
    changes: dict[str, frozenset[str]] = field(default_factory=dict)
    parsed: Any = field(default=None, repr=False)

    @property
    def skills(self) -> Mapping[str, str]:
        """The name of the skill that each operator is bound to."""
        return self.table.skills

    def added_by(self, action: GroundAction) -> frozenset[Atom]:
        """The atoms that a ground action adds whatever the state."""
        value = dict(zip((n for n, _ in self.operators[action.name].parameters), action.args, strict=True))
        return frozenset(
            Atom(p.name, tuple(value[n] for n, _ in p.parameters))
            for p in self.adds.get(action.name, ())
            if all(n in value for n, _ in p.parameters)
        )

    def is_a(self, kind: str, ancestor: str) -> bool:
        """Whether type `kind` is `ancestor` or below it."""
        here: str | None = kind
        while here is not None:
            if here == ancestor:
                return True
            here = self.types.get(here)
        return ancestor == "object"
