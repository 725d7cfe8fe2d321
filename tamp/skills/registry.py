"""Skills by the names that a domain's binding table uses."""

from __future__ import annotations

from tamp.domain import Domain
from tamp.errors import InputError
from tamp.skills.articulate import Articulate
from tamp.skills.base import Skill
from tamp.skills.pick import Pick
from tamp.skills.place import Place
from tamp.skills.slide import Slide


def skills() -> dict[str, Skill]:
    """Every skill there is."""
    return {
        "pick": Pick(),
        "place": Place(),
        "slide": Slide(),
        "open": Articulate("active"),
        "close": Articulate("rest"),
        "turn-on": Articulate("active"),
        "turn-off": Articulate("rest"),
    }


def bind(domain: Domain) -> dict[str, Skill]:
    """Skill of every operator; InputError when an operator has none or the table names an unknown one."""
    known = skills()
    for operator in domain.operators:
        if operator not in domain.skills:
            raise InputError(
                f"{domain.path.parent / 'skills.toml'}: operator {operator!r} is bound to no skill; "
                f"valid: {', '.join(known)}"
            )
    for operator, skill in domain.skills.items():
        if skill not in known:
            raise InputError(f"{domain.path.parent / 'skills.toml'}: {operator} = {skill!r}; valid: {', '.join(known)}")
    return {operator: known[domain.skills[operator]] for operator in domain.operators}
