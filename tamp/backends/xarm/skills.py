"""The skills of an arm: what each comes to, a step of the contract or an event of the hand.

An operator is bound to one of them in a domain's `skills.toml`. A skill takes the operator's first arguments, which
are of the types named here; further ones only say what the operator is about.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tamp.backends.xarm.arm_steps import ApproachNamed, ApproachObject, MoveToNamed, MoveToObject, RetreatZ, Step
from tamp.backends.xarm.hand import HandEvent
from tamp.model.atoms import GroundAction

LIFT = 0.08
"""Metres that `retreat` goes up: as high as approaches hover."""


@dataclass(frozen=True)
class SkillCall:
    """A ground action, number `number` of its plan from 1, with what its arguments are called in the arm's world.

    Where the skill takes an item, it is the one with this `index`, from 0, of those with its `label`, in the order of
    distance from the named pose `place`.
    """

    number: int
    action: GroundAction
    place: str = ""
    label: str = ""
    index: int = 0


Comes = Callable[[SkillCall], Step | HandEvent]
"""What a skill comes to: always one step or event, so that it has the number of its action in the plan."""


def arm_skills() -> dict[str, Comes]:
    """Every skill of an arm (`tamp.skills.declared.arm_specs`), and what it comes to."""
    return {
        "approach-object": lambda c: ApproachObject((c.label,), ref=c.place, index=c.index),
        "move-to-object": lambda c: MoveToObject((c.label,), ref=c.place, index=c.index),
        "approach-named": lambda c: ApproachNamed(c.place),
        "move-to-named": lambda c: MoveToNamed(c.place),
        "retreat": lambda c: RetreatZ(LIFT),
        "open-hand": lambda c: _event("open", c),
        "close-hand": lambda c: _event("close", c),
    }


def _event(kind: str, call: SkillCall) -> HandEvent:
    return HandEvent(kind, call.number, {"action": call.action.name, "args": list(call.action.args)})
