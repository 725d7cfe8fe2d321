"""What a skill is: it turns one ground action into motions for a situation, lazily, sample after sample.

A skill never steps a simulator and never decides what to do. It answers with refinements, each with the
situation that should follow, or with the reason why there is none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from motion.paths import Blocked
from motion.world import World
from tamp.model.atoms import Atom
from tamp.model.formula import Literal
from tamp.model.motions import Grip, Move, Segment
from tamp.model.scene import Scene
from tamp.model.situation import Situation
from tamp.model.skill_spec import Spec

DISPLACED = 0.001
"""Metres, or change of a direction's component, from which a body counts as moved."""


@dataclass(frozen=True, eq=False)
class Refinement:
    """Motions for one action and the situation they should lead to; `touched` are the bodies that the arm may touch on
    the way, besides those that the action is about."""

    segments: tuple[Segment, ...]
    after: Situation
    note: dict[str, Any] = field(default_factory=dict)
    touched: frozenset[str] = frozenset()

    @property
    def displaced(self) -> frozenset[str]:
        """Names of the bodies that are elsewhere afterwards: what is meant to be moved, and what goes along with it."""
        before = next((s.state.poses for s in self.segments if isinstance(s, Move)), {})
        after = self.after.state().poses
        return frozenset(n for n, T in before.items() if n in after and np.abs(after[n] - T).max() > DISPLACED)

    def back(self, seen: Situation) -> tuple[Segment, ...]:
        """The way back from where things are `seen` after it, for one that grasps something and moves it: down where it
        came from, the fingers opened, and away as the hand came. Nothing for any other."""
        if [type(s) for s in self.segments] != [Move, Grip, Move]:
            return ()
        way, _, lift = self.segments
        assert isinstance(way, Move) and isinstance(lift, Move)
        down = np.vstack([seen.scene.robot.q, lift.path[::-1]])
        lowered = replace(lift, path=down, state=seen.state(), precise=True, yielding=True, exact=True)
        opening = way.opening if way.opening is not None else way.state.opening
        return lowered, Grip(opening), replace(way, path=way.path[::-1], exact=True)


@dataclass(frozen=True)
class Infeasible:
    """Why an action, or one sample of it, cannot be refined.

    `facts` are atoms that tell the planner so; `final` means that no other sample of any action can do
    better, `whatever_grasp` that another way to do the action before cannot. `conflict` names the items on whose
    places alone the answer depends, so that what was chosen for others need not be chosen anew; None when that is
    not known.
    """

    reason: str
    blockers: tuple[str, ...] = ()
    facts: frozenset[Atom] = frozenset()
    message: str = ""
    final: bool = False
    whatever_grasp: bool = False
    conflict: frozenset[str] | None = None


@dataclass(frozen=True, eq=False)
class Tools:
    """What skills work with: the kinematic world and a random generator.

    `hint` is the note of an earlier refinement of the same action, worth trying first; `following` are the things that
    the actions after it put somewhere, each with where; `wanted` are the relations between things that are to hold, or
    not to hold, in the end; `cache` keeps what does not depend on any of these for the
    length of one search.
    """

    world: World
    rng: np.random.Generator
    hint: dict[str, Any] | None = None
    following: tuple[tuple[str, str], ...] = ()
    wanted: tuple[Literal, ...] = ()
    cache: dict[Any, Any] = field(default_factory=dict)

    def place_after(self, item: str) -> str | None:
        """Where an item is put by the actions that follow."""
        return next((place for thing, place in self.following if thing == item), None)


class Skill(Protocol):
    """Refines one ground action; `args` are the operator's arguments. Skills inherit from it."""

    @property
    def spec(self) -> Spec:
        """What it declares: argument roles, segments, facts."""
        ...

    def refine(self, args: tuple[str, ...], situation: Situation, tools: Tools) -> Iterator[Refinement | Infeasible]:
        """Samples, best first: a refinement, or why this sample failed."""
        ...

    def proof(self, args: tuple[str, ...], scene: Scene, brought: Iterable[tuple[str, str]]) -> Infeasible | None:
        """Why the action cannot be done in a plan, shown in milliseconds and without sampling; None where nothing is
        shown. `brought` are the things that the actions before it put somewhere, each with where."""
        return None

    def facts(self, args: tuple[str, ...], causes: list[Infeasible], scene: Scene) -> frozenset[Atom]:
        """What to tell the planner when every sample failed, from the samples' reasons."""
        return frozenset()

    def advice(self, args: tuple[str, ...], situation: Situation, tools: Tools) -> str | None:
        """The smallest change known that would make an infeasible action feasible, in words."""
        return None

    def achieved(self, args: tuple[str, ...], scene: Scene, held: str | None) -> str | None:
        """None when the postcondition is observed in `scene`, else what is missing, in words."""
        return None


def blocked(action: str, what: Blocked, target: str) -> Infeasible:
    """An Infeasible sample from a path that does not exist."""
    conflict = None if what.because_of is None else what.because_of | {target}
    if what.reason == "unreachable":
        message = f"{action}: no configuration of the arm reaches {target}"
        return Infeasible("unreachable", (target,), message=message, conflict=conflict)
    if what.reason == "stretched":
        message = f"{action}: the arm would be stretched to reach {target}"
        return Infeasible("stretched", (target,), message=message, conflict=conflict)
    body = what.body or "something"
    return Infeasible("collision", (body,), message=f"{action}: {body} is in the way", conflict=conflict)


def obstructed(args: tuple[str, ...], causes: list[Infeasible], scene: Scene) -> frozenset[Atom]:
    """That the first argument is obstructed by the item that most samples collided with, of those that could be moved
    away, by each where several are equal; nothing where there is none."""
    movable = {o.name for o in scene if o.movable} - set(args)
    hit = Counter(b for c in causes if c.reason == "collision" for b in c.blockers if b in movable)
    return frozenset(Atom("obstructed", (args[0], name)) for name, n in hit.items() if n == max(hit.values()))
