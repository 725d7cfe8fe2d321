"""One episode in physics of one's own: the scene is seen once, and built there with the robot that is asked for."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import partial
from pathlib import Path

from motion.poses import Numbers
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.run import wanted_in
from tamp.backends.libero.tasks import Task
from tamp.backends.physics.engines import world_in
from tamp.backends.physics.photographing import Photographer
from tamp.backends.physics.picturing import can_draw, pictures_of
from tamp.backends.physics.seeing import Seeing
from tamp.backends.physics.start import started
from tamp.backends.physics.table import PhysicsTable, PhysicsWorld
from tamp.errors import InputError
from tamp.model.scene import Perceiver
from tamp.runs.episode import GoalSource, Result, Settings, begin, timed
from tamp.runs.episode_log import EpisodeLog
from tamp.runs.episode_runner import Wanted, carry_out
from tamp.runs.labels import in_physics
from tamp.runs.recorder import Recorder


def run(
    engine: str,
    task: Task,
    goal_source: GoalSource | None,
    settings: Settings,
    folder: Path,
    say: Callable[[str], None],
    environment: LiberoEnvironment | None = None,
    seeing: Seeing | None = None,
) -> Result:
    """Run one episode into `folder`: see `tamp.backends.libero.run.run`. LIBERO's simulator, where the scene is one of
    LIBERO's, says what is where at the start, and nothing after that: what counts is whether what was asked for holds
    in the engine's world. With `seeing` whoever acts is shown pictures of that world, drawn as LIBERO's cameras would
    show it, and told nothing else; InputError for scenes of which there are none."""
    shown = seeing is not None or settings.video
    if shown and task.mjcf is not None:
        better = "--perception oracle" if seeing is not None else "without --video"
        raise InputError(f"{task.name} is MJCF, whose things are in no library of objects; valid: {better}")
    label = in_physics(engine, settings.body, seeing is not None, settings.said is None)
    result = Result(out=str(folder), perception=label)
    with EpisodeLog(folder) as log, timed(result, "total"), contextlib.ExitStack() as stack:
        begin(log, task, settings, result.perception, backend=engine)
        say("building the scene")
        with timed(result, "build"):
            drawn = (settings.seed, settings.init_state, settings.body, environment, settings.sight)
            shown = shown or (settings.view and task.mjcf is None and can_draw(say))
            places = goal_source is None and (seeing is None or settings.said is None)
            begun = started(task, *drawn, places=places, drawn=shown)
            start, environment = stack.enter_context(begun)
            world = world_in(engine, start)
            stack.callback(world.close)
            table = PhysicsTable(world, start.robot)
        eyes: Perceiver = table
        wanted: Wanted = partial(wanted_in, goal_source, task, environment, settings=settings, log=log)
        if start.stage is not None and settings.view:
            pictures = pictures_of(start.stage, world.arrangement, folder, say)
            table.after.append(stack.enter_context(contextlib.closing(pictures)).step)
        if start.stage is not None and (settings.video or seeing is not None):
            photographer = stack.enter_context(contextlib.closing(Photographer(start.stage)))
            if settings.video:
                frame = partial(_frame, photographer, world)
                recorder = Recorder(frame, table.period, folder / "video.mp4")
                table.after.append(stack.enter_context(contextlib.closing(recorder)).step)
            if seeing is not None:
                take = partial(_pictures, photographer, world)
                eyes = sees = seeing.eyes(table, start.stage.cameras, take, settings.body, log)
                wanted = seeing.wanted(goal_source, task, environment, start.scene, settings, log, sees.shown)
        carry_out(table, eyes, table, wanted, settings, task.step_limit, log, result, say, stack)
        log.event("outcome", **result.as_dict())
    return result


def _pictures(photographer: Photographer, world: PhysicsWorld) -> dict[str, Numbers]:
    return photographer.take(world.arrangement())


def _frame(photographer: Photographer, world: PhysicsWorld) -> Numbers:
    return photographer.frame(world.arrangement())
