"""LIBERO's simulator with a policy in a separate process, which is given images and the instruction alone."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from motion.poses import Array
from tamp.agent.agent import AgentOutcome
from tamp.agent.camera_perceiver import in_library_terms
from tamp.backends.libero.cameras import Noise, calibration, encoders, in_metres, no_noise, pictures
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.goals import beside_things, goal_regions
from tamp.backends.libero.oracle import OraclePerceiver
from tamp.backends.libero.perturbation_schedule import PerturbationSchedule, perturbed
from tamp.model.backend import Command, Observation
from tamp.model.events import Publish, event_of
from tamp.model.images import Image
from tamp.model.scene import RobotState
from tamp.perception.calibration import read as read_calibration
from tamp.perception.camera_calibration import Calibration
from tamp.perception.library import load
from tamp.runs.camera_pictures import pictured
from tamp.runs.episode import Settings
from tamp.runs.episode_runner import EpisodeSetup, EpisodeWorld
from tamp.runs.evaluator import Evaluator
from tamp.runs.policy.remote import Entry, PolicyFault, PolicyProcess
from tamp.runs.task_check import TaskCheck
from tamp.runs.video import Overlay
from tamp.runs.worlds import built, goals_in_libero, record


@dataclass(frozen=True, eq=False)
class InLiberoByPolicy:
    """LIBERO's simulator, in which the policy of a `process` acts.

    A policy that fails, or is gone, is a result with the stage `error`, and gets another process for the next episode.
    `seen_by` is how results say what perceives, and `environment` one with images of the same task, just reset; without
    it one is built.
    """

    process: PolicyProcess
    seen_by: str = "camera"
    noise: Noise = no_noise
    environment: LiberoEnvironment | None = None
    backend = "libero"

    def label(self, settings: Settings) -> str:
        """How results say what perceives, and where."""
        return self.seen_by

    def open(self, episode: EpisodeSetup, folder: Path, opened: contextlib.ExitStack) -> EpisodeWorld:
        """A world for an episode, as long as `opened` lasts."""
        settings = episode.settings
        environment = built(episode, self.environment, True, opened)
        opened.enter_context(pictured(environment, folder, episode.say, settings.view))
        overlay = Overlay(environment, load()) if settings.video and settings.overlay else None
        if settings.video:
            record(environment, environment.render if overlay is None else overlay.frame, folder, opened)
        perturber = opened.enter_context(perturbed(environment, settings.disturb, settings.seed, settings.init_state))
        given = settings.said is None and episode.source is None
        truth = OraclePerceiver(environment, goal_regions(environment) if given else ())

        def agent(evaluator: Evaluator, publish: Publish) -> _PolicyAgent:
            return _PolicyAgent(self, episode, environment, perturber, overlay, evaluator, publish)

        return EpisodeWorld(
            backend=_Actions(environment),
            robot=environment.robot_model(),
            perceiver=None,
            truth=truth,
            wanted=goals_in_libero(episode, environment),
            step_limit=environment.task.step_limit,
            seconds=lambda: {"step": environment.stepping_seconds},
            check=lambda start: TaskCheck(environment, start),
            perturber=perturber,
            make_agent=agent,
        )


class _Actions:
    """LIBERO's simulator, commanded with its standard action (7,): six components in place of a displacement, the last
    in place of an opening."""

    def __init__(self, environment: LiberoEnvironment) -> None:
        self._environment, self.period = environment, environment.period

    @property
    def time(self) -> float:
        """Seconds since the settling steps ended."""
        return self._environment.time

    def observe(self) -> RobotState:
        """Proprioception now."""
        return self._environment.observe()

    def command(self, displacement: Array, opening: float) -> None:
        """One control step."""
        self._environment.act(np.array([*displacement, opening]))

    def stop(self) -> None:
        """Hold still for one control step."""
        self._environment.stop()


@dataclass(eq=False)
class _PolicyAgent:
    """Acts as the policy says, until that has ended or the step limit is reached."""

    world: InLiberoByPolicy
    episode: EpisodeSetup
    environment: LiberoEnvironment
    perturber: PerturbationSchedule | None
    overlay: Overlay | None
    evaluator: Evaluator
    publish: Publish
    outcome: AgentOutcome = field(default_factory=AgentOutcome)
    _over: bool = False
    _steps: int = 0
    _begun: bool = False

    def __post_init__(self) -> None:
        self._policy = self.world.process.policy(self._hear)

    @property
    def time(self) -> float:
        """Seconds of the world's clock."""
        return self.environment.time

    def tick(self, observation: Observation) -> Command | None:
        """The standard action for this control period; None once it is over."""
        try:
            if not self._begun:
                self._begun = True
                self._reset()
            if not self._over and self.environment.steps < self.environment.task.step_limit:
                action = self._policy.act(encoders(self.environment))
                if self._policy.outcome is None:
                    self._steps += 1
                    return Command(action[:6], float(action[6]))
            self.close()
        except PolicyFault as fault:
            self._failed(fault)
        except BaseException:
            self.world.process.close()  # whatever it was in the middle of
            raise
        return None

    def close(self) -> None:
        """Stop, and complete the outcome."""
        if self._over:
            return
        self._over, cut = True, self._policy.outcome is None
        try:
            ended = self._policy.end() if cut else self._policy.outcome
        except PolicyFault as fault:
            self._failed(fault)
            return
        self.outcome = AgentOutcome(**(ended or {}))
        self.outcome.total_steps = self._steps
        if cut and ended is not None and not self.outcome.done:
            limit = self.environment.task.step_limit
            self.outcome.fail("execution", f"step limit of {limit} reached")

    def _failed(self, fault: PolicyFault) -> None:
        self._over = True
        self.world.process.close()
        self.outcome.fail("error", str(fault))
        self.outcome.total_steps = self._steps
        if fault.traceback:
            self.episode.log.write("traceback.txt", fault.traceback)

    def _reset(self) -> None:
        settings, environment = self.episode.settings, self.environment
        self._policy.reset(
            settings.said,
            self._calibration(),
            seed=settings.seed,
            more=lambda: pictures(environment, self._spoilt),
            given=self._given if settings.said is None else None,
            names=in_library_terms(environment.task.names, self.evaluator.start),
        )

    def _calibration(self) -> Calibration:
        environment, corrected = self.environment, self.episode.settings.calibration
        found = in_metres(calibration(environment), self.world.noise, environment.observe().T_world_tool)
        return found if corrected is None else found.corrected(read_calibration(corrected))

    def _spoilt(self, images: tuple[Image, ...]) -> tuple[Image, ...]:
        return self.world.noise(images if self.perturber is None else self.perturber.pictures(images))

    def _given(self, scene: Mapping[str, Any]) -> Mapping[str, Any]:
        """The goals in the policy's own words: all that crosses to it besides observations."""
        evaluator, wanted = self.evaluator, goals_in_libero(self.episode, self.environment)
        goals = wanted(evaluator.start, evaluator.state)
        evaluator.saw({"symbols": {}, **scene})
        named = evaluator.in_agents_names([beside_things(g, evaluator.start) for g in goals])
        return {"goals": [str(g) for g in named], "untouched": list(named[0].untouched)}

    def _hear(self, entry: Entry) -> None:
        """Take something that the policy noted."""
        what, name, data = entry
        log = self.episode.log
        if what == "write":
            log.write(name, data)
        elif what == "event":
            if name == "scene":
                self.evaluator.saw(data)
            if name == "look" and self.overlay is not None:
                self.overlay.saw(data)
            log.event(name, **data)
        else:
            self.publish(event_of(name, data))
