"""Whether what was asked for holds, by whoever knows all: told to nobody who plans."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from tamp.model.events import ActionEnded, Event, MilestoneEnded
from tamp.model.goal import Goal
from tamp.model.scene import Perceiver, Scene
from tamp.perception.beliefs import Beliefs
from tamp.perception.relative_places import PlacesBeside, places
from tamp.perception.sight import Sight


@dataclass(eq=False)
class Asked:
    """Whether goals hold, one after the other, by the simulator's state. `sight` says that state in symbols; its trail
    is its own, what is believed it takes from whoever acted."""

    goals: tuple[Goal, ...]
    perceiver: Perceiver
    sight: Sight
    held: list[bool] = field(default_factory=list)
    seconds: float = 0.0
    """What looking has taken while the robot was at work."""

    def heard(self, event: Event) -> None:
        """Look when one of several goals was worked on, and for observers that remember when an action has ended."""
        if isinstance(event, ActionEnded) and any(o.keeps for o in self.sight.observers.values()):
            start = time.perf_counter()
            self.sight.state(self.perceiver.perceive())
            self.seconds += time.perf_counter() - start
        if isinstance(event, MilestoneEnded) and event.number < len(self.goals):
            self.held.append(self.holds(self.goals[event.number - 1]))

    def reached(self, beliefs: Beliefs) -> bool:
        """Whether each of the goals held at its time, the last one now."""
        self.sight.beliefs.since |= {a: t for a, t in beliefs.since.items() if a.predicate in beliefs.rules}
        last = self.holds(self.goals[-1])
        return last and all(self.held) and len(self.held) == len(self.goals) - 1

    def holds(self, goal: Goal) -> bool:
        """Whether a goal holds now."""
        return not goal.missing(self.sight.state(self.perceiver.perceive()))


def asked_of(goals: tuple[Goal, ...], eyes: Perceiver, sight: Sight, start: Scene) -> Asked:
    """What judges whether goals hold, with the places beside things that they name as these are at the start."""
    beside = places([a for g in goals for a in g.mentioned], start)
    seeing = PlacesBeside(eyes, beside) if beside else eyes
    asked = Asked(goals, seeing, Sight(sight.domain, sight.observers, sight.world))
    asked.sight.state(start)
    return asked
