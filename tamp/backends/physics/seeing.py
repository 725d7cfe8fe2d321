"""What an episode that is seen through cameras is run with, wherever its pictures are taken."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tamp.agent.instruction import Instruction, Read, in_library_terms, meant, nobody_reads
from tamp.backends import bodies
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.goals import beside_things
from tamp.backends.libero.run import wanted_in
from tamp.backends.libero.tasks import Task
from tamp.model.goal import Goal
from tamp.model.scene import Scene
from tamp.model.scene_record import told_of
from tamp.model.state import WorldState
from tamp.perception.camera_calibration import Camera
from tamp.perception.robot_skins import skin_of_robot
from tamp.policy.camera_perceiver import TableEyes, Take
from tamp.policy.eyes import camera_eyes
from tamp.runs.episode import GoalSource, Settings
from tamp.runs.episode_log import EpisodeLog
from tamp.runs.episode_runner import Table, Wanted


@dataclass(frozen=True, eq=False)
class Seeing:
    """Who `read`s words about what cameras show; `searches`: what is not seen, or hardly, is looked for."""

    read: Read = nobody_reads
    searches: bool = True

    def eyes(
        self, table: Table, cameras: tuple[Camera, ...], take: Take, body: str | None, log: EpisodeLog
    ) -> TableEyes:
        """Eyes at a table with cameras and somebody who takes their pictures. InputError where the library of objects
        was not built."""
        skin = None if body is None else skin_of_robot(bodies.find(body).robot)

        def saw(scene: Scene) -> None:
            log.event("look", **told_of(scene))

        return TableEyes(table, table.robot_model, cameras, take, camera_eyes(skin=skin), saw, self.searches)

    def wanted(
        self,
        source: GoalSource | None,
        task: Task,
        environment: LiberoEnvironment | None,
        start: Scene,
        settings: Settings,
        log: EpisodeLog,
        shown: Callable[[Instruction], Instruction],
    ) -> Wanted:
        """What words say of a scene that is seen, `shown` adding its pictures; without words what `source` gives, or
        the task itself, in the names of the simulator's scene, whose `start` tells what its author calls things."""

        def given(scene: Scene, state: WorldState) -> tuple[Goal, ...]:
            goals = wanted_in(source, task, environment, scene, state, settings, log)
            return tuple(beside_things(g, scene) for g in goals)

        names = in_library_terms(task.names, start)

        def read(scene: Scene, state: WorldState) -> tuple[Goal, ...]:
            said = Instruction(str(settings.said), scene, state, settings.domain, log, names=meant(names, scene))
            return self.read(shown(said))

        return given if settings.said is None else read
