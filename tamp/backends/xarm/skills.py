"""The skills of an arm: what each comes to, a step of the contract or an event of the hand.

An operator is bound to one of them in a domain's `skills.toml`. A skill takes the operator's first arguments, which
are of the types named here; further ones only say what the operator is about.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tamp.backends.xarm.hand import HandEvent
from tamp.backends.xarm.steps import ApproachNamed, ApproachObject, MoveToNamed, MoveToObject, RetreatZ, Step
from tamp.model.atoms import GroundAction
from tamp.model.skill_spec import Segment, Spec

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
    """What it declares, and its step or event. Always one, so that a step has the number of its action in the plan."""

    spec: Spec
    step: Callable[[Call], Step | HandEvent]


def arm_skills() -> dict[str, ArmSkill]:
    """Every skill of an arm."""
    thing, place = (ITEM, PLACE), (PLACE,)
    known = (
        _skill("approach-object", thing, "move", lambda c: ApproachObject((c.label,), ref=c.place, index=c.index)),
        _skill("move-to-object", thing, "move", lambda c: MoveToObject((c.label,), ref=c.place, index=c.index)),
        _skill("approach-named", place, "move", lambda c: ApproachNamed(c.place)),
        _skill("move-to-named", place, "move", lambda c: MoveToNamed(c.place)),
        _skill("retreat", (), "move", lambda c: RetreatZ(LIFT)),
        _skill("open-hand", (), "grip", lambda c: _event("open", c)),
        _skill("close-hand", (), "grip", lambda c: _event("close", c)),
    )
    return {s.spec.name: s for s in known}


def _skill(name: str, takes: tuple[str, ...], segment: Segment, step: Callable[[Call], Step | HandEvent]) -> ArmSkill:
    return ArmSkill(Spec(name, takes, segments=frozenset({segment})), step)


def _event(kind: str, call: Call) -> HandEvent:
    return HandEvent(kind, call.number, {"action": call.action.name, "args": list(call.action.args)})
