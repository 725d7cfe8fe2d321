"""Motions of this domain: see docs/extending.md."""

import numpy as np

from tamp.extension import GuidedSkill, Hand, Spec


class MySkill(GuidedSkill):
    """The closed fingers come straight down on the middle of an item's top, and go up again."""

    # The name for skills.toml, and the types of the operator's first parameters.
    spec = Spec("my-skill", ("item",), facts=frozenset({"obstructed"}))
    # What is tried one after the other, until one can be gone: here degrees by which the hand is turned, and leant,
    # with which it reaches further.
    ways = tuple((turn, lean) for lean in (0, -15, -30) for turn in (0, 90))

    def guide(self, hand: Hand, item: str) -> None:
        """Nothing moves in here: every call looks for a free path. Metres and radians, in the world frame."""
        R = hand.down(*np.radians(hand.way))
        x, y, _ = hand.middle(item)
        top = hand.top(item)
        above = hand.at([x, y, top + 0.08], R)
        hand.close()
        hand.go(above)
        hand.line(hand.at([x, y, top + 0.005], R), touching=[item])
        hand.line(above, touching=[item])
