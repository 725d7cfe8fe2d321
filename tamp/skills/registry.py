"""Skills by the names that a domain's binding table uses: those that refine for LIBERO, and those of an arm.

A table is all for one backend. Which, its skills tell: no name is in both.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from tamp.backends.xarm.skills import arm_skills
from tamp.errors import InputError
from tamp.model.domain import Domain
from tamp.skills.articulate import Articulate
from tamp.skills.base import Skill
from tamp.skills.pick import Pick
from tamp.skills.place import Place
from tamp.skills.slide import Slide

Backend = Literal["libero", "xarm"]


def skills() -> dict[str, Skill]:
    """Every skill that refines to motions of LIBERO's robot."""
    return {
        "pick": Pick(),
        "place": Place(),
        "slide": Slide(),
        "open": Articulate("active"),
        "close": Articulate("rest"),
        "turn-on": Articulate("active"),
        "turn-off": Articulate("rest"),
    }


def names() -> dict[Backend, tuple[str, ...]]:
    """The names of all skills, by the backend that they are for."""
    return {"libero": tuple(skills()), "xarm": tuple(arm_skills())}


def backend_of(table: Iterable[object]) -> Backend | None:
    """The backend that has most of the skills that a table names; None when no backend has any."""
    named = list(table)
    count = {backend: sum(s in known for s in named) for backend, known in names().items()}
    best = max(count, key=lambda backend: count[backend])
    return best if count[best] else None


def check_table(domain: Domain, backend: Backend) -> None:
    """InputError for a domain whose table is for another backend, leaves out an operator or names an unknown skill."""
    table, known = domain.path.parent / "skills.toml", names()[backend]
    other = backend_of(domain.skills.values())
    if other not in (None, backend):
        valid = f"valid: a domain whose operators are bound to {', '.join(known)}"
        raise InputError(f"{table}: the domain {domain.name!r} is for {other}, not for {backend}; {valid}")
    for operator in domain.operators:
        if operator not in domain.skills:
            raise InputError(f"{table}: operator {operator!r} is bound to no skill; valid: {', '.join(known)}")
    for operator, skill in domain.skills.items():
        if skill not in known:
            raise InputError(f"{table}: {operator} = {skill!r}; valid: {', '.join(known)}")


def bind(domain: Domain) -> dict[str, Skill]:
    """Skill of every operator; InputError when an operator has none or the table names an unknown one."""
    check_table(domain, "libero")
    known = skills()
    return {operator: known[domain.skills[operator]] for operator in domain.operators}

