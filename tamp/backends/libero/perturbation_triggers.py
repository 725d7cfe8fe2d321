"""When to perturb an episode: what the robot is doing, by its events and by the simulation."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.oracle import OraclePerceiver
from tamp.model.events import ActionBegun, ActionEnded, Commanded, Event
from tamp.model.scene import Part, Scene, SceneObject

NEAR = 0.2
"""Metres between tool and thing within which the tool approaches it."""
LIFTED = 0.05
"""Metres by which a thing is higher than it stood when it is carried."""
IN_HAND = 0.15
"""Metres from the tool within which it is then."""
MOVED_SHARE = 0.2
"""Share of a joint's range that is more than a touch."""
EARLY = 3
"""Control steps of an action after which it counts as going on."""


@dataclass(eq=False)
class ActionProgress:
    """The action that goes on, if any, with its `operands` in the simulation's names; `since` counts its control
    steps, `began` is how things were when it began, `first` how they were at first."""

    environment: LiberoEnvironment
    action: str | None = None
    operands: tuple[str, ...] = ()
    stage: str = "move"
    gripped: bool = False
    """Whether the fingers were moved in this action."""
    since: int = 0
    first: Scene = field(init=False)
    began: Scene = field(init=False)
    _ended: list[tuple[str, ...]] = field(default_factory=list)
    """Operands of the actions that succeeded."""

    def __post_init__(self) -> None:
        self._oracle = OraclePerceiver(self.environment)
        self.first = self.began = self._oracle.perceive()

    def on_event(self, event: Event, operands: tuple[str, ...]) -> None:
        """Take an event of the robot into account; `operands` of the action that begins."""
        match event:
            case ActionBegun(action):
                self.action, self.operands, self.since, self.gripped = action, operands, 0, False
                self.began = self._oracle.perceive()
            case ActionEnded(success):
                self._ended += [self.operands] if success else []
                self.action = None
            case Commanded():
                self.stage, self.gripped = event.stage, self.gripped or event.stage == "grip"

    def scene(self) -> Scene:
        """The scene as it is now."""
        return self._oracle.perceive()

    @property
    def thing(self) -> SceneObject | None:
        """The thing that the action takes or carries, as it was when the action began."""
        return next((o for o in self.began if o.name in self.operands[:1] and o.movable), None)

    def part(self, operands: tuple[str, ...] | None = None) -> Part | None:
        """The drawer, door or knob that an action works on, by default the present action, as it is now."""
        scene = self.scene()
        regions = {r.name: (o, r.part) for o, r in scene.regions()}
        things = {o.name: (o, None) for o in scene if not o.movable}
        for name in self.operands if operands is None else operands:
            thing, part = {**things, **regions}.get(name, (None, None))
            for p in thing.parts if thing is not None else ():
                if p.joint is not None and part in (None, p.name):
                    return p
        return None

    def opened(self) -> Part | None:
        """The part that is open, or on, and that the plan relies on: the carried thing goes in there, or an earlier
        action has opened it or switched it on."""
        where = [self.operands] if self.carrying() else []
        parts = (self.part(operands) for operands in [*where, *reversed(self._ended)])
        return next((p for p in parts if p is not None and p.joint is not None and p.joint.is_active), None)

    def stood(self, name: str) -> float:
        """The height at which a thing stood at first, or when the action began, whichever is lower."""
        return min(float(s.object(name).position[2]) for s in (self.first, self.began))

    def carrying(self) -> bool:
        """A thing is in the air."""
        if (thing := self.thing) is None:
            return False
        p = self.environment.pose_of(thing.name)[:3, 3]
        tool = self.environment.robot_state().T_world_tool[:3, 3]
        return bool(p[2] > self.stood(thing.name) + LIFTED and np.linalg.norm(p - tool) < IN_HAND)

    def grasping(self) -> bool:
        """The arm goes to a thing that it is to take."""
        return self.thing is not None and not self.gripped and not self.carrying()

    def approaching(self) -> bool:
        """The tool is near a thing that it is to take."""
        if (thing := self.thing) is None or not self.grasping():
            return False
        tool = self.environment.robot_state().T_world_tool[:3, 3]
        return bool(np.linalg.norm(tool - thing.position) < NEAR)

    def closing(self) -> bool:
        """The fingers close on a thing."""
        return self.thing is not None and self.stage == "grip" and self.since > 1 and not self.carrying()

    def handling(self) -> bool:
        """A handle moves that the fingers hold."""
        part = self.part() if self.thing is None else None
        if part is None or part.joint is None or not self.gripped or self.stage != "move":
            return False
        before = next(p.joint for o in self.began for p in o.parts if p.name == part.name)
        low, high = part.joint.limits
        return before is not None and abs(part.joint.value - before.value) > MOVED_SHARE * (high - low)

    def relying(self) -> bool:
        """An action goes on that is not about a handle, and something is open or on."""
        return self.going() and (self.thing is not None or self.part() is None) and self.opened() is not None

    def going(self) -> bool:
        """An action goes on."""
        return self.action is not None and self.since > EARLY
