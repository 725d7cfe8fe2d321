"""One episode of two arms at a table in PyBullet: what `tamp.backends.physics.run` is for one."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from tamp.backends.arms_file import Arms
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.run import wanted_in
from tamp.backends.libero.tasks import Task
from tamp.backends.physics.standing import stands_clear
from tamp.backends.physics.start import started
from tamp.backends.physics.table import SharedTable
from tamp.backends.pybullet.world import BulletWorld
from tamp.model.scene import Scene
from tamp.runs.at_shared_table import SharedResult, carry_out
from tamp.runs.episode import GoalSource, Settings, begin, timed
from tamp.runs.episode_log import EpisodeLog
from tamp.runs.labels import in_physics


class ArmsTable(SharedTable):
    """A table with two arms, which knows how near they are."""

    def __init__(self, scene: Scene, arms: Arms) -> None:
        self._bullet_world = BulletWorld(scene, *arms.robots)
        super().__init__(self._bullet_world, *arms.robots)

    def apart(self, held: Mapping[int, str], most: float) -> float:
        """Metres between the two arms, with what they hold (things by the number of the arm), at most `most`."""
        return self._bullet_world.apart(0, 1, held, most)


def run(
    task: Task,
    goal_source: GoalSource | None,
    settings: Settings,
    folder: Path,
    say: Callable[[str], None],
    arms: Arms,
    environment: LiberoEnvironment | None = None,
) -> SharedResult:
    """Run one episode into `folder`, with the arms of a file in place of the scene's own robot."""
    result = SharedResult(out=str(folder), perception=in_physics("pybullet", arms))
    with EpisodeLog(folder) as log, timed(result, "total"), contextlib.ExitStack() as stack:
        begin(log, task, settings, result.perception, backend="pybullet")
        say("building the scene")
        with timed(result, "build"):
            drawn = (settings.seed, settings.init_state, None, environment, settings.sight)
            start, environment = stack.enter_context(started(task, *drawn, places=goal_source is None))
            for arm in arms.arms:
                stands_clear(arm.name, arm.robot, start.scene)
            shared = ArmsTable(start.scene, arms)
            stack.callback(shared.world.close)
        wanted = partial(wanted_in, goal_source, task, environment, settings=settings, log=log)
        carry_out(shared, arms, wanted, settings, task.step_limit, log, result, say, stack)
        log.event("outcome", **result.as_dict())
    return result
