"""What tamp's own skills declare, without the motions behind them: enough to check a table of skills.

A table is all for one backend. Which, its skills tell: no name is in both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Literal

from tamp.errors import InputError
from tamp.model.domain import Domain
from tamp.model.skill_spec import Segment, Spec

Backend = Literal["libero", "xarm"]
ITEM, NAMED = "item", "place"
"""The types of what an arm's detector names, and of its world's named poses; a domain may have types below them."""
End = Literal["active", "rest"]

IN_WAY = frozenset({"in-way", "in-way-if-open"})
"""What may stand against everything that a hand does: a drawer, or a door, that is open."""

PICK = Spec(
    "pick",
    ("item", "object"),
    moves=0,
    facts=frozenset({"obstructed", "no-grasp"}) | IN_WAY,
    brings={"holding": (0,), "clear": None},
)
PICK_BY_RIM = replace(PICK, name="pick-by-rim", facts=frozenset({"obstructed", "no-rim"}) | IN_WAY)
PLACE = Spec(
    "place",
    ("item", "object"),
    moves=0,
    to=1,
    facts=frozenset({"does-not-fit", "misheld", "crowded"}) | IN_WAY,
    of_grasp={"does-not-fit": "misheld"},
    of_order=frozenset({"crowded"}),
    brings={"on": (0, 1), "in": (0, 1), "hand-empty": ()},
)
SLIDE = Spec(
    "slide",
    ("item", "object", "object"),
    moves=0,
    to=2,
    facts=frozenset({"obstructed", "does-not-slide"}) | IN_WAY,
    brings={"on": (0, 2), "clear": None},
)
ENDS: Mapping[str, End] = {"open": "active", "close": "rest", "turn-on": "active", "turn-off": "rest"}
"""What each of the skills that work a joint takes it to."""
BRINGS = {"open": "open", "close": "closed", "turn-on": "turned-on", "turn-off": "turned-off"}
"""What is seen to hold afterwards."""
SWITCHED, HUNG = frozenset({"appliance"}), frozenset({"drawer", "cupboard"})
"""What has a knob, and what has a door or is pulled out."""


def articulating(name: str) -> Spec:
    """Of a skill that works a joint: it moves a part of what it takes, but nothing to another place."""
    return Spec(
        name,
        ("object",),
        facts=frozenset({"obstructed", "unreachable", "too-tall", "jams"}) | IN_WAY,
        affords={0: SWITCHED if name.startswith("turn") else HUNG},
        brings={BRINGS[name]: (0,)},
    )


def table_specs() -> dict[str, Spec]:
    """Of every skill that refines to motions of a robot at a table, by name."""
    return {s.name: s for s in (PICK, PICK_BY_RIM, PLACE, SLIDE, *map(articulating, ENDS))}


def arm_specs() -> dict[str, Spec]:
    """Of every skill that is a step of an arm's contract, or an event of its hand, by name."""
    known: dict[str, tuple[tuple[str, ...], Segment]] = {
        "approach-object": ((ITEM, NAMED), "move"),
        "move-to-object": ((ITEM, NAMED), "move"),
        "approach-named": ((NAMED,), "move"),
        "move-to-named": ((NAMED,), "move"),
        "retreat": ((), "move"),
        "open-hand": ((), "grip"),
        "close-hand": ((), "grip"),
    }
    return {name: Spec(name, takes, segments=frozenset({does})) for name, (takes, does) in known.items()}


def specs() -> dict[Backend, dict[str, Spec]]:
    """What all skills declare, by their names and the backend that they are for."""
    return {"libero": table_specs(), "xarm": arm_specs()}


def facts() -> frozenset[str]:
    """Predicates by which some skill says what geometry found out."""
    return frozenset().union(*(spec.facts for each in specs().values() for spec in each.values()))


def backend_of(table: Iterable[object]) -> Backend | None:
    """The backend that has most of the skills that a table names; None when no backend has any."""
    named = list(table)
    count = {backend: sum(s in known for s in named) for backend, known in specs().items()}
    best = max(count, key=lambda backend: count[backend])
    return best if count[best] else None


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
        if signature and (misfit := known[skill].misfit([kind for _, kind in signature.parameters], domain.is_a)):
            raise InputError(f"{domain.path}: {operator} is bound to {skill}, which {misfit}")
