"""The skills of an arm: what each comes to, a step of the contract or an event of the hand.

An operator is bound to one of them in a domain's `skills.toml`. A skill takes the operator's first arguments, which
are of the types named here; further ones only say what the operator is about.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tamp.backends.xarm.hand import HandEvent
from tamp.backends.xarm.steps import ApproachNamed, ApproachObject, MoveToNamed, MoveToObject, RetreatZ, Step
from tamp.model.atoms import GroundAction

ITEM, PLACE = "item", "place"
"""The types of what a detector names, and of the world's named poses; a domain may have types below them."""
LIFT = 0.08
"""Metres that `retreat` goes up: as high as approaches hover."""


@dataclass(frozen=True)
class Call:
    """A ground action, number `number` of its plan from 1, with what its arguments are called in the arm's world.

    Where the skill takes an item, it is the one with this `index`, from 0, of those with its `label`, in the order of
    distance from the named pose `place`.
    """

    number: int
    action: GroundAction
    place: str = ""
    label: str = ""
    index: int = 0


@dataclass(frozen=True)
class ArmSkill:
    """Types of the arguments that it takes, and its step or event. Always one, so that a step has the number of its
    action in the plan."""

    takes: tuple[str, ...]
    step: Callable[[Call], Step | HandEvent]


def arm_skills() -> dict[str, ArmSkill]:
    """Every skill of an arm."""
    thing, place = (ITEM, PLACE), (PLACE,)
    return {
        "approach-object": ArmSkill(thing, lambda c: ApproachObject((c.label,), ref=c.place, index=c.index)),
        "move-to-object": ArmSkill(thing, lambda c: MoveToObject((c.label,), ref=c.place, index=c.index)),
        "approach-named": ArmSkill(place, lambda c: ApproachNamed(c.place)),
        "move-to-named": ArmSkill(place, lambda c: MoveToNamed(c.place)),
        "retreat": ArmSkill((), lambda c: RetreatZ(LIFT)),
        "open-hand": ArmSkill((), lambda c: _event("open", c)),
        "close-hand": ArmSkill((), lambda c: _event("close", c)),
    }


def misfit(takes: Sequence[str], parameters: Sequence[str], is_a: Callable[[str, str], bool]) -> str | None:
    """What a skill takes, in words, where an operator's parameters do not begin so; None where they do.

    `parameters` are their types, and `is_a(kind, ancestor)` says which is below which.
    """
    if len(parameters) >= len(takes) and all(map(is_a, parameters, takes)):
        return None
    return f"takes {' and '.join(f'a {PLACE}' if t == PLACE else f'an {ITEM}' for t in takes)}, in this order"


def _event(kind: str, call: Call) -> HandEvent:
    return HandEvent(kind, call.number, {"action": call.action.name, "args": list(call.action.args)})
