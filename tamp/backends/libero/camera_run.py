"""One LIBERO episode with a policy that sees pictures: see `tamp.backends.libero.run` for one that is told all.

The policy is given observations and the instruction. Environment, recorder, log and verdict stay here.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.goals import beside_things, goal_regions
from tamp.backends.libero.observing import Noise, calibration, encoders, in_metres, no_noise, pictures
from tamp.backends.libero.oracle import OraclePerceiver
from tamp.backends.libero.perturbation_schedule import perturbed
from tamp.backends.libero.run import judged, wanted_in
from tamp.backends.libero.tasks import Task
from tamp.backends.libero.video import recorder_of
from tamp.backends.libero.watching import Watcher
from tamp.backends.physics.picturing import pictured
from tamp.model.images import Image
from tamp.model.scene import joints_of, poses_of
from tamp.perception import calibration_file
from tamp.perception.library import load
from tamp.perception.predicates import held_in
from tamp.policy.instruction import in_library_terms
from tamp.policy.process import PolicyProcess
from tamp.policy.remote import PolicyFault, RemotePolicy
from tamp.runs.episode import GoalSource, Result, Settings, begin, timed
from tamp.runs.episode_log import EpisodeLog
from tamp.runs.side_effects import shifted


def run_camera(
    task: Task,
    goal_source: GoalSource | None,
    settings: Settings,
    process: PolicyProcess,
    folder: Path,
    say: Callable[[str], None],
    environment: LiberoEnvironment | None = None,
    noise: Noise = no_noise,
    perception: str = "camera",
) -> Result:
    """Run one episode into `folder`, of the words `settings.said`. Without any the policy is handed goals in its own
    names for things: those of `goal_source`, or the task's own.

    `environment` is one with pictures of the same task, just reset; without it one is built. A policy that fails, or
    is gone, is a result with the stage `error`, and gets another process for the next episode. `perception` is how the
    result says what saw.
    """
    given = settings.said is None
    result = Result(out=str(folder), perception=perception)
    with EpisodeLog(folder) as log, timed(result, "total"):
        begin(log, task, settings, result.perception)
        say("building the scene")
        with contextlib.ExitStack() as stack:
            if environment is None:
                with timed(result, "build"):
                    environment = LiberoEnvironment(
                        task, seed=settings.seed, init_state=settings.init_state, render=True
                    )
                stack.callback(environment.close)
            stack.enter_context(pictured(environment, folder, say, settings.view))
            recorder = None
            if settings.video:
                library = load() if settings.overlay else None
                recording = contextlib.closing(recorder_of(environment, folder / "video.mp4", library))
                recorder = stack.enter_context(recording)
            somebody = stack.enter_context(perturbed(environment, settings.disturb, settings.seed, settings.init_state))
            places = goal_regions(environment) if given and goal_source is None else ()
            watcher = Watcher(
                environment, OraclePerceiver(environment, places), settings.domain, log, say, recorder, somebody
            )
            policy = process.policy(watcher.hear)
            try:
                told = _drive(policy, watcher, goal_source, settings, noise)
                result.disturbed = somebody.record if somebody else None
            except BaseException as e:
                process.close()  # whatever it was in the middle of
                if not isinstance(e, PolicyFault):
                    raise
                told = {"stage": "error", "reason": str(e)}
                if e.traceback:
                    log.write("traceback.txt", e.traceback)
            _conclude(watcher, told, result)
        log.event("outcome", **result.as_dict())
    return result


def _drive(
    policy: RemotePolicy, watcher: Watcher, goal_source: GoalSource | None, settings: Settings, noise: Noise
) -> Mapping[str, Any]:
    """Step the world with the policy's actions, until it ends or the task's step limit is reached; what it came to."""
    environment, limit = watcher.environment, watcher.environment.task.step_limit
    calibrated = in_metres(calibration(environment), noise, environment.robot_state().T_world_tool)
    if settings.calibration is not None:
        calibrated = calibrated.corrected(calibration_file.read(settings.calibration))

    somebody = watcher.disturber

    def spoilt(images: tuple[Image, ...]) -> tuple[Image, ...]:
        return noise(images if somebody is None else somebody.pictures(images))

    def given(scene: Mapping[str, Any]) -> Mapping[str, Any]:
        """The goals in the policy's own words: all that crosses to it besides observations."""
        goals = wanted_in(
            goal_source, environment.task, environment, watcher.start, watcher.state, settings, watcher.log
        )
        names = watcher.saw(scene).backwards()
        said = [names.of(beside_things(g, watcher.start)) for g in goals]
        return {"goals": [str(g) for g in said], "untouched": list(said[0].untouched)}

    try:
        policy.reset(
            settings.said,
            calibrated,
            seed=settings.seed,
            more=lambda: pictures(environment, spoilt),
            given=given if settings.said is None else None,
            names=in_library_terms(environment.task.names, watcher.start),
        )
        while environment.steps < limit:
            action = policy.act(encoders(environment))
            if policy.outcome is not None:
                return policy.outcome
            environment.act(np.asarray(action))
            watcher.after_step()
    finally:
        environment.stop()
    cut = f"step limit of {limit} reached"
    told = policy.end()
    return {**(told or {}), "stage": "execution", "reason": cut} if told and not told["done"] else told or {}


def _conclude(watcher: Watcher, told: Mapping[str, Any], result: Result) -> None:
    """What the episode came to, once it has stood still for a while at the end."""
    environment, judge = watcher.environment, watcher.judge
    for name in ("goal", "untouched", "alternatives", "plan", "executed", "steps", "total_steps", "stage", "reason"):
        setattr(result, name, told.get(name, getattr(result, name)))
    result.total_steps = environment.steps - 1  # the one that stops it
    result.seconds["step"] = round(environment.stepping_seconds, 3)
    result.seconds |= told.get("seconds", {})
    result.verdicts = dict(watcher.verdicts)
    result.touched = dict(judge.monitor.touched.most_common())
    judge.hold()
    result.libero = judge.success
    result.reached = watcher.reached(told.get("believed", {}))
    final = watcher.perceiver.perceive()
    held = held_in(watcher._sight.state(final))
    result.lasting = environment.check_success() and held is None
    operands = tuple(dict.fromkeys(s for action in result.executed for s in watcher.names.operands(action)))
    result.shifted = shifted(judge.scene, watcher.state, final, operands)
    watcher.log.event("final", atoms=watcher._sight.known.atoms, poses=poses_of(final), joints=joints_of(final))
    judged(result, watcher.own)
    if watcher.unmatched and result.stage is None:
        result.stage, result.reason = "judge", watcher.unmatched
