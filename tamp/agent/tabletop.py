"""A robot among things: its perceiver, its kinematic world, its skills, and what decides for it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from motion.poses import Array, error
from motion.world import World
from tamp.agent.session import Doing, Routine, T
from tamp.errors import Refusal
from tamp.model.atoms import Atom, GroundAction
from tamp.model.backend import Command, Observation
from tamp.model.domain import Domain
from tamp.model.events import Publish
from tamp.model.scene import Perceiver, Scene
from tamp.model.situation import Situation
from tamp.model.state import WorldState
from tamp.perception.observers import StateEstimator
from tamp.perception.predicates import held_in
from tamp.planning.deliberation import Deliberation, Thought
from tamp.skills.base import Skill
from tamp.skills.patterns import Pattern, patterns

STANDS_STILL = 0.02
"""Metres a second (a radian counting as 0.2 m) below which the tool counts as standing still."""
BRAKING = 0.15
"""Seconds of braking after which the arm is held where it is even if it still creeps: one that is asked for nothing has
nothing to hold it against its own weight."""
LEVER = 0.2
"""Metres that a radian counts as."""


@dataclass(eq=False)
class Tabletop:
    """A robot among things, for one session.

    `observed` is what was felt in this control period, which is `period` seconds long; `doing` is the action that is
    going on.
    """

    perceiver: Perceiver
    observed: Observation
    period: float
    world: World
    domain: Domain
    skills: dict[str, Skill]
    mind: Deliberation
    publish: Publish
    sight: StateEstimator
    patterns: Mapping[str, Pattern] = field(default_factory=patterns)
    """Motions without an end, by their names."""
    looks_cost: bool = False
    """Whether looking takes long: it is then done less often, and what moves is waited for instead."""
    regain: Callable[[list[str]], Routine[bool]] | None = None
    """Looks around for things that are not seen any more; whether all are seen again."""
    clarify: Callable[[Sequence[str]], Routine[bool]] | None = None
    """Looks from elsewhere at things that are hardly seen from here; whether it did."""
    doing: Doing | None = None
    _standing: Standing = field(default_factory=lambda: Standing())  # noqa: PLW0108 (it is defined below)

    def look(self, doubted: frozenset[Atom] = frozenset()) -> tuple[Scene, WorldState, Situation]:
        """Perceive, and say it in symbols, but for what is doubted."""
        scene = self.perceiver.perceive()
        state = self.sight.state(scene, doubted)
        return scene, state, Situation(scene, held_in(state))

    def feel(self, observation: Observation) -> None:
        """What was observed in this control period."""
        if observation.asked is None:
            observation = replace(observation, asked=self._standing.opening)
        self.observed = observation
        self.perceiver.felt(observation)
        self.sight.felt(observation.time, observation.robot)

    def missing(self, action: GroundAction, scene: Scene, situation: Situation, before: WorldState) -> str | None:
        """What is missing of an action's postcondition, from the state `before` it; of what is not seen nothing can be
        said."""
        if lost := scene.unseen(action.args):
            return f"{lost[0]} is not seen"
        skill = self.patterns.get(action.name) or self.skills[action.name]
        missing = skill.achieved(action.args, scene, situation.held)
        own = action.name not in self.patterns
        return self.sight.missing(action, self.sight.known, before) if missing is None and own else missing

    def commanded(self, command: Command | None) -> Command:
        """What to command in this control period: to stand without a command."""
        if command is None:
            return self._standing.command(self.observed, self.period)
        self._standing = Standing(command.opening)
        return command


@dataclass(eq=False)
class Standing:
    """Standing still: braking first, then where the arm came to rest, the fingers going to their last target."""

    opening: float | None = None
    _before: Array | None = None
    _hold: Array | None = None
    _braked: float = 0.0

    def command(self, observed: Observation, period: float) -> Command:
        """The command for this control period."""
        T, before = observed.robot.T_world_tool, self._before
        self._before = T
        if self.opening is None:
            self.opening = observed.robot.opening
        if self._hold is None and before is not None:
            e = error(before, T)
            speed = (float(np.linalg.norm(e[:3])) + LEVER * float(np.linalg.norm(e[3:]))) / period
            self._braked += period
            self._hold = T if speed < STANDS_STILL or self._braked >= BRAKING else None
        return Command(np.zeros(6) if self._hold is None else error(T, self._hold), self.opening)


BLIND = 5.0
"""Seconds in which a perceiver that sees nothing of use is asked again and again before that is the end."""
AGAIN = 0.5
"""Seconds between two such looks."""


class StepLimit(Exception):
    """The control steps are used up."""


@dataclass(eq=False)
class Periods:
    """Counts control periods, of which there are at most `most`."""

    table: Tabletop
    most: int = sys.maxsize
    steps: int = 0

    def pass_one(self, command: Command | None) -> Routine[None]:
        """One control period. StepLimit when there is none left."""
        if self.steps >= self.most:
            raise StepLimit
        yield command
        self.steps += 1

    def wait(self, seconds: float) -> Routine[None]:
        """Command nothing for a while."""
        for _ in range(max(1, round(seconds / self.table.period))):
            yield from self.pass_one(None)

    def thought(self, thought: Thought[T]) -> Routine[T]:
        """What a thought comes to; nothing is commanded until then, and it is dropped when the wait is ended."""
        try:
            while not thought.done():
                yield from self.pass_one(None)
        finally:
            if not thought.done():
                thought.cancel()
        return thought.result()

    def look(self, doubted: frozenset[Atom] = frozenset()) -> Routine[tuple[Scene, WorldState, Situation]]:
        """What is seen, as soon as anything is. Refusal where nothing is for long."""
        for _ in range(round(BLIND / AGAIN)):
            try:
                return self.table.look(doubted)
            except Refusal:
                yield from self.wait(AGAIN)
        return self.table.look(doubted)
