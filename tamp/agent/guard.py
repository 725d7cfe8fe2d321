"""The last resort that keeps two arms apart: each control period it looks where both would be, and holds one still."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from motion.clearance import Clearance, Held, distances
from motion.lookahead import Lookahead
from motion.poses import Array
from tamp.model.backend import Command
from tamp.model.scene import RobotState

SLACK = 0.005
"""Metres beyond what is to be kept within which a command is looked at more closely than the distance now."""
HORIZON = 10
"""Control periods in which an arm comes to rest."""
IMPATIENT = 2.0
"""Seconds for which one arm is held before the other one is held instead."""


@dataclass(eq=False)
class Guard:
    """Keeps two arms `apart` metres from each other. `watches` predict where each goes, `held` counts the control
    periods in which each was held still, `least` is the smallest distance so far, by the shapes that motion is planned
    with.
    """

    clearance: Clearance
    apart: float
    watches: tuple[Lookahead, Lookahead]
    least: float = np.inf
    held: list[int] = field(default_factory=lambda: [0, 0])
    _before: tuple[RobotState | None, RobotState | None] = (None, None)
    _in_a_row: int = 0

    def checked(
        self,
        robots: tuple[RobotState, RobotState],
        commands: tuple[Command, Command],
        things: tuple[Held | None, Held | None],
        first: int,
    ) -> tuple[Command, Command]:
        """What to command instead: an arm is held still where the arms would come too near to each other before they
        could both stop. The arm of the number `first` goes on, unless that does not help."""
        now = self.clearance.of(robots[0].q, robots[1].q, things)
        self.least = min(self.least, now)
        chosen = self._chosen(robots, commands, things, first, now)
        stopped = [n for n, (one, other) in enumerate(zip(commands, chosen, strict=True)) if one is not other]
        self._in_a_row = self._in_a_row + 1 if stopped else 0
        for n in stopped:
            self.held[n] += 1
        self._before = robots
        return chosen

    def _chosen(
        self,
        robots: tuple[RobotState, RobotState],
        commands: tuple[Command, Command],
        things: tuple[Held | None, Held | None],
        first: int,
        now: float,
    ) -> tuple[Command, Command]:
        still = Command(np.zeros(6), commands[0].opening), Command(np.zeros(6), commands[1].opening)
        if (self._in_a_row // round(IMPATIENT / self.watches[0].period)) % 2:
            first = 1 - first
        one = (commands[0], still[1]), (still[0], commands[1])
        tries: Sequence[tuple[Command, Command]] = (commands, one[first], one[1 - first])
        for some in tries:
            nearest = self._nearest(robots, some, things)
            if nearest >= self.apart + SLACK or nearest > now:
                return some
        return still

    def _nearest(
        self,
        robots: tuple[RobotState, RobotState],
        commands: tuple[Command, Command],
        things: tuple[Held | None, Held | None],
    ) -> float:
        """Metres between the arms over one period of the commands and the periods of braking after it."""
        ways = [self._way(n, robots[n], commands[n], things[n]) for n in (0, 1)]
        return min(float(distances(a, b).min()) for a, b in zip(*ways, strict=True))

    def _way(self, number: int, robot: RobotState, command: Command, thing: Held | None) -> Array:
        watch, before = self.watches[number], self._before[number]

        def law(T: Array, k: int) -> Array:
            return np.zeros(6) if k else command.displacement

        q = np.array([q for q, _ in watch.predict(before, robot, law)])
        return self.clearance.swept(number, q, [thing] * len(q))
