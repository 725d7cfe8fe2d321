"""Skills of one's own: a function that drives a hand through a predicted scene, and comes to motions.

Nothing moves while it does: every call looks for a free path in the kinematic copy of the scene, and where there is
none the way that is tried ends there with the reason.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NoReturn

import numpy as np

from motion import paths
from motion.paths import Blocked
from motion.poses import Array, pose, rotation_about
from tamp.errors import InputError
from tamp.model.atoms import Atom
from tamp.model.motions import Grip, Move, Segment
from tamp.model.scene import Scene
from tamp.model.situation import Situation
from tamp.model.skill_spec import Spec
from tamp.perception.observers import Things
from tamp.skills.base import Infeasible, Refinement, Skill, Tools, blocked, obstructed
from tamp.skills.reaching import through
from tamp.user_code import user_code

CLEARANCE = 0.01
"""Metres that every part of the arm keeps from everything, where it does so already."""
PACE = 0.5
"""Share of the speed limits."""
SECONDS = 20.0
"""Seconds that one way of a skill may take to be planned."""


FARTHEST = 5.0
"""Metres from the world's origin beyond which nothing is that an arm on a table could reach: millimetres are."""


class NoWay(Exception):
    """A way that is tried cannot be gone."""

    def __init__(self, why: Infeasible) -> None:
        super().__init__(why.message)
        self.why = why


@dataclass(eq=False)
class Hand(Things):
    """A hand that is driven through a predicted scene: `scene` is what it is like at the present point of the motion.

    `way` is the one of the skill's `ways` that is tried now. Tool poses are in the world; the tool's third axis points
    where the fingers do, and they close along the first.
    """

    situation: Situation
    tools: Tools
    skill: str
    about: tuple[str, ...]
    way: Any = None
    segments: list[Segment] = field(default_factory=list)
    touched: set[str] = field(default_factory=set)

    @property
    def held(self) -> str | None:
        """The item in the hand."""
        return self.situation.held

    @property
    def T_world_tool(self) -> Array:
        """Pose (4, 4) of the tool at the present point of the motion."""
        return self.scene.robot.T_world_tool.copy()

    @property
    def opening(self) -> float:
        """Metres between the fingers."""
        return self.scene.robot.opening

    @property
    def finger(self) -> float:
        """Metres from the tool point to the outer face of a fingertip."""
        return self.tools.world.robot.gripper.fingertip

    def down(self, yaw: float = 0.0, lean: float = 0.0) -> Array:
        """Rotation (3, 3) of a tool that points straight down. The fingers close along the world's y axis, turned by
        `yaw` radians about the vertical, counterclockwise from above; then leant by `lean` radians about that line, so
        that without a yaw a negative one points the fingers away from the robot."""
        for name, angle in (("yaw", yaw), ("lean", lean)):
            _within(name, angle, -2 * math.pi, 2 * math.pi, "radians")
        straight = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])
        turned = rotation_about(np.array([0.0, 0.0, 1.0]), yaw) @ straight
        return np.asarray(rotation_about(turned[:, 0], lean) @ turned)

    def at(self, p: Sequence[float] | Array, R: Array | None = None) -> Array:
        """The tool pose (4, 4) with its point at `p` (3,) in the world; `R` (3, 3) as it is now unless given."""
        return pose(np.asarray(p, dtype=float), self.T_world_tool[:3, :3] if R is None else R)

    def go(self, T_world_tool: Array, *, pace: float = PACE, clearance: float = CLEARANCE) -> None:
        """By any way that is free, `clearance` metres from everything."""
        _check_motion(pace, T_world_tool)
        _within("clearance", clearance, 0.0, 0.5, "metres")
        world, q = self._loaded(), self.scene.robot.q
        check = paths.leaving(q, paths.checker(world, clearance))
        self._move(self._free(paths.transit(world, q, T_world_tool, check, self.tools.rng)), pace)

    def line(self, *T_world_tool: Array, touching: Sequence[str] = (), pace: float = PACE) -> None:
        """Straight from pose to pose; what is `touching` may be touched on the way, and held up by it is arrived."""
        _check_motion(pace, *T_world_tool)
        world, q = self._loaded(), self.scene.robot.q
        parts = {p.name for symbol in touching for p in self.thing(symbol).parts}
        near = paths.checker(world, 0.0 if parts else CLEARANCE, frozenset(parts))
        path = self._free(through(world, q, T_world_tool, paths.leaving(q, near)))
        self.touched.update(parts)
        self._move(path, pace, exact=True, yielding=bool(parts))

    def open(self, metres: float | None = None) -> None:
        """Open the fingers, as far as they go by default; what was held stays where it is."""
        if metres is not None:
            _within("metres", metres, 0.0, 0.5, "metres between the fingers")
        most = self.tools.world.robot.gripper.opening
        self._grip(most if metres is None else min(metres, most))
        self._become(replace(self.situation, held=None))

    def close(self, item: str | None = None) -> None:
        """Close the fingers; around an item it is in the hand from then on."""
        if item is None:
            self._grip(0.0)
            return
        self.segments.append(Grip(0.0))
        self.touched.update(p.name for p in self.thing(item).parts)
        self._become(self.situation.grasping(item))

    def expect(self, item: str, T_world_item: Array) -> None:
        """Say where an item will be after what was done to it, so that it is not taken for an accident."""
        self.touched.update(p.name for p in self.thing(item).parts)
        self._become(self.situation.settled(item, T_world_item))

    def fail(self, why: str) -> NoReturn:
        """This way cannot be gone."""
        raise NoWay(Infeasible("refused", self.about, message=f"{self.skill}: {why}"))

    def _loaded(self) -> Any:
        self.tools.world.load(self.situation.state())
        return self.tools.world

    def _free(self, path: Array | Blocked) -> Array:
        if isinstance(path, Blocked):
            raise NoWay(blocked(self.skill, path, " ".join(self.about) or "the way"))
        return path

    def _move(self, path: Array, pace: float, *, exact: bool = False, yielding: bool = False) -> None:
        self.segments.append(Move(path, self.situation.state(), yielding=yielding, exact=exact, pace=pace))
        self._become(self.situation.at(path[-1], self.opening, self.tools.world.forward(path[-1])))

    def _grip(self, opening: float) -> None:
        self.segments.append(Grip(opening))
        q, T = self.scene.robot.q, self.scene.robot.T_world_tool
        self._become(replace(self.situation, held=None).at(q, opening, T))

    def _become(self, situation: Situation) -> None:
        self.situation, self.scene = situation, situation.scene


def _check_motion(pace: float, *T_world_tool: Array) -> None:
    """InputError for what is no pose (4, 4) in metres, or no share of the speed limits."""
    _within("pace", pace, 0.01, 1.0, "a share of the speed limits")
    for T in T_world_tool:
        if np.shape(T) != (4, 4) or not np.isfinite(T).all():
            raise InputError(f"a tool pose has the shape (4, 4), not {np.shape(T)}; valid: hand.at([x, y, z], R)")
        for axis, value in zip("xyz", T[:3, 3], strict=True):
            _within(axis, value, -FARTHEST, FARTHEST, "metres")


def _within(name: str, value: float, low: float, high: float, unit: str) -> None:
    if not low <= value <= high:
        raise InputError(f"{name} is {value:g}; valid: {unit}, from {low:g} to {high:g}")


class GuidedSkill(Skill):
    """A skill that is one function, `guide`, tried in each of its `ways` until one can be gone."""

    spec: ClassVar[Spec]
    ways: ClassVar[Sequence[Any]] = (None,)
    """What `hand.way` is, try after try, the best first."""

    def guide(self, hand: Hand, *args: str) -> None:
        """Drive the hand; `args` are the operator's arguments."""
        raise NotImplementedError

    def refine(self, args: tuple[str, ...], situation: Situation, tools: Tools) -> Iterator[Refinement | Infeasible]:
        """One sample for each of the ways."""
        for way in self.ways:
            hand = Hand(situation.scene, situation, tools, self.spec.name, args, way)
            if (no := self._guided(hand, args)) is not None:
                yield no
                continue
            note = {} if way is None else {"way": way}
            yield Refinement(tuple(hand.segments), hand.situation, note, frozenset(hand.touched))

    def _guided(self, hand: Hand, args: tuple[str, ...]) -> Infeasible | None:
        """Let the skill drive a hand; why it cannot."""
        with user_code(type(self), f"the skill {self.spec.name}", SECONDS):
            try:
                self.guide(hand, *args)
            except NoWay as no:
                return no.why
        if not hand.segments:
            return Infeasible("refused", args, message=f"{self.spec.name}: its guide moves nothing")
        return None

    def facts(self, args: tuple[str, ...], causes: list[Infeasible], scene: Scene) -> frozenset[Atom]:
        """The item most in the way, for skills that declare `obstructed`."""
        obstacles = obstructed(args, causes, scene) if args else frozenset()
        return frozenset(f for f in obstacles if f.predicate in self.spec.facts)
