"""Where LIBERO's suites, tasks and stored initial states are, and the project's own scenes beside them."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from motion.poses import Array
from tamp.data import data_dir
from tamp.errors import InputError
from tamp.files.toml_file import read_toml

STEP_LIMITS = {"libero_spatial": 220, "libero_object": 280, "libero_goal": 300, "libero_10": 520, "libero_90": 400}
"""Control steps of the usual evaluation, after the settling steps (OpenVLA's protocol)."""

DEFAULT_STEP_LIMIT = 400


@dataclass(frozen=True)
class Task:
    """One scene to act in: its BDDL file, its instruction, and how many control steps it may take.

    `names` are what people call things in this scene, phrase to symbol, and `start` are items that start in or
    on a region, item to region, where a scene file declares any: BDDL cannot put things into what is closed.
    """

    name: str
    bddl: Path
    instruction: str
    step_limit: int = DEFAULT_STEP_LIMIT
    suite: str | None = None
    task_id: int | None = None
    names: dict[str, str] = field(default_factory=dict)
    start: dict[str, str] = field(default_factory=dict)

    def initial_states(self) -> Array:
        """Stored initial states (n, d) of a suite's task; InputError when there are none."""
        if self.suite is None or self.task_id is None:
            raise InputError(f"scene {self.name!r} has no stored initial states: draw one with --seed")
        try:
            states = suite(self.suite).get_task_init_states(self.task_id)
        except FileNotFoundError as e:
            raise InputError(f"{self.name}: no stored initial states in the installed LIBERO ({e.filename})") from e
        return np.asarray(states)


def suite_names() -> list[str]:
    """Names of every suite that the installed LIBERO registers."""
    from libero.libero import benchmark

    return list(benchmark.get_benchmark_dict())


def suite(name: str):  # type: ignore[no-untyped-def]
    """LIBERO's suite object; InputError with the nearest names when there is none."""
    from libero.libero import benchmark

    known = benchmark.get_benchmark_dict()
    if name.lower() not in known:
        near = difflib.get_close_matches(name, known, 3) or list(known)[:5]
        raise InputError(f"unknown suite {name!r}; nearest: {', '.join(near)} (`tamp scene list` shows all)")
    return known[name.lower()]()


def find(name: str) -> Task:
    """The task that `SUITE/TASK_ID`, a path to a `.bddl` file, or a name under `problems/` means."""
    if name.endswith(".bddl"):
        path = Path(name)
        if not path.is_file():
            raise InputError(f"no such BDDL file: {name}")
        return Task(path.stem, path, _language(path))
    if (data_dir("problems") / name / "scene.toml").is_file():
        return _own(data_dir("problems") / name)
    if "/" in name:
        return _of_suite(*name.rsplit("/", 1))
    known = sorted([*(p.name for p in own_scenes()), "SUITE/TASK_ID", "FILE.bddl"])
    near = difflib.get_close_matches(name, known, 1)
    raise InputError(
        f"unknown scene {name!r}; {f'did you mean {near[0]!r}? ' if near else ''}valid: {', '.join(known)}"
    )


def own_scenes() -> list[Path]:
    """Folders under `problems/` that hold a scene."""
    return sorted(p.parent for p in data_dir("problems").glob("*/scene.toml"))


def suite_tasks(name: str) -> list[Task]:
    """Every task of a suite whose BDDL file exists; InputError when a file is missing."""
    return [_of_suite(name, str(i)) for i in range(suite(name).n_tasks)]


def _of_suite(suite_name: str, task_id: str) -> Task:
    from libero.libero import get_libero_path

    s = suite(suite_name)
    if not task_id.isdigit() or int(task_id) >= s.n_tasks:
        raise InputError(f"no task {task_id!r} in {suite_name}; valid: {suite_name}/0 to {suite_name}/{s.n_tasks - 1}")
    task = s.get_task(int(task_id))
    path = Path(get_libero_path("bddl_files")) / task.problem_folder / task.bddl_file
    if not path.is_file():
        raise InputError(f"{suite_name}/{task_id}: the installed LIBERO lacks its BDDL file {task.bddl_file}")
    limit = next((n for s, n in STEP_LIMITS.items() if suite_name.lower().startswith(s)), DEFAULT_STEP_LIMIT)
    # The published evaluations of these five take the sentence from the file's name. In the others, which LIBERO-PRO
    # made of them, the names are those of the tasks that they were made of, and the sentence is in the file.
    instruction = task.language if suite_name.lower() in STEP_LIMITS else _language(path)
    return Task(f"{suite_name}/{task_id}", path, instruction, limit, suite_name, int(task_id))


def _own(folder: Path) -> Task:
    config = read_toml(folder / "scene.toml")
    unknown = set(config) - {"bddl", "instruction", "step_limit", "names", "start"}
    if unknown:
        raise InputError(f"{folder / 'scene.toml'}: unknown keys {', '.join(sorted(unknown))}")
    return Task(
        folder.name,
        folder / config["bddl"],
        config["instruction"],
        config.get("step_limit", DEFAULT_STEP_LIMIT),
        names=config.get("names", {}),
        start=config.get("start", {}),
    )


def _language(path: Path) -> str:
    from libero.libero.envs import bddl_utils

    words = bddl_utils.get_problem_info(str(path))["language_instruction"]
    return " ".join(words) if isinstance(words, list) else str(words)
