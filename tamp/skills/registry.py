"""The skills that refine to motions, by the names that a domain's table of skills uses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tamp.errors import InputError
from tamp.model.domain import Domain
from tamp.perception.observers import Observer
from tamp.skills.articulate import Articulate
from tamp.skills.base import Skill
from tamp.skills.builtin_specs import ENDS, check_table
from tamp.skills.domain_python import check_observers, load_extension
from tamp.skills.pick import Pick
from tamp.skills.place import Place
from tamp.skills.slide import Slide


def skills() -> dict[str, Skill]:
    """Every skill that refines to motions of LIBERO's robot."""
    known: tuple[Skill, ...] = (Pick(), Place(), Slide(), *(Articulate(name, goal) for name, goal in ENDS.items()))
    return {s.spec.name: s for s in known}


@dataclass(frozen=True, eq=False)
class Bound:
    """A domain with what carries it out: the skill of every operator, and the observers of its own predicates."""

    domain: Domain
    skills: Mapping[str, Skill]
    observers: Mapping[str, Observer]


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


def bind(domain: Domain) -> dict[str, Skill]:
    """Skill of every operator; InputError as `bound`."""
    return dict(bound(domain).skills)
