"""`make bench-unknown`: things that the library does not have, picked and placed by the camera mode.

    python tests/bench_unknown.py [--suites SUITE ...] [--tasks IDS] [--states N] [--develop] [--words] [--shapes]
                                  [--noise KIND ...] [--out DIR]

The tasks in which something is put somewhere, without the models of what is to be moved, nor those that look the same,
or with --shapes nor those that have the same shape in other colours.
The goal is given, in the names that the policy has for what it sees; or with --words it is told by what things look
like: the task's words, with the name of what was seen where the thing is. LIBERO's check says what came of it. Initial
states from 0 on, or with --develop from 40 on. Goes on where it was interrupted.
"""

from __future__ import annotations

import argparse
import contextlib
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from llm.models.weights import DEFAULT
from tamp.api import arguments, camera, language
from tamp.backends.libero import rendering
from tamp.backends.libero.cameras import take
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.oracle import OraclePerceiver
from tamp.backends.libero.scene_description import Task
from tamp.backends.libero.tasks import find, suite
from tamp.errors import Refusal
from tamp.model.backend import Observation
from tamp.model.scene import Scene
from tamp.perception.library import Library, load
from tamp.quiet import hush_simulator, hush_warnings
from tamp.runs.episode import Settings
from tamp.runs.matching import match
from tamp.runs.policy.policy import told_of
from tests.bench import keep, machine, read, resumed, share
from tests.bench_perception import DEVELOP, SUITES
from tests.left_out import EyesWithout, alikes
from tests.places import by_policy as run_camera

PUT = ("on", "in")
"""Predicates of LIBERO's goals that say where something is put."""
Record = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """An episode of a task without the models of what it moves."""

    suite: str
    task: int
    state: int
    noise: str
    words: bool
    shapes: bool

    @property
    def key(self) -> str:
        how = ("words" if self.words else "given") + ("-shapes" if self.shapes else "")
        return f"{self.suite}/{self.task}:{self.state}:{self.noise}:{how}"


@dataclass(frozen=True)
class Bench:
    """What all episodes share: where they go, the library, and which models look the same."""

    folder: Path
    library: Library
    alike: Mapping[str, set[str]]

    def episode(self, case: Case) -> Record | None:
        """What came of a case; None where the task moves nothing."""
        task = find(f"{case.suite}/{case.task}")
        environment = LiberoEnvironment(task, seed=0, init_state=case.state, render=True)
        with contextlib.closing(environment):
            scene = OraclePerceiver(environment).perceive()
            if not (moved := _moved(environment, scene)):
                return None
            left_out = {scene.object(name).category for name in moved}
            left_out |= {twin for c in left_out for twin in self.alike.get(c, ())}
            eyes, record = EyesWithout(frozenset(left_out)), {"key": case.key, "noise": case.noise, "moved": moved}
            called = self._called(case, environment, eyes, scene, moved)
            record["called"] = called
            said = self._said(task, called, scene) if case.words else None
            if case.words and said is None:
                return record | {"success": False, "reason": "what is to be moved was not seen, or has no words"}
            return record | {"said": said} | self._run(case, task, environment, eyes, said)

    def _run(
        self, case: Case, task: Task, environment: LiberoEnvironment, eyes: EyesWithout, said: str | None
    ) -> Record:
        domain, planner = arguments.domain("tabletop"), language.planner("fast-downward", None)
        recipe = camera.Recipe("tabletop", "fast-downward", DEFAULT if case.words else None, eyes=eyes)
        settings = Settings(domain, planner, 0, case.state, said=said)
        folder = self.folder / "episodes" / case.key.replace("/", "-").replace(":", "-")
        noise = camera.noise(case.noise, 0, case.task, case.state)
        with contextlib.closing(camera.process(recipe)) as process:
            result = run_camera(task, None, settings, process, folder, lambda line: None, environment, noise)
        told = ("goal", "plan", "executed", "steps", "stage", "reason", "touched", "seconds")
        return {"success": result.libero} | {name: getattr(result, name) for name in told}

    def _called(
        self, case: Case, environment: LiberoEnvironment, eyes: EyesWithout, scene: Scene, moved: list[str]
    ) -> dict[str, str | None]:
        """What the things that are to be moved look like to eyes without their models; None where nothing is seen."""
        images = camera.noise(case.noise, 0, case.task, case.state)(take(environment, size=(256, 256)))
        seen = Observation(0.0, environment.robot_state(), images)
        try:
            looked = eyes()(lambda: seen, environment.robot_model()).perceive()
        except Refusal:
            return dict.fromkeys(moved)
        names = match(told_of(looked), scene).backwards().true
        there = {name: names[name] for name in moved if names.get(name) in looked.unknown}
        return {name: looked.object(there[name]).category if name in there else None for name in moved}

    def _said(self, task: Task, called: Mapping[str, str | None], scene: Scene) -> str | None:
        """A task's words with what things look like in the place of what they are."""
        said = task.instruction.lower()
        for thing, category in called.items():
            names = self.library.model(scene.object(thing).category).names
            found = next((n for n in sorted(names, key=len, reverse=True) if re.search(rf"\b{n}\b", said)), None)
            if category is None or found is None:
                return None
            said = re.sub(rf"\b{found}\b", category.replace("_", " "), said, count=1)
        return said


def _moved(environment: LiberoEnvironment, scene: Scene) -> list[str]:
    """The things that a task's goal puts somewhere."""
    atoms = environment.domain.parsed_problem["goal_state"]
    return list(dict.fromkeys(args[0] for p, *args in atoms if p in PUT and scene.object(args[0]).movable))


def cases(asked: argparse.Namespace) -> Iterator[Case]:
    """All that are asked for."""
    from tamp.api.bench import parse_ids

    first = DEVELOP if asked.develop else 0
    for name in asked.suites:
        tasks = range(suite(name).n_tasks) if asked.tasks is None else parse_ids(asked.tasks)
        for task in tasks:
            for state in range(first, first + asked.states):
                yield from (Case(name, task, state, noise, asked.words, asked.shapes) for noise in asked.noise)


def table(records: list[Record]) -> Iterator[str]:
    """How many succeeded, by suite and noise, and why others did not."""
    for name, noise in dict.fromkeys((r["key"].partition("/")[0], r["noise"]) for r in records):
        mine = [r for r in records if r["key"].startswith(f"{name}/") and r["noise"] == noise]
        yield f"{name}, {noise}: succeeded, %: {share(sum(r['success'] for r in mine), len(mine))}"
        seen = [c for r in mine for c in r["called"].values()]
        yield f"  what is to be moved seen to be unknown, %: {share(sum(c is not None for c in seen), len(seen))}"
    failed = Counter(f"{r.get('stage')}: {r.get('reason')}" for r in records if not r["success"])
    yield from (f"  {n} {why}" for why, n in failed.most_common())


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--suites", nargs="+", default=SUITES, metavar="SUITE")
    parser.add_argument("--tasks", metavar="IDS", help="only these tasks, as 0,3,5-7")
    parser.add_argument("--states", type=int, default=1, metavar="N", help="initial states a task")
    parser.add_argument("--develop", action="store_true", help="initial states from 40 on, not those that are held out")
    parser.add_argument("--words", action="store_true", help="told in words what to do, not given the goal")
    parser.add_argument("--shapes", action="store_true", help="nor has the library anything of the same shape")
    parser.add_argument("--noise", nargs="+", default=("clean",), metavar="KIND")
    parser.add_argument("--out", type=Path, default=Path("results/unknown"))
    asked = parser.parse_args()
    hush_warnings()
    rendering.prepare(video=False, camera=True)
    asked.out.mkdir(parents=True, exist_ok=True)
    library = load()
    bench = Bench(asked.out, library, alikes(library, asked.shapes))
    results = asked.out / ("develop.jsonl" if asked.develop else "held_out.jsonl")
    had = {r["key"] for r in resumed(results)}
    with hush_simulator():
        for case in cases(asked):
            if case.key not in had and (record := bench.episode(case)) is not None:
                keep(results, record, default=np.ndarray.tolist)
    wanted = {c.key for c in cases(asked)}
    sys.stdout.write(f"{machine()}; {len(library)} models in the library\n")
    sys.stdout.writelines(f"{line}\n" for line in table([r for r in read(results) if r["key"] in wanted]))


if __name__ == "__main__":
    main()
