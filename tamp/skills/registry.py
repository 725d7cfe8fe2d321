"""Skills by the names that a domain's binding table uses: those that refine for LIBERO, and those of an arm.

A table is all for one backend. Which, its skills tell: no name is in both.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from tamp.backends.xarm.skills import arm_skills
from tamp.errors import InputError
from tamp.extension.loading import Extension, load_extension, located
from tamp.model.domain import Domain
from tamp.perception.observers import Observer
from tamp.perception.predicates import SEEN
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


@dataclass(frozen=True, eq=False)
class Bound:
    """A domain with what carries it out: the skill of every operator, and the observers of its own predicates."""

    domain: Domain
    skills: Mapping[str, Skill]
    observers: Mapping[str, Observer]


def check_table(domain: Domain, backend: Backend, own: Mapping[str, Spec] | None = None) -> None:
    """InputError for a domain whose table is for another backend, leaves out an operator, names an unknown skill or one
    that takes other arguments. `own` are the skills of the domain's folder."""
    table, known = domain.path.parent / "skills.toml", {**specs()[backend], **(own or {})}
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


def bound(domain: Domain) -> Bound:
    """A domain with its skills and observers, those of its folder among them. InputError when an operator has no skill,
    the table names an unknown one, or the folder's Python does not run."""
    own = load_extension(domain)
    if clash := sorted(own.skills.keys() & skills().keys()):
        raise InputError(f"{domain.path.parent}: the skill {clash[0]!r} is one of tamp's own; valid: another name")
    check_table(domain, "libero", {name: s.spec for name, s in own.skills.items()})
    check_observers(domain, own)
    known = {**skills(), **own.skills}
    return Bound(domain, {o: known[domain.skills[o]] for o in domain.operators}, own.observers)


def check_observers(domain: Domain, own: Extension) -> None:
    """InputError for an observer, or a belief, of what is no predicate of the domain or is seen anyway, and for an
    observer that takes another number of things."""
    table = domain.path.parent / "skills.toml"
    told = [(f"{table}: [predicates.{name}]", name) for name in domain.table.beliefs]
    told += [(f"{located(o.decide)}: the observer of {name}", name) for name, o in own.observers.items()]
    for what, name in told:
        if name not in domain.predicates:
            near = difflib.get_close_matches(name, domain.predicates, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"valid: {', '.join(domain.predicates)}"
            raise InputError(f"{what}: the domain has no predicate {name!r}; {hint}")
        if name in SEEN:
            raise InputError(f"{what}: tamp sees {name!r} itself; valid: a predicate of your own")
    for name, observer in own.observers.items():
        wanted, takes = len(domain.predicates[name].parameters), observer.symbols
        if takes is not None and takes != wanted:
            told_of = f"{located(observer.decide)}: the observer of {name} takes a view and {takes} symbols"
            raise InputError(f"{told_of}; valid: {wanted}, as in {domain.path.name}")
        if name in domain.table.beliefs:
            raise InputError(f"{table}: {name} has an observer; valid: to see it or to believe it, not both")


def bind(domain: Domain) -> dict[str, Skill]:
    """Skill of every operator; InputError as `bound`."""
    return dict(bound(domain).skills)
