"""Finds scenes by name: LIBERO's suites with their stored initial states, files, and the project's own scenes."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from motion.poses import Array
from tamp.backends.libero.bddl import read_bddl
from tamp.backends.libero.scene_description import DEFAULT_STEP_LIMIT, Task
from tamp.backends.libero.scene_file import read_scene
from tamp.data import data_dir
from tamp.errors import InputError
from tamp.model.domain import Domain
from tamp.model.goal import check_form, parse_goal
from tamp.quiet import hush_simulator

STEP_LIMITS = {"libero_spatial": 220, "libero_object": 280, "libero_goal": 300, "libero_10": 520, "libero_90": 400}
"""Control steps of the usual evaluation, after the settling steps (OpenVLA's protocol)."""

SCENE = "scene.toml"
"""The file that makes a folder a scene."""
MOST_HERE = 8
"""Scenes in the current folder that an error lists at most."""


def suite_names() -> list[str]:
    """Names of every suite that the installed LIBERO registers."""
    with hush_simulator():
        from libero.libero import benchmark

        return list(benchmark.get_benchmark_dict())


def suite(name: str):  # type: ignore[no-untyped-def]
    """LIBERO's suite object; InputError with the nearest names when there is none."""
    with hush_simulator():
        from libero.libero import benchmark

        known = benchmark.get_benchmark_dict()
    if name.lower() not in known:
        near = difflib.get_close_matches(name, known, 3) or list(known)[:5]
        raise InputError(f"unknown suite {name!r}; nearest: {', '.join(near)} (`tamp scene list` shows all)")
    with hush_simulator():  # it prints in which order its tasks are
        return known[name.lower()]()


def initial_states(task: Task) -> Array:
    """Stored initial states (n, d) of a suite's task; InputError when there are none."""
    if task.suite is None or task.task_id is None:
        raise InputError(f"scene {task.name!r} has no stored initial states: draw one with --seed")
    try:
        states = suite(task.suite).get_task_init_states(task.task_id)
    except FileNotFoundError as e:
        raise InputError(f"{task.name}: no stored initial states in the installed LIBERO ({e.filename})") from e
    return np.asarray(states)


def find(name: str) -> Task:
    """The task that a name means: `SUITE/TASK_ID`, a `.bddl` file, a name under `problems/`, a folder with a
    `scene.toml` or that file.

    Raises InputError for a name that means nothing, with the nearest one that does, and for what is wrong in a file;
    whether the scene's own goal makes sense is for `check_goal`.
    """
    path = Path(name)
    if name.endswith(".bddl"):
        if not path.is_file():
            there = _near(path.parent, path.name, (p.name for p in path.parent.glob("*.bddl")))
            raise InputError(f"no such BDDL file: {name}{there}")
        return read_bddl(path)
    if name and path.is_file() and path.suffix == ".toml":
        return read_scene(path)
    if name and (path / SCENE).is_file():
        return read_scene(path / SCENE)
    if (shipped := _shipped(name)) is not None:
        return read_scene(shipped)
    if name and path.is_dir():
        raise InputError(f"no {SCENE} in the folder {name}; valid: a folder that has one")
    if _is_path(name):
        folder = path.parent
        if not folder.is_dir() and folder == Path("problems"):
            folder = data_dir("problems")
        scenes = [p.parent.name for p in folder.glob(f"*/{SCENE}")]
        raise InputError(f"no scene at {name}{_near(folder, path.name, scenes)}")
    if "/" in name:
        return _of_suite(*name.rsplit("/", 1))
    raise InputError(_unknown(name))


def scenes_at(name: str) -> list[str]:
    """The scenes that a name means, each as `find` takes it: itself, or all in a folder; none for a suite."""
    path = Path(name)
    if name.lower() in suite_names():
        return []
    if path.is_dir() and not (path / SCENE).is_file():
        return sorted(str(p.parent) for p in path.glob(f"*/{SCENE}"))
    is_scene = (path / SCENE).is_file() or _shipped(name) is not None or _is_path(name)
    return [name] if is_scene or name.endswith(".bddl") else []


def _unknown(name: str) -> str:
    """That there is no such scene, which ones there are, and which are in the current folder."""
    here = sorted(p.parent.name for p in Path().glob(f"*/{SCENE}"))
    more = f" and {len(here) - MOST_HERE} more" if len(here) > MOST_HERE else ""
    listed = f" (here: {', '.join(here[:MOST_HERE])}{more})" if here else ""
    known = sorted(p.name for p in own_scenes())
    near = difflib.get_close_matches(name, dict.fromkeys([*here, *known]), 1)
    meant = f"did you mean {near[0]!r}? " if near else ""
    forms = ("SUITE/TASK_ID", "FILE.bddl", f"a folder with a {SCENE}{listed}")
    return f"unknown scene {name!r}; {meant}valid: {', '.join((*known, *forms))}"


def _shipped(name: str) -> Path | None:
    """The file of a scene under `problems/`, by its name alone or as `problems/NAME`, from anywhere."""
    parts = Path(name).parts
    if len(parts) == 2 and parts[0] == "problems":
        parts = parts[1:]
    if len(parts) != 1 or parts[0] in ("..", "/"):
        return None
    path = data_dir("problems") / parts[0] / SCENE
    return path if path.is_file() else None


def _is_path(name: str) -> bool:
    """Whether a name with a slash is meant as a path, not as a task of a suite."""
    if name.endswith((".toml", "/")) or name.startswith((".", "/", "~")):
        return True
    before, _, last = name.rpartition("/")
    return bool(before) and not last.isdigit() and before.lower() not in suite_names()


def _near(folder: Path, name: str, found: Iterable[str]) -> str:
    """Of what was found in a folder that which is called most like `name`."""
    options = sorted(found)
    near = difflib.get_close_matches(name, options, 3) or options[:5]
    return f"; there: {', '.join(str(folder / n) for n in near)}" if near else f"; valid: a folder with a {SCENE}"


def check_goal(task: Task, domain: Domain) -> None:
    """InputError, with file and line, for a goal of the scene's own that the domain, or what is declared to be there,
    does not know."""
    if task.goal is None or task.file is None:
        return
    try:
        if task.declared is None:
            check_form(task.goal, domain)
        else:
            symbols = {s: t for s, t in task.declared.symbols().items() if t in domain.types}
            parse_goal(task.goal, domain, symbols)
    except InputError as e:
        raise task.file.wrong(str(e), "goal") from e


def own_scenes() -> list[Path]:
    """Folders under `problems/` that hold a scene."""
    return sorted(p.parent for p in data_dir("problems").glob(f"*/{SCENE}"))


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
    instruction = task.language if suite_name.lower() in STEP_LIMITS else read_bddl(path).instruction
    return Task(f"{suite_name}/{task_id}", path, instruction, limit, suite_name, int(task_id))
