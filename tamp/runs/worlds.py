"""Where episodes run in LIBERO's simulator, and what worlds have in common."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from motion.poses import Numbers
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.goals import goal_regions, task_goal
from tamp.backends.libero.oracle import OraclePerceiver
from tamp.runs.camera_pictures import pictured
from tamp.runs.episode import Settings
from tamp.runs.episode_runner import EpisodeSetup, EpisodeWorld, goals_wanted
from tamp.runs.task_check import TaskCheck

if TYPE_CHECKING:
    from tamp.agent.searching import Reads
    from tamp.backends.libero.perturbation_schedule import PerturbationSchedule
    from tamp.backends.physics.table import PhysicsTable


@dataclass(frozen=True, eq=False)
class InLibero:
    """LIBERO's simulator, whose state is perceived. `environment` is one of the same task that was just reset to the
    same seed and initial state; without it one is built, and closed at the end."""

    environment: LiberoEnvironment | None = None
    backend = "libero"

    def label(self, settings: Settings) -> str:
        """How results say what perceives, and where."""
        return "oracle"

    def open(self, episode: EpisodeSetup, folder: Path, opened: contextlib.ExitStack) -> EpisodeWorld:
        """A world for an episode, as long as `opened` lasts."""
        settings = episode.settings
        environment = built(episode, self.environment, settings.video or settings.sight, opened)
        opened.enter_context(pictured(environment, folder, episode.say, settings.view))
        if settings.video:
            record(environment, environment.render, folder, opened)
        perturber = disturbed(environment, settings, opened)
        perceiver = OraclePerceiver(environment, goal_regions(environment) if episode.source is None else ())
        return EpisodeWorld(
            backend=environment,
            robot=environment.robot_model(),
            perceiver=perceiver,
            truth=perceiver,
            wanted=goals_in_libero(episode, environment),
            step_limit=environment.task.step_limit,
            seconds=lambda: {"step": environment.stepping_seconds},
            check=partial(TaskCheck, environment),
            perturber=perturber,
        )


def disturbed(
    environment: LiberoEnvironment, settings: Settings, opened: contextlib.ExitStack
) -> PerturbationSchedule | None:
    """What disturbs an episode, as long as `opened` lasts; None where nothing does."""
    if settings.disturb is None:
        return None
    from tamp.backends.libero.perturbation_schedule import perturbed

    return opened.enter_context(perturbed(environment, settings.disturb, settings.seed, settings.init_state))


def built(
    episode: EpisodeSetup, environment: LiberoEnvironment | None, drawn: bool, opened: contextlib.ExitStack
) -> LiberoEnvironment:
    """The environment that is there, or one that is built, and closed with `opened`."""
    if environment is None:
        settings = episode.settings
        environment = LiberoEnvironment(episode.task, seed=settings.seed, init_state=settings.init_state, render=drawn)
        opened.callback(environment.close)
    return environment


def record(
    world: LiberoEnvironment | PhysicsTable, frame: Callable[[], Numbers], folder: Path, opened: contextlib.ExitStack
) -> None:
    """Record a video of what `frame` shows (h, w, 3) after control steps, as long as `opened` lasts."""
    from tamp.runs.video import Recorder

    recorder = opened.enter_context(closing(Recorder(frame, world.period, folder / "video.mp4")))
    world.after.append(recorder.step)
    opened.callback(world.after.remove, recorder.step)


def goals_in_libero(episode: EpisodeSetup, environment: LiberoEnvironment | None) -> Reads:
    """What gives the goals of an episode whose scene LIBERO's simulator has, if it is there."""
    if environment is None:
        return goals_wanted(episode, None, None)
    picture = environment.picture if episode.settings.sight else None
    return goals_wanted(episode, partial(task_goal, environment), picture)
