"""A planning domain as the toolkit sees it: types, signatures, and the skill bound to each operator.

unified-planning parses (`tamp.pddl.domain_file`); this module keeps what the rest of the toolkit asks for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tamp.model.atoms import Atom, GroundAction
from tamp.model.skill_table import SkillTable


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
