"""Episodes of a benchmark: each a real one or the decoding of a goal, and its record."""

from __future__ import annotations

import time
import traceback
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tamp.api import arguments, camera_policies, language
from tamp.api.configs import WORLDS, BenchConfig, SolveConfig
from tamp.errors import InputError, TampError, disk_error, is_interrupt
from tamp.quiet import hush_simulator, hush_warnings
from tamp.runs.bench.records import EpisodeRecord
from tamp.runs.bench.scheduling import Key
from tamp.runs.goal_origin import GoalOrigin
from tamp.runs.labels import label

if TYPE_CHECKING:
    from tamp.api.decoding import Looked
    from tamp.api.language import Model
    from tamp.api.solving import Episode
    from tamp.backends.libero.environment import LiberoEnvironment, Scenes
    from tamp.backends.libero.scene_description import Task
    from tamp.model.domain import Domain
    from tamp.runs.bench.wordings import Wording
    from tamp.runs.demonstrations.recorder import DemoFormat
    from tamp.runs.episode import Result, Settings
    from tamp.runs.episode_runner import EpisodePlace
    from tamp.runs.policy.remote import PolicyProcess

SHARED = (
    "simulator", "body", "perception", "noise", "calibration", "disturb", "llm", "planner", "domain",
)  # fmt: skip
"""Options that each episode takes over."""
NOT_THE_TASK = "what was asked for is not what LIBERO's check of the scene's task wants"
"""Why an episode failed in which all was reached that the words were taken to say."""


@dataclass(frozen=True)
class DemoOptions:
    """How episodes are kept as demonstrations: see `tamp.api.demo_configs.DemosConfig`."""

    format: str
    size: int
    masks: bool


@dataclass(frozen=True)
class Setup:
    """What every episode of a run shares; called in a worker it makes what runs them. With a `recording` the seed draws
    each scene, and what succeeds is kept as a demonstration."""

    config: BenchConfig
    folder: Path
    tree: str | None = None
    worded: tuple[Wording, ...] = ()
    recording: DemoOptions | None = None

    def __call__(self) -> Runner:
        """What runs the episodes, made in the process that does."""
        from tamp.backends.libero import rendering

        hush_warnings()
        model = language.model(self.config.llm) if self.config.asks_model else None
        sight = model is not None and model.sees
        recorded = self.recording is not None
        rendering.prepare(video=False, sight=sight, camera=self.config.perception == "camera", pictures=recorded)
        return Runner(self, arguments.domain(self.config.domain), model)

    @property
    def label(self) -> str:
        """How results say what saw."""
        c = self.config
        return label(c.simulator, c.body, c.perception, c.noise, given=c.stage == "plan")

    def episode(self, k: Key, task: Task, instruction: str) -> SolveConfig:
        """What one episode is asked for; words where there are none are the goal of the scene's file."""
        c = self.config
        seed, init_state = self.draw(k, task)
        return SolveConfig(
            instruction=(None if c.stage == "plan" else instruction) or None,
            scene=task.name,
            init_state=init_state,
            seed=seed,
            **{name: getattr(c, name) for name in SHARED},
        )

    def draw(self, k: Key, task: Task) -> tuple[int, int | None]:
        """The seed and the stored initial state of an episode, None where the seed draws the scene."""
        if task.suite is not None and self.recording is None:
            return self.config.seed, k.init_state
        return (task.seed if k.suite == WORLDS else self.config.seed + k.init_state), None


@dataclass(eq=False)
class Runner:
    """Runs episodes one after another; a task's scene is built once for all of its episodes in a row."""

    setup: Setup
    domain: Domain
    model: Model | None
    _scenes: Scenes | None = field(default=None)
    _looked: Looked | None = field(default=None)
    _policy: PolicyProcess | None = field(default=None)

    @property
    def sight(self) -> bool:
        """Whether there is a model that is to see the scene."""
        return self.model is not None and self.model.sees

    def __call__(self, k: Key) -> EpisodeRecord:
        """One episode's record. What goes wrong in one is its result, and the next one runs.

        A disk that takes no more is none of its doing: InputError.
        """
        start = time.perf_counter()
        folder = self.setup.folder / "episodes" / k.folder
        instruction, about = None, dict[str, Any]()
        try:
            clear(folder)
            task, about = self._task(k)
            wording = self.setup.worded[k.wording - 1] if k.wording else None
            instruction = wording.text if wording else task.instruction
            if self.setup.config.stage == "goal":
                outcome = self._goal_only(task, k, instruction, wording, folder)
            else:
                outcome = self._whole(task, k, instruction, folder)
        except Exception as e:
            if is_interrupt(e) or isinstance(e, ModuleNotFoundError):  # a fault of no episode
                raise
            if full := disk_error(e):
                raise InputError(f"cannot write to {full.filename or folder}: {full.strerror}") from e
            outcome = self._failed(e, folder)
        outcome["wall_seconds"] = round(time.perf_counter() - start, 3)
        return record(k, self.setup, instruction, about | outcome)

    def _task(self, k: Key) -> tuple[Task, dict[str, Any]]:
        """The task of an episode; a world is drawn for it. And what the record says of that."""
        with hush_simulator():
            from tamp.backends.libero import tasks

            if k.suite != WORLDS:
                is_scene = bool(tasks.scenes_at(k.suite))
                task = tasks.find(k.suite if is_scene else f"{k.suite}/{k.task_id}")
                return task, {"seed": self.setup.draw(k, task)[0]}
            from tamp.runs.bench.worlds import draw_world

            place = Path("scenes") / f"{k.task_id:04}"
            config, built = self.setup.config, self._built
            drawn = draw_world(self.setup.folder / place, config.seed, k.task_id, self.domain, built)
            return drawn.task, {"scene": str(place / tasks.SCENE), "redrawn": list(drawn.refused)}

    def _failed(self, error: Exception, folder: Path) -> dict[str, Any]:
        """What an error makes of an episode; what is no fault of the input leaves a traceback, and no scene."""
        if isinstance(error, TampError):
            return {"failure_stage": "input", "failure_reason": str(error)}
        if self._scenes is not None:
            self._scenes.forget()
        folder.mkdir(parents=True, exist_ok=True)
        lines = "".join(traceback.format_exception(error))
        (folder / "traceback.txt").write_text(lines, encoding="utf-8")
        return {"failure_stage": "error", "failure_reason": f"{type(error).__name__}: {error}"}

    def _whole(self, task: Task, k: Key, instruction: str, folder: Path) -> dict[str, Any]:
        """A real episode, from the task's own goal or from an instruction."""
        from tamp.api.solving import Episode, Person

        config = self.setup.episode(k, task, instruction)
        settings = self.settings(config, _origin(task, k, config.instruction))
        episode = Episode(config, Person(), task, self.domain, settings, self.model)
        with hush_simulator():
            result = self._recorded(episode, k, folder) if self.setup.recording else self._run(episode, k, folder)
        by_libero = config.simulator == "libero" and task.suite is not None
        success = result.libero if by_libero else result.success
        return {
            "perception": self.setup.label,
            "success": success,
            "reached": result.reached,
            "task": result.task,
            "steps": result.steps,
            "planning_seconds": round(result.seconds.get("plan", 0.0) + result.seconds.get("refine", 0.0), 3),
            "execution_seconds": result.seconds.get("execute", 0.0),
            "stepping_seconds": result.seconds.get("step", 0.0),
            "failure_stage": result.stage or (None if success else "checker"),
            "failure_reason": result.reason or (None if success else NOT_THE_TASK),
            "goal": result.goal,
            "plan": result.plan,
            "lasting": result.lasting,
            "touched": result.touched,
            "shifted": result.shifted,
            "disturbed": result.disturbed,
            "verdicts": result.verdicts,
            "certificate": result.certificate,
        }

    def _run(self, episode: Episode, k: Key, folder: Path) -> Result:
        return episode.run_at(self._place(episode, k), folder)

    def _recorded(self, episode: Episode, k: Key, folder: Path) -> Result:
        """The same, kept as a demonstration where LIBERO's check accepts it."""
        from tamp.runs.demonstrations.recorder import recorded
        from tamp.runs.episode_log import LOG

        kept = self.setup.recording
        assert kept is not None
        with recorded(self._environment(episode.task, k), kept.size, kept.masks) as recorder:
            result = episode.run_at(episode.simulated(recorder.environment), folder)
        if result.libero:
            demo = recorder.recorded(int(episode.settings.seed or 0), folder / LOG, result.disturbed)
            form(kept.format).write_episode(demo, folder)
        return result

    def settings(self, config: SolveConfig, origin: GoalOrigin) -> Settings:
        """What an episode is run with."""
        from tamp.api.solving import settings_of

        settings = settings_of(config, self.domain, self.model, self.sight, origin)
        return replace(settings, clock=self.setup.config.clock)

    def _place(self, episode: Episode, k: Key) -> EpisodePlace:
        """Where an episode is run; the process of a policy that sees is kept for the next one."""
        config, environment = episode.config, self._environment(episode.task, k)
        if config.perception == "oracle" or config.simulator != "libero":
            return episode.simulated(environment)
        if self._policy is None:
            recipe = camera_policies.recipe(config, config.instruction is not None)
            self._policy = camera_policies.process(recipe)
        drawn = (k.task_id, k.init_state) if config.calibration is None else ()  # what was calibrated stays as it is
        return episode.by_policy(self._policy, environment, drawn)

    def _goal_only(self, task: Task, k: Key, instruction: str, wording: Wording | None, folder: Path) -> dict[str, Any]:
        """Decode the goal and compare it with the task's; nothing moves."""
        from tamp.api.decoding import decode, look_at

        assert self.model is not None
        if self._looked is None or (self._looked.task, self._looked.init_state) != (task, k.init_state):
            self._looked = look_at(task, self.setup.config.seed, k.init_state, self.sight)
        refuse = wording is not None and bool(wording.refuse)
        return decode(instruction, self._looked, self.model, self.domain, folder, refuse)

    def _environment(self, task: Task, k: Key) -> LiberoEnvironment:
        return self._built(task, *self.setup.draw(k, task))

    def _built(self, task: Task, seed: int, init_state: int | None = None) -> LiberoEnvironment:
        """LIBERO's environment of a task, started over."""
        from tamp.backends.libero.environment import Scenes

        drawn = self.setup.config.perception == "camera" and self.setup.config.simulator == "libero"
        drawn = drawn or self.setup.recording is not None
        self._scenes = self._scenes or Scenes(render=self.sight or drawn)
        return self._scenes.of(task, seed, init_state)


def form(name: str) -> DemoFormat:
    """What writes demonstrations in a format."""
    if name == "hdf5":
        from tamp.runs.demonstrations import libero_hdf5

        return libero_hdf5
    from tamp.runs.demonstrations import lerobot

    return lerobot


def record(k: Key, setup: Setup, instruction: str | None, outcome: dict[str, Any]) -> EpisodeRecord:
    """A line of the results; `outcome` has the fields of what the episode came to."""
    about = {"seed": setup.config.seed, "tree": setup.tree, "perception": setup.label, "language": instruction}
    return EpisodeRecord(**k._asdict(), **about | outcome)


def _origin(task: Task, k: Key, said: str | None) -> GoalOrigin:
    """Where what an episode is asked for comes from: the task, unless it was put in other words."""
    if said is None:
        return GoalOrigin("task" if task.goal is None else "scene", task.source)
    return GoalOrigin("words", "" if k.wording else task.source)


def clear(folder: Path) -> None:
    """Have no such folder: what an interrupted episode left there gets another name."""
    from tamp.runs.episode_log import new_folder

    if folder.exists():
        folder.rename(new_folder(folder.parent, folder.name))
