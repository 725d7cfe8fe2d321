"""Perceive a table through cameras that take pictures on demand."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from motion.robot import RobotDescription
from tamp.agent.searching import ObjectSearch, Reads, SearchPerceiver
from tamp.agent.tabletop import Tabletop
from tamp.errors import InputError, Refusal, TampError
from tamp.model.backend import Backend, Observation
from tamp.model.domain import Domain
from tamp.model.events import Journal
from tamp.model.goal import Goal
from tamp.model.images import Image, as_png
from tamp.model.scene import Perceiver, Scene
from tamp.model.state import WorldState
from tamp.perception.camera_calibration import Alive, Camera, pictures
from tamp.perception.library import load
from tamp.perception.object_model import RobotSkin


@dataclass(frozen=True, eq=False)
class Instruction:
    """Words about a scene that was seen. `picture` is a PNG of it, empty without one; `names` are what the user calls
    things, besides what they are."""

    text: str
    scene: Scene
    state: WorldState
    domain: Domain
    journal: Journal
    picture: bytes = b""
    names: Mapping[str, str] = field(default_factory=dict)

    def shown(self, images: Sequence[Image]) -> Instruction:
        """The same with the first of the pictures that the scene was seen in."""
        return replace(self, picture=as_png(images[0].colour) if images else b"")


Read = Callable[[Instruction], tuple[Goal, ...]]
"""Reads an instruction: the goals, to be reached one after the other. Refusal where the words come to none."""


def nobody_reads(said: Instruction) -> tuple[Goal, ...]:
    """For policies without a language model."""
    raise InputError("this policy reads no instructions: it has no language model")


def meant(names: Mapping[str, Sequence[str]], scene: Scene) -> dict[str, str]:
    """What a user's words for things mean in a scene: only those that mean one thing there. Each has the category of
    the library that it means, and the region of one such thing, if it means that."""
    out = {}
    for word, (category, *region) in names.items():
        things = [o for o in scene if o.category == category]
        suffix = f"_{region[0]}" if region else ""
        known = {r.name for _, r in scene.regions()} | {o.name for o in scene}
        if len(things) == 1 and things[0].name + suffix in known:
            out[word] = things[0].name + suffix
    return out


def in_library_terms(names: Mapping[str, str], scene: Scene) -> dict[str, tuple[str, ...]]:
    """What the scene's author calls things, each with its category and region: nothing of where they are."""
    regions = {r.name: o for o, r in scene.regions()}
    things = {o.name: o for o in scene}
    out: dict[str, tuple[str, ...]] = {}
    for word, symbol in names.items():
        if (thing := things.get(symbol) or regions.get(symbol)) is not None:
            region = symbol.removeprefix(thing.name).lstrip("_")
            out[word] = (thing.category, region) if region else (thing.category,)
    return out


Observe = Callable[[], Observation]
"""Gives what is observed now, with images."""
PerceiverFactory = Callable[[Observe, RobotDescription], Perceiver]
"""Makes a perceiver from how to look, and from the robot that is in the images."""
Take = Callable[[], Mapping[str, Any]]
"""Takes pictures now, named as in an observation: see `tamp.perception.camera_calibration`."""
MOVED = 0.002
"""Radians by which the arm may have moved while a picture was taken: two millimetres a metre away."""
TRIES = 20
"""Pictures that are taken until it stood still."""


@dataclass(eq=False)
class TabletopPerceiver:
    """A `Perceiver` of what `take` shows, through `cameras` that are where the calibration has them. `robot` is what
    stands at the `table` and is seen there; `make` makes the perceiver, which is asked once in a control period, since
    nothing moves meanwhile. `saw` gets each scene once; `looks` and `seconds` count what perceiving took."""

    table: Backend
    robot: RobotDescription
    cameras: tuple[Camera, ...]
    take: Take
    make: PerceiverFactory
    saw: Callable[[Scene], None] = lambda scene: None
    searches: bool = True
    problem: str | None = None
    """Why the last look came to nothing."""
    looks: int = field(default=0, init=False)
    seconds: float = field(default=0.0, init=False)
    _seen: tuple[float, Scene] | None = field(default=None, init=False)
    _images: tuple[Image, ...] = ()
    _alive: Alive = field(default_factory=Alive)
    _perceiver: Perceiver = field(init=False)

    def __post_init__(self) -> None:
        self._perceiver = self.make(self._look, self.robot)

    def perceive(self) -> Scene:
        """The scene in this control period. Refusal where nothing can be seen, or the arm does not come to rest."""
        if self._seen is None or self._seen[0] != self.table.time:
            start = time.perf_counter()
            self._seen = (self.table.time, self._perceiver.perceive())
            self.looks, self.seconds = self.looks + 1, self.seconds + time.perf_counter() - start
            self.saw(self._seen[1])
        return self._seen[1]

    def felt(self, observation: Observation) -> None:
        """What was observed in this control period."""
        self._perceiver.felt(observation)

    def shown(self, said: Instruction) -> Instruction:
        """An instruction with what was seen last."""
        return said.shown(self._images)

    def search(self, at: Tabletop, reads: Reads, seed: int) -> ObjectSearch | None:
        """A search of the table by this perceiver, with the camera on the hand: what is lost, or hardly seen, is looked
        for from now on. None where that is not wanted, there is no such camera, or the perceiver does not know what it
        has not seen."""
        at.looks_cost = True
        hand, perceiver = next((c for c in self.cameras if c.on_hand), None), self._perceiver
        if not self.searches or hand is None or not isinstance(perceiver, SearchPerceiver):
            return None
        size = next(i.size for i in self._images if i.camera == hand.name)
        search = ObjectSearch(at, perceiver, hand.eye(size), np.random.default_rng(seed), reads)
        at.regain, at.clarify = search.regain, search.clarify
        return search

    def _look(self) -> Observation:
        """Pictures, and the encoders at the moment when they were taken."""
        try:
            observation = self._observed()
        except TampError as e:
            self.problem = str(e)
            raise
        self._images, self.problem = observation.images, None
        return observation

    def _observed(self) -> Observation:
        before = self.table.observe()
        for _ in range(TRIES):
            taken, robot = self.take(), self.table.observe()
            if np.abs(robot.q - before.q).max() <= MOVED:
                break
            before = robot
        else:
            raise Refusal("the arm does not come to rest: its pictures show it elsewhere than its encoders", "moving")
        images = pictures(taken, self.cameras, robot.T_world_tool)
        self._alive.check(images, robot.q)
        return Observation(self.table.time, robot, images)


def camera_perceivers(folder: Path | None = None, skin: RobotSkin | None = None) -> PerceiverFactory:
    """Makes camera perceivers with the library in a folder, the user's unless given, and a robot's `skin`, by default
    the Panda's. InputError where the library was not built."""
    from tamp.perception.camera import CameraPerceiver
    from tamp.perception.fitting import candidates

    library = load(folder)
    known = candidates(library.values())

    def made(look: Observe, robot: RobotDescription) -> Perceiver:
        return CameraPerceiver(look, library, robot, known=known, skin=skin)

    return made
