"""Detect from the fingers alone what the hand holds: they stopped before they met, and a thing was between them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from motion.poses import Array, inverse, moved, pose
from tamp.model.scene import RobotState
from tamp.perception.object_model import PlacedModel

STILL = 0.0015
"""Metres that fingers which have stopped move in the moments that are looked back on: what is soft gives way
slowly."""
MOMENTS = 4
"""Control periods that are looked back on."""
PRESSED = 6
"""Control periods of being asked to close after which fingers that stand still are kept from it by something."""
EMPTY = 0.0012
"""Metres between the pads up to which nothing can be between them."""
LETS_GO = 0.004
"""Metres that the fingers open by when they let go of a thing, and that they close by within the moments that are
looked back on when it is not between them any more."""
AT_PADS = 0.01
"""Metres from each pad within which the skin of what is held must be."""
SLAB = (0.011, 0.02)
"""Around the tool point, metres along the pads' width and along the approach: skin there is what the pads press on."""


@dataclass(eq=False)
class HandTracker:
    """Follows the fingers. `held` is the name of what they hold, `T_tool_held` (4, 4) where it is in the hand."""

    held: str | None = None
    T_tool_held: Array | None = None
    width: float = 0.0
    """Metres between the pads when they took hold."""
    _moments: deque[RobotState] = field(default_factory=lambda: deque(maxlen=MOMENTS))
    _widest: float = 0.0
    """The widest opening since something was let go of."""
    _pressed: int = 0
    """Control periods for which the fingers have been asked to close further than they do."""
    _tried: bool = False
    """Whether nothing was found between the fingers as they are."""
    _slips: tuple[str, Array] | None = None
    """What gave way between the fingers, and where it was in the hand: where they stop once more it was not lost."""

    def felt(
        self, robot: RobotState, things: Iterable[tuple[str, PlacedModel]], asked: float | None = None
    ) -> str | None:
        """Take what was felt; the name of what has just been let go of, if anything was. `things` could be held;
        `asked` is how far apart (m) the fingers were last asked to be, where that is known."""
        opening = robot.opening
        self._moments.append(robot)
        self._pressed = self._pressed + 1 if asked is not None and opening > asked + LETS_GO else 0
        if self.held is not None:
            before = max(m.opening for m in self._moments)  # what is soft gives way more slowly than that
            if opening > self.width + LETS_GO or opening < EMPTY or opening < before - LETS_GO:
                T, gave_way = self.T_tool_held, opening < before - LETS_GO
                self._slips = (self.held, T) if gave_way and T is not None else None
                return self.let_go()
            self.width = min(self.width, opening)
            return None
        openings = [m.opening for m in self._moments]
        self._widest = max(self._widest, opening)
        still = len(openings) == MOMENTS and float(np.ptp(openings)) < STILL
        self._tried = self._tried and still
        if opening < EMPTY or opening > self.width + LETS_GO:
            self._slips = None
        closing = opening < self._widest - LETS_GO or self._pressed >= PRESSED
        if closing and still and opening > EMPTY and not self._tried:
            self._take_hold(self._moments[0], things)
        return None

    def let_go(self) -> str | None:
        """Forget what is held; its name."""
        name, self.held, self.T_tool_held = self.held, None, None
        self._widest, self._tried = 0.0, False
        return name

    def was_wrong(self) -> None:
        """Forget what is held: it is seen not to be. While the fingers stay as they are they hold nothing known."""
        self.let_go()
        self._tried, self._slips = True, None

    def _take_hold(self, robot: RobotState, things: Iterable[tuple[str, PlacedModel]]) -> None:
        """Take hold of what is between the fingers, at the moment when they stopped."""
        self._tried = True
        T = robot.T_world_tool
        found = [(_from_pads(thing, robot), name, thing) for name, thing in things]
        off, name, thing = min(found, key=lambda f: f[0], default=(np.inf, "", None))
        if thing is None or off > AT_PADS:
            if self._slips is not None:  # nothing else can have come between them
                (self.held, self.T_tool_held), self.width = self._slips, robot.opening
            return
        T_tool = inverse(T) @ thing.T_world_object
        self.held, self.width = name, robot.opening
        self.T_tool_held = pose([-_middle(thing, T_tool, self._widest), 0.0, 0.0]) @ T_tool


def at_pads(thing: PlacedModel, robot: RobotState) -> bool:
    """Whether a thing is where both pads touch it."""
    return _from_pads(thing, robot) <= AT_PADS


def _from_pads(thing: PlacedModel, robot: RobotState) -> float:
    """How far (m) the skin of a thing is from the pad that it is further from."""
    T, half = robot.T_world_tool, 0.5 * robot.opening
    pads = np.array([T[:3, 3] + s * half * T[:3, 0] for s in (-1.0, 1.0)])
    return float(thing.distance(pads).max())


def _middle(thing: PlacedModel, T_tool_object: Array, opening: float) -> float:
    """How far (m) along the closing fingers the middle of what is between them is from the tool point."""
    p = moved(thing.points(), T_tool_object @ inverse(thing.T_world_object))
    between = (np.abs(p[:, 0]) < 0.5 * opening + 0.005) & (np.abs(p[:, 1]) < SLAB[0]) & (np.abs(p[:, 2]) < SLAB[1])
    return 0.5 * float(p[between, 0].min() + p[between, 0].max()) if between.any() else 0.0
