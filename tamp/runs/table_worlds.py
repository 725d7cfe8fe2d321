"""Where episodes at a table run outside LIBERO: another simulator, an arm through its SDK, a kinematic fake."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from motion.poses import Numbers
from motion.robot import RobotDescription
from tamp.agent.camera_perceiver import (
    Instruction,
    Read,
    TabletopPerceiver,
    Take,
    camera_perceivers,
    in_library_terms,
    meant,
    nobody_reads,
)
from tamp.agent.searching import Reads
from tamp.backends import bodies
from tamp.backends.fake_table import FakeTable
from tamp.backends.libero.cameras import observed
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.goals import beside_things
from tamp.backends.libero.panda import panda
from tamp.backends.physics.photographer import Photographer
from tamp.backends.physics.start import TableStart, started, world_in
from tamp.backends.physics.table import PhysicsTable, PhysicsWorld
from tamp.backends.xarm.address import ArmAddress
from tamp.backends.xarm.arm_stop import ArmStop
from tamp.backends.xarm.arm_table import arm_at_table
from tamp.backends.xarm.emulated_perception import EmulatedCameras
from tamp.errors import InputError
from tamp.model.backend import Backend
from tamp.model.goal import Goal
from tamp.model.scene import Scene, record_of
from tamp.model.state import WorldState
from tamp.perception.camera_calibration import Camera
from tamp.perception.rig import skin_of_robot
from tamp.runs.bench.boxes import Family, make
from tamp.runs.camera_pictures import can_draw, pictures_of
from tamp.runs.episode import Settings
from tamp.runs.episode_runner import EpisodeSetup, EpisodeWorld, goals_wanted
from tamp.runs.labels import in_physics, through_sdk
from tamp.runs.worlds import goals_in_libero, record


@dataclass(frozen=True, eq=False)
class Cameras:
    """Perceive with cameras: what `read`s words about what they show; `searches`: what is not seen, or hardly, is
    looked for."""

    read: Read = nobody_reads
    searches: bool = True

    def perceiver(
        self, table: Backend, robot: RobotDescription, cameras: tuple[Camera, ...], take: Take, episode: EpisodeSetup
    ) -> TabletopPerceiver:
        """A perceiver at a table with cameras. InputError where the library of objects was not built."""
        body = episode.settings.body
        skin = None if body is None else skin_of_robot(bodies.find(body).robot)

        def saw(scene: Scene) -> None:
            episode.log.event("look", **record_of(scene))

        return TabletopPerceiver(table, robot, cameras, take, camera_perceivers(skin=skin), saw, self.searches)

    def wanted(self, perceiver: TabletopPerceiver, given: Reads, start: Scene, episode: EpisodeSetup) -> Reads:
        """What words ask for in a scene that is seen; without words what is `given`, in places that cameras see. The
        simulator's scene at the `start` says what its author calls things."""
        settings, names = episode.settings, in_library_terms(episode.task.names, start)

        def read(scene: Scene, state: WorldState) -> tuple[Goal, ...]:
            words = Instruction(str(settings.said), scene, state, settings.domain, episode.log)
            return self.read(perceiver.shown(replace(words, names=meant(names, scene))))

        def seen_places(scene: Scene, state: WorldState) -> tuple[Goal, ...]:
            return tuple(beside_things(g, scene) for g in given(scene, state))

        return seen_places if settings.said is None else read


@dataclass(frozen=True, eq=False)
class InPhysics:
    """Another simulator, `engine`, in which the scene is built as LIBERO's simulator, or an MJCF file, has it at the
    start, with the robot that is asked for. With `cameras` the agent is shown images of that world alone."""

    engine: str
    environment: LiberoEnvironment | None = None
    cameras: Cameras | None = None

    @property
    def backend(self) -> str:
        """Its name."""
        return self.engine

    def label(self, settings: Settings) -> str:
        """How results say what perceives, and where."""
        return in_physics(self.engine, settings.body, self.cameras is not None, settings.said is None)

    def open(self, episode: EpisodeSetup, folder: Path, opened: contextlib.ExitStack) -> EpisodeWorld:
        """A world for an episode, as long as `opened` lasts. InputError for scenes that cannot be drawn where they have
        to be."""
        settings, task, say = episode.settings, episode.task, episode.say
        shown = self.cameras is not None or settings.video
        if shown and task.mjcf is not None:
            better = "--perception oracle" if self.cameras is not None else "without --video"
            raise InputError(f"{task.name} is MJCF, whose things are in no library of objects; valid: {better}")
        shown = shown or (settings.view and task.mjcf is None and can_draw(say))
        places = episode.source is None and (self.cameras is None or settings.said is None)
        drawn = (settings.seed, settings.init_state, settings.body, self.environment, settings.sight)
        start, environment = opened.enter_context(started(task, *drawn, places=places, drawn=shown))
        world = world_in(self.engine, start)
        opened.callback(world.close)
        table = PhysicsTable(world, start.robot)
        wanted = goals_in_libero(episode, environment)
        there = EpisodeWorld(
            backend=table,
            robot=start.robot,
            perceiver=table,
            truth=table,
            wanted=wanted,
            step_limit=task.step_limit,
            seconds=lambda: {"step": table.stepping_seconds},
        )
        return self._drawn(there, world, table, start, episode, folder, opened)

    def _drawn(
        self,
        there: EpisodeWorld,
        world: PhysicsWorld,
        table: PhysicsTable,
        start: TableStart,
        episode: EpisodeSetup,
        folder: Path,
        opened: contextlib.ExitStack,
    ) -> EpisodeWorld:
        """The same, recorded and seen through cameras, as far as that is wanted."""
        settings, stage = episode.settings, start.stage
        if stage is None:
            return there
        if settings.view:
            pictures = pictures_of(stage, world.arrangement, folder, episode.say)
            table.after.append(opened.enter_context(closing(pictures)).step)
        if not settings.video and self.cameras is None:
            return there
        photographer = opened.enter_context(closing(Photographer(stage)))
        if settings.video:
            record(table, lambda: photographer.frame(world.arrangement()), folder, opened)
        if self.cameras is None:
            return there

        def take() -> Mapping[str, Numbers]:
            return observed(photographer.images(world.arrangement()))

        return seen(there, self.cameras, stage.cameras, take, start.scene, episode)


def seen(
    there: EpisodeWorld, by: Cameras, cameras: tuple[Camera, ...], take: Take, start: Scene, episode: EpisodeSetup
) -> EpisodeWorld:
    """The same world, perceived with cameras."""
    perceiver = by.perceiver(there.backend, there.robot, cameras, take, episode)
    wanted = by.wanted(perceiver, there.wanted, start, episode)

    def seconds() -> dict[str, float]:
        return {**there.seconds(), "look": perceiver.seconds}

    return replace(there, perceiver=perceiver, wanted=wanted, seconds=seconds)


@dataclass(frozen=True, eq=False)
class OnArm:
    """An emulated arm that stands in the task's scene already, through the SDK. `stop` stops it. With `cameras` the
    agent is shown the emulator's images alone."""

    at: ArmAddress
    stop: ArmStop
    cameras: Cameras | None = None
    backend = "xarm"

    def label(self, settings: Settings) -> str:
        """How results say what perceives, and where."""
        return through_sdk(str(settings.body), self.cameras is not None, settings.said is None)

    def open(self, episode: EpisodeSetup, folder: Path, opened: contextlib.ExitStack) -> EpisodeWorld:
        """A world for an episode, as long as `opened` lasts; the arm stands still when that is closed."""
        settings, body = episode.settings, str(episode.settings.body)
        drawn = (settings.seed, settings.init_state, body)
        start, environment = opened.enter_context(started(episode.task, *drawn))
        episode.log.best_effort()
        table, truth = arm_at_table(self.at, body, start, opened, self.stop)
        there = EpisodeWorld(
            backend=table,
            robot=table.robot_model,
            perceiver=truth,
            truth=truth,
            wanted=goals_in_libero(episode, environment),
            step_limit=episode.task.step_limit,
            seconds=lambda: {"step": table.stepping_seconds},
        )
        if self.cameras is None:
            return there
        shown = opened.enter_context(closing(EmulatedCameras(*self.at.eyes)))
        return seen(there, self.cameras, shown.cameras, shown.take, start.scene, episode)


@dataclass(frozen=True, eq=False)
class InFake:
    """A kinematic robot among `n` boxes of a `family` (`tamp.runs.bench.boxes`), without physics."""

    family: Family
    n: int
    backend = "fake"

    def label(self, settings: Settings) -> str:
        """How results say what perceives, and where."""
        return "oracle"

    def open(self, episode: EpisodeSetup, folder: Path, opened: contextlib.ExitStack) -> EpisodeWorld:
        """A world for an episode."""
        robot = panda()
        fake = FakeTable(make(self.family, self.n, episode.settings.seed, robot).scene, robot)
        return EpisodeWorld(
            backend=fake,
            robot=robot,
            perceiver=fake,
            truth=fake,
            wanted=goals_wanted(episode, None, None),
            step_limit=1_000_000,
            seconds=dict,
        )
