"""A box that the tool point must not leave, as a check that paths understand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from motion.paths import Check
from motion.poses import Array
from motion.world import Contact, World

NAME = "workspace"
"""What blocks a path that would leave the box, where a body would be named."""


@dataclass(frozen=True, eq=False)
class Workspace:
    """A box along the base's axes, by its `low` and `high` corners (3,), metres."""

    low: Array
    high: Array

    def room(self, p_base: Array) -> float:
        """Metres from a point (3,) to the nearest face; outside, minus the metres beyond the furthest one."""
        return float(np.minimum(p_base - self.low, self.high - p_base).min())


def kept_within(world: World, workspace: Workspace, check: Check, slack: float = 0.0) -> Check:
    """The same check, which also reports the tool point when it is more than `slack` metres outside."""

    def both(q: Array) -> list[Contact]:
        found = check(q)
        room = workspace.room(world.forward(q)[:3, 3])
        return [*found, Contact(world.robot.tool_site, NAME, room)] if room < -slack else found

    return both
