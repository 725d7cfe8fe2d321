"""Motions without an end, a round at a time: waving, following.

A round is refined and carried out like any other action; to go on is to start the next one. They go
through the air.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from motion import paths
from motion.paths import Blocked
from motion.poses import Array, pose
from motion.world import World
from tamp.model.motions import Move
from tamp.model.situation import Situation
from tamp.model.skill_spec import Spec
from tamp.skills.base import Infeasible, Refinement, Skill, Tools, blocked
from tamp.skills.reaching import through

CLEARANCE = 0.01
"""Metres that every part of the arm keeps from everything, where it does so already."""
SWING = 0.05
"""Metres to each side by which a hand waves."""
HOVER = 0.12
"""Metres above the top of a thing at which it is followed: what is held hangs below the hand."""
PACE = 0.5
"""Share of the speed limits."""

Poses = Callable[[tuple[str, ...], Situation, World], list[Array]]
"""The tool poses (4, 4) of a round, in order, from the arguments, a situation and its kinematic copy."""


@dataclass(frozen=True)
class Pattern(Skill):
    """A skill that goes round by round, the fingers as they are; `takes` are the types of its arguments."""

    name: str
    takes: tuple[str, ...]
    poses: Poses
    pace: float = PACE

    @property
    def spec(self) -> Spec:
        """It moves the tool and nothing else."""
        return Spec(self.name, self.takes, segments=frozenset({"move"}))

    def refine(self, args: tuple[str, ...], situation: Situation, tools: Tools) -> Iterator[Refinement | Infeasible]:
        """One round: there by any free way, then straight from pose to pose."""
        world, q = tools.world, situation.scene.robot.q
        world.load(situation.state())
        check = paths.leaving(q, paths.checker(world, CLEARANCE))
        first, *others = self.poses(args, situation, world)
        path = paths.transit(world, q, first, check, tools.rng)
        if not isinstance(path, Blocked):
            onwards = through(world, path[-1], others, check)
            path = onwards if isinstance(onwards, Blocked) else np.concatenate([path, onwards[1:]])
        if isinstance(path, Blocked):
            yield blocked("round", path, args[0] if args else "the way")
            return
        after = situation.at(path[-1], situation.scene.robot.opening, world.forward(path[-1]))
        yield Refinement((Move(path, situation.state(), pace=self.pace),), after)


def patterns() -> dict[str, Pattern]:
    """Every pattern by its name."""
    return {p.name: p for p in (Pattern("wave", (), _wave), Pattern("follow", ("item",), _above))}


def _wave(args: tuple[str, ...], situation: Situation, world: World) -> list[Array]:
    T = world.forward(world.robot.posture)
    return [pose(T[:3, 3] + [0.0, y, 0.0], T[:3, :3]) for y in (SWING, -SWING, 0.0)]


def _above(args: tuple[str, ...], situation: Situation, world: World) -> list[Array]:
    low, high = situation.scene.object(args[0]).bounds()
    middle = 0.5 * (low + high)
    return [pose([middle[0], middle[1], high[2] + HOVER], situation.scene.robot.T_world_tool[:3, :3])]
