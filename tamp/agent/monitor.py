"""What a plan relies on, watched while it goes on: things are where they were, what is held is held, nothing is new.

That is asked of what the goal and the rest of the plan are about, and of what is near the way that is still to go. An
action that acts is left alone: what it moves is judged when it ends. Before that a violation is a reason to stop at
once. A perceiver that may err has to see it twice. What follows (go on, try again, replan) `goal_executor` decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from motion.poses import Array
from tamp.agent.tabletop import Tabletop
from tamp.agent.trajectory_tracker import TrajectoryTracker
from tamp.errors import Refusal
from tamp.model.atoms import GroundAction
from tamp.model.events import Corrected
from tamp.model.motions import Grip
from tamp.model.scene import Scene, SceneObject
from tamp.model.situation import Situation
from tamp.skills.base import Refinement

SELDOM, OFTEN = 0.5, 0.1
"""Seconds between two looks where looking takes long, and where it does not."""
SLIPPED = 0.004
"""Metres that fingers close by on what they hold without anything being wrong: what is soft gives way."""
DOUBT = 1.5
"""How much further, where the perceiver may err, a thing has to be away, in multiples of what counts as elsewhere."""
TURNS_ON = 0.3
"""Share of a joint's range within which it may go on moving by itself, as long as what is open stays open."""
LAST = 0.45
"""Seconds before an action acts at which it is looked once more where that takes long."""
NEAR = 0.15
"""Metres from the way of the tool within which things are near it: the hand, and what it holds, are that wide."""
TOO_LATE = 0.3
"""Seconds before an action acts from which on it is let act: the arm would hardly stop before that."""


@dataclass(eq=False)
class Monitor:
    """Watches one action after the other."""

    table: Tabletop
    wanted: frozenset[str] = frozenset()
    """The symbols of the goal."""
    _expected: Situation | None = None
    _planned: Situation | None = None
    _about: str | None = None
    """The thing that the present motions lead to."""
    _touched: frozenset[str] = frozenset()
    _needed: frozenset[str] = frozenset()
    """The things that the goal and the rest of the plan are about."""
    _due: float = 0.0
    _looked_last: bool = False
    _suspected: str | None = None

    def begin(
        self, actions: Sequence[GroundAction], refinement: Refinement, seen: Situation, planned: Situation
    ) -> None:
        """The first of some actions begins, the rest of a plan; things are as they are `seen`, nearly as they were when
        its motions were `planned`."""
        pushes = not any(isinstance(s, Grip) for s in refinement.segments)
        self._touched = refinement.touched | (refinement.displaced if pushes else frozenset())
        self._expected, self._planned = seen, planned
        owner = {r.name: o.name for o, r in seen.scene.regions()}
        symbols = self.wanted.union(*(action.args for action in actions))
        self._needed = frozenset(owner.get(symbol, symbol) for symbol in symbols)
        about = [owner.get(arg, arg) for arg in actions[0].args if arg != seen.held]
        self._about = about[0] if about else None
        self._due, self._suspected, self._looked_last = self.table.observed.time + self._pause, None, False

    @property
    def _pause(self) -> float:
        return SELDOM if self.table.looks_cost else OFTEN

    def violation(self, execution: TrajectoryTracker, acts: int) -> str | None:
        """What is not as the action relies on, in words, where it is time to look and to stop; None else. It acts from
        the segment `acts` of its timeline on."""
        now = self.table.observed.time
        left = execution.seconds_until(acts)
        if self._expected is None or left < TOO_LATE:
            return None
        # fingers that close on what they held have nothing between them any more
        held, opening = self._expected.held, self._expected.scene.robot.opening
        closes = held is not None and self.table.observed.robot.opening < opening - SLIPPED
        if closes or (left < LAST and not self._looked_last):
            self._due = min(self._due, now)
        if now < self._due:
            return None
        self._looked_last = left < LAST
        try:
            seen = replace(self._expected, scene=self.table.perceiver.perceive())
        except Refusal:  # nothing seen for a moment: an arm on its way goes on
            return None
        why = self._difference(self._expected, seen, execution.ahead(acts))
        if why is None:
            self._lead(execution, seen)
        sure = why is None or not self.table.looks_cost or self._suspected is not None
        self._suspected, self._due = why, now + (self._pause if sure else 0.0)
        return why if sure else None

    def _difference(self, expected: Situation, seen: Situation, way: Array) -> str | None:
        """What is other than expected, of what matters on the `way` (n, 3) that is still to go, in words."""

        def matters(o: SceneObject) -> bool:
            return o.name in self._needed or o.name == expected.held or _near(o, way)

        before, now = ({o.name for o in s.scene if matters(o)} for s in (expected, seen))
        kept = before | now
        pair = [
            replace(s, scene=replace(s.scene, objects=tuple(o for o in s.scene if o.name in kept)))
            for s in (expected, seen)
        ]
        but = self._touched | _as_good(*(s.scene for s in pair))
        held = expected.held
        if held is not None and pair[1].scene.in_hand is not None:  # where in the hand is seen less well than whether
            if held not in pair[1].scene.in_hand:
                return f"{held} is not in the hand"
            but |= {held}
        return pair[0].difference(pair[1], DOUBT if self.table.looks_cost else 1.0, but)

    def _lead(self, execution: TrajectoryTracker, seen: Situation) -> None:
        """Lead the motion to where the thing that it is for is seen, which is nearly where it was, and have what is
        held go where it was to go, wherever in the hand it is."""
        planned, correction = self._planned, execution.correction
        if planned is None:
            return
        if self._about is not None and self._about not in self._touched:  # what is pushed goes ahead of the hand
            was, thing = planned.scene.object(self._about), seen.scene.object(self._about)
            if correction.world.lead(was.T_world_object, thing.T_world_object, thing.turns):
                self.table.publish(Corrected(self._about, correction.world.wanted))
        held, before, now = planned.held, planned.T_tool_held, seen.T_tool_held
        if held is None or held != seen.held or before is None or now is None:
            return
        if correction.in_hand.lead(before, now, seen.scene.object(held).turns):
            self.table.publish(Corrected(held, correction.in_hand.wanted, in_hand=True))


def _as_good(expected: Scene, seen: Scene) -> frozenset[str]:
    """The parts whose joints are elsewhere than they were, but open or closed, on or off as before: what was pushed
    goes on by itself for a while."""
    before, now = ({p.name: p.joint for o in s for p in o.parts if p.joint is not None} for s in (expected, seen))
    good = set[str]()
    for name in before.keys() & now.keys():
        was, is_now, (low, high) = before[name], now[name], before[name].limits
        same = (was.is_active, was.is_rest) == (is_now.is_active, is_now.is_rest)
        if same and abs(was.value - is_now.value) < TURNS_ON * (high - low):
            good.add(name)
    return frozenset(good)


def _near(o: SceneObject, way: Array) -> bool:
    """Whether a thing is near the way (n, 3) of the tool."""
    low, high = o.bounds()
    outside = np.maximum(np.maximum(low - way, way - high), 0.0)
    return bool(len(way)) and float(np.linalg.norm(outside, axis=1).min()) < NEAR
