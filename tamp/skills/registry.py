"""Skills by the names that a domain's binding table uses: those that refine for LIBERO, and those of an arm.

A table is all for one backend. Which, its skills tell: no name is in both.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from tamp.backends.xarm.skills import arm_skills
from tamp.errors import InputError
from tamp.model.domain import Domain
from tamp.skills.articulate import ENDS, Articulate
from tamp.skills.base import Skill
from tamp.skills.pick import Pick
from tamp.skills.place import Place
from tamp.skills.slide import Slide
from tamp.skills.spec import Spec

Backend = Literal["libero", "xarm"]


def skills() -> dict[str, Skill]:
    """Every skill that refines to motions of LIBERO's robot."""
    known: tuple[Skill, ...] = (Pick(), Place(), Slide(), *(Articulate(name, goal) for name, goal in ENDS.items()))
    return {s.spec.name: s for s in known}


def specs() -> dict[Backend, dict[str, Spec]]:
    """What all skills declare, by their names and the backend that they are for."""
    arm = {name: s.spec for name, s in arm_skills().items()}
    return {"libero": {name: s.spec for name, s in skills().items()}, "xarm": arm}


def facts() -> frozenset[str]:
    """Predicates by which some skill says what geometry found out."""
    return frozenset().union(*(spec.facts for each in specs().values() for spec in each.values()))


def backend_of(table: Iterable[object]) -> Backend | None:
    """The backend that has most of the skills that a table names; None when no backend has any."""
    named = list(table)
    count = {backend: sum(s in known for s in named) for backend, known in specs().items()}
    best = max(count, key=lambda backend: count[backend])
    return best if count[best] else None


def check_table(domain: Domain, backend: Backend) -> None:
    """InputError for a domain whose table is for another backend, leaves out an operator, names an unknown skill or one
    that takes other arguments."""
    table, known = domain.path.parent / "skills.toml", specs()[backend]
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
        signature = domain.operators.get(operator)
        if signature and (told := known[skill].misfit([kind for _, kind in signature.parameters], domain.is_a)):
            raise InputError(f"{domain.path}: {operator} is bound to {skill}, which {told}")


def bind(domain: Domain) -> dict[str, Skill]:
    """Skill of every operator; InputError when an operator has none or the table names an unknown one."""
    check_table(domain, "libero")
    known = skills()
    return {operator: known[domain.skills[operator]] for operator in domain.operators}

