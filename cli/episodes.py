"""Episodes of a benchmark: each a real one or the decoding of a goal, and its record."""

from __future__ import annotations

import time
import traceback
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from cli import inputs
from cli.output import hush_simulator, hush_warnings
from tamp.bench.records import FIELDS, NOTHING, Record
from tamp.bench.scheduling import Key
from tamp.errors import InputError, TampError, disk_error, is_interrupt

if TYPE_CHECKING:
    from llm.model import Model
    from tamp.domain import Domain
    from tamp.goal import Goal
    from tamp.libero.environment import LiberoEnvironment
    from tamp.libero.tasks import Task

Stage = Literal["goal", "plan", "all"]


@dataclass(frozen=True)
class Setup:
    """What every episode of a run shares; called in a worker it makes what runs them."""

    stage: Stage
    seed: int
    planner: str
    domain: str
    llm: str
    folder: Path
    tree: str | None

    def __call__(self) -> Runner:
        """What runs the episodes, made in the process that does."""
        from cli.solve import load_model
        from tamp.libero import rendering

        hush_warnings()
        model = None if self.stage == "plan" else load_model(self.llm)
        rendering.prepare(video=False, sight=model is not None and model.sees)
        return Runner(self, inputs.domain(self.domain), model)


@dataclass(eq=False)
class Runner:
    """Runs episodes one after another; a task's scene is built once for all of its episodes in a row."""

    setup: Setup
    domain: Domain
    model: Model | None
    _built: LiberoEnvironment | None = field(default=None)

    @property
    def sight(self) -> bool:
        """Whether there is a model that is to see the scene."""
        return self.model is not None and self.model.sees

    def __call__(self, k: Key) -> Record:
        """One episode's record. What goes wrong in one is its result, and the next one runs.

        A disk that takes no more is none of its doing: InputError.
        """
        start = time.perf_counter()
        folder = _unused(self.setup.folder / "episodes" / f"{k.suite}-{k.task_id}-{k.init_state}")
        instruction = None
        try:
            task = _task(k)
            instruction = task.instruction
            outcome = (self._goal_only if self.setup.stage == "goal" else self._whole)(task, k, folder)
        except Exception as e:
            if is_interrupt(e):
                raise
            if full := disk_error(e):
                raise InputError(f"cannot write to {full.filename or folder}: {full.strerror}") from e
            outcome = self._failed(e, folder)
        outcome["wall_seconds"] = round(time.perf_counter() - start, 3)
        return record(k, self.setup, instruction, outcome)

    def _failed(self, error: Exception, folder: Path) -> Record:
        """What an error makes of an episode; what is no fault of the input leaves a traceback, and no scene."""
        if isinstance(error, TampError):
            return {"failure_stage": "input", "failure_reason": str(error)}
        self._built = None
        folder.mkdir(parents=True, exist_ok=True)
        told = "".join(traceback.format_exception(error))
        (folder / "traceback.txt").write_text(told, encoding="utf-8")
        return {"failure_stage": "error", "failure_reason": f"{type(error).__name__}: {error}"}

    def _whole(self, task: Task, k: Key, folder: Path) -> Record:
        """A real episode, from the task's own goal or from its instruction."""
        from cli.solve import from_language
        from tamp.libero.run import Settings, run

        source = None
        if self.model is not None:
            source = from_language(task.instruction, self.model, task, assume_first=False)
        settings = Settings(self.domain, self.setup.planner, self.setup.seed, k.init_state, sight=self.sight)
        with hush_simulator():
            result = run(task, source, settings, folder, lambda line: None, self._environment(task, k))
        return {
            "success": result.success,
            "steps": result.steps,
            "planning_seconds": round(result.seconds.get("plan", 0.0) + result.seconds.get("refine", 0.0), 3),
            "execution_seconds": result.seconds.get("execute", 0.0),
            "stepping_seconds": result.seconds.get("step", 0.0),
            "failure_stage": result.stage,
            "failure_reason": result.reason,
            "goal": result.goal,
            "plan": result.plan,
            "lasting": result.lasting,
            "touched": result.touched,
            "shifted": result.shifted,
        }

    def _environment(self, task: Task, k: Key) -> LiberoEnvironment:
        from tamp.libero.environment import LiberoEnvironment

        if self._built is not None and self._built.task == task:
            self._built.reset(seed=self.setup.seed, init_state=k.init_state)
            return self._built
        if self._built is not None:
            self._built.close()
        self._built = LiberoEnvironment(task, seed=self.setup.seed, init_state=k.init_state, render=self.sight)
        return self._built

    def _goal_only(self, task: Task, k: Key, folder: Path) -> Record:
        """Decode the goal and compare it with the task's; nothing moves."""
        from cli.scene import look
        from cli.solve import from_language
        from tamp.episode import EpisodeLog
        from tamp.libero.goals import goal_regions, in_the_tasks_words, task_goal
        from tamp.libero.oracle import OraclePerceiver

        assert self.model is not None
        view = look(task, self.setup.seed, k.init_state, render=self.sight)
        try:
            own = task_goal(view.environment, view.scene)
            marked = OraclePerceiver(view.environment, goal_regions(view.environment)).perceive()
            with EpisodeLog(folder) as log:
                source = from_language(task.instruction, self.model, task, assume_first=False)
                image = view.environment.picture() if self.sight else None
                decoded = source(view.scene, view.state, self.domain, log, image)
        finally:
            view.environment.close()
        same = equivalent(in_the_tasks_words(decoded, own, marked), own, view.state.atoms)
        reason = None if same else f"decoded {decoded}, the task's goal is {own}"
        return {
            "success": same,
            "goal": str(decoded),
            "failure_stage": None if same else "goal",
            "failure_reason": reason,
        }


def record(k: Key, setup: Setup, instruction: str | None, outcome: Record) -> Record:
    """A line of the results, in the fields' order."""
    told = {
        **NOTHING,
        **k._asdict(),
        "language": instruction,
        "seed": setup.seed,
        "wall_seconds": 0.0,
        "tree": setup.tree,
        **outcome,
    }
    return {name: told[name] for name in FIELDS}


def equivalent(a: Goal, b: Goal, true: frozenset[Any]) -> bool:
    """Whether two goals ask for the same atoms, apart from those that are true at the start."""
    return set(a.atoms) - true == set(b.atoms) - true


def _task(k: Key) -> Task:
    with hush_simulator():
        from tamp.libero import tasks

        return tasks.find(f"{k.suite}/{k.task_id}")


def _unused(folder: Path) -> Path:
    """`folder`, or that name with a number when an interrupted episode left its log there."""
    from tamp.episode import new_folder

    return folder if not folder.exists() else new_folder(folder.parent, folder.name)
