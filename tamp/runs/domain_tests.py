"""`tamp test` under pytest: a domain folder's cases, and its own operators in drawn scenes, as pytest items."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

from tamp.backends.libero.environment import Scenes
from tamp.backends.libero.scene_description import Task
from tamp.errors import TampError, is_interrupt
from tamp.model.domain import Domain
from tamp.perception.observers import Observer
from tamp.runs import case_runner
from tamp.runs.cases import TESTS, Case, SceneCase
from tamp.runs.episode import GoalSource, Result, Settings
from tamp.runs.episode_log import read
from tamp.runs.episode_runner import run_episode
from tamp.runs.goal_origin import GoalOrigin
from tamp.runs.operator_goals import OperatorGoals
from tamp.runs.worlds import InLibero
from tamp.skills.registry import bound

TRIES = 4
"""Goals that motions are sought for, of one operator in one scene."""
OPTIONS = (
    *("-c", os.devnull),  # not the configuration of a project around the folder
    *("-p", "no:cacheprovider"),
    *("-p", "no:warnings"),
    *("-v", "-rs", "--no-header", "--import-mode=importlib", "--continue-on-collection-errors"),
)
"""Of pytest."""

Verdict = Literal["passed", "failed", "not tried"]


class TrialFailed(Exception):
    """A trial came out as failed; the message is its reason."""


@dataclass(frozen=True)
class Trial:
    """The result of one test. `what` is a case's file, an operator or the id of a test in Python, `goal` what was
    asked for; `seconds` wall time; `out` the folder of the last episode."""

    what: str
    verdict: Verdict
    scene: str = ""
    seed: int | None = None
    goal: str | list[str] | None = None
    reason: str | None = None
    plan: list[str] = field(default_factory=list)
    steps: int = 0
    seconds: float = 0.0
    out: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """For `--json`."""
        return asdict(self)

    @property
    def operators(self) -> frozenset[str]:
        """The operators of a plan that was begun."""
        return frozenset(step.strip("()").split()[0] for step in self.plan if self.steps)


@dataclass(eq=False)
class Trials:
    """Runs trials of a domain as episodes; their folders are made in `logs`. TampError with the reason where an episode
    ends without a result."""

    domain: Domain
    logs: Path
    scenes: Scenes = field(default_factory=Scenes)

    @cached_property
    def observers(self) -> Mapping[str, Observer]:
        """Of the domain's own predicates."""
        return bound(self.domain).observers

    def problem(self, case: Case, what: str) -> Trial:
        """Whether everything that a case about a problem expects comes out so."""
        wrong = [o for o in case_runner.run(case) if not o.agrees]
        reason = "; ".join(f"{o.what}: expected {o.expected}, came out {o.found}" for o in wrong)
        return Trial(what, "failed" if wrong else "passed", reason=reason or None)

    def case(self, case: SceneCase, what: str, task: Task, seed: int, source: GoalSource) -> Trial:
        """Whether what a case asks for is reached, or refused, as it expects."""
        result, moved = self._run(what, task, seed, source, case.instruction)
        if case.expect == "reached":
            return self._trial(what, task, seed, result, case.misread(result.goal) or _not_reached(result))
        wrong = case.misread(result.goal) or _not_refused(result, moved)
        trial = self._trial(what, task, seed, result, wrong)
        return trial if wrong else replace(trial, reason=f"refused: {result.reason}")

    def operator(self, name: str, task: Task, seed: int) -> Trial:
        """Whether an operator of the domain's own does what it says of something in a scene."""
        source, why = OperatorGoals(name, np.random.default_rng(seed), self.observers), ""
        for _ in range(TRIES):
            result, moved = self._run(name, task, seed, source, None)
            if result.stage == "goal":
                break
            if moved or result.stage not in ("plan", "refinement"):
                goal = str(source.given[-1]) if source.given else result.goal
                return replace(self._trial(name, task, seed, result, _not_reached(result)), goal=goal)
            why = why or str(result.reason)
        if not source.given:
            return replace(self._trial(name, task, seed, result, result.reason), verdict="not tried")
        wrong = f"no motions for {', '.join(map(str, source.given))}: {why}"
        return replace(self._trial(name, task, seed, result, wrong), goal=str(source.given[0]))

    def _run(self, what: str, task: Task, seed: int, source: GoalSource, said: str | None) -> tuple[Result, bool]:
        """The result of an episode, and whether an action was begun in it."""
        name = f"{what}-{task.name}-{seed}".replace(".toml", "").replace("/", "-")
        folder = next(f for n in itertools.count() if not (f := self.logs / f"{name}{f'-{n}' if n else ''}").exists())
        settings = Settings(self.domain, seed=seed, said=said, origin=GoalOrigin("test", what))
        try:
            place = InLibero(self.scenes.of(task, seed))
            result = run_episode(place, task, source, settings, folder, lambda line: None)
        except TampError:
            raise
        except Exception:
            self.scenes.forget()
            raise
        return result, any(event["event"] == "action" for event in read(folder / "episode.jsonl"))

    def _trial(self, what: str, task: Task, seed: int, result: Result, wrong: str | None) -> Trial:
        """A trial that failed where something is wrong."""
        return Trial(
            what,
            "failed" if wrong else "passed",
            task.name,
            seed,
            result.goal,
            wrong,
            result.plan,
            result.steps,
            out=result.out,
        )


def _not_reached(result: Result) -> str | None:
    if result.good:
        return None
    return f"{result.stage}: {result.reason}" if result.reason else "it was done, and the goal does not hold"


def _not_refused(result: Result, moved: bool) -> str | None:
    """Why it is no refusal; None where nothing moved and a reason was given."""
    if result.good:
        return "expected to be refused, and it was reached"
    return None if result.reason and not moved else f"expected to be refused, and it moved: {result.reason}"


@dataclass(frozen=True)
class Job:
    """A test of a file: a case in one of its scenes, or an `operator` of `domain.pddl`; `last`: it is the operator's
    last chance. `run` gives a trial, or raises TampError with the reason of a failure."""

    file: Path
    what: str
    run: Callable[[], Trial]
    scene: str = ""
    seed: int | None = None
    operator: str | None = None
    last: bool = False

    @property
    def name(self) -> str:
        """The name of its pytest item in the file."""
        drawn = f"{self.scene} seed {self.seed}" if self.scene else "problem"
        return f"{self.operator} {drawn}" if self.operator else drawn


class DomainPlugin:
    """Collects jobs by their files, runs them in their order, and keeps a trial of every test."""

    def __init__(self, domain: Domain, jobs: Sequence[Job]) -> None:
        self.domain, self.jobs = domain, jobs
        self.trials: dict[str, Trial] = {}
        self.covered: set[str] = set()
        self.tried: set[str] = set()

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        """The jobs of a file."""
        jobs = [job for job in self.jobs if job.file.absolute() == file_path]
        return _File.from_parent(parent, path=file_path, jobs=jobs, plugin=self) if jobs else None

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Tests in Python first, then the jobs."""
        items.sort(key=lambda item: self.jobs.index(item.job) if isinstance(item, _Item) else -1)

    def pytest_runtest_protocol(self, item: pytest.Item) -> bool | None:
        """Leave out operators that were in the plan of a case."""
        return True if isinstance(item, _Item) and item.job.operator in self.covered else None

    def run(self, job: Job) -> Trial:
        """The trial of a job. Files of the domain's folder are called as the folder was named."""
        start, folder = time.perf_counter(), self.domain.path.parent
        try:
            trial = job.run()
        except TampError as error:
            trial = Trial(job.what, "failed", job.scene, job.seed, reason=str(error))
        if job.operator is None:
            self.covered |= trial.operators
        elif trial.verdict != "not tried":
            self.tried.add(job.operator)
        elif job.last and job.operator not in self.tried:
            trial = replace(trial, verdict="failed")
        reason = trial.reason and " ".join(trial.reason.replace(f"{folder.resolve()}/", f"{folder}/").split())
        return replace(trial, reason=reason, seconds=round(time.perf_counter() - start, 1))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep a trial of tests in Python, and of errors that nothing here foresees."""
        if report.nodeid not in self.trials and (report.when == "call" or not report.passed):
            verdict: Verdict = "passed" if report.passed else "failed" if report.failed else "not tried"
            reason = report.longreprtext.strip().rpartition("\n")[2] or None
            self.trials[report.nodeid] = Trial(report.nodeid, verdict, reason=reason, seconds=round(report.duration, 1))

    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        """Show of a job that passed what it took."""
        shown = dict(report.user_properties).get("shown")
        return ("passed", ".", f"PASSED {shown}") if report.when == "call" and report.passed and shown else None


class _File(pytest.File):
    def __init__(self, *, jobs: Sequence[Job], plugin: DomainPlugin, **node: Any) -> None:
        super().__init__(**node)
        self.jobs, self.plugin = jobs, plugin

    def collect(self) -> Iterator[pytest.Item]:
        for job in self.jobs:
            yield _Item.from_parent(self, name=job.name, job=job, plugin=self.plugin)


class _Item(pytest.Item):
    def __init__(self, *, job: Job, plugin: DomainPlugin, **node: Any) -> None:
        super().__init__(**node)
        self.job, self.plugin = job, plugin

    def runtest(self) -> None:
        try:
            trial = self.plugin.trials[self.nodeid] = self.plugin.run(self.job)
        except Exception as error:
            if is_interrupt(error):
                raise KeyboardInterrupt from error
            raise
        if trial.verdict == "not tried":
            pytest.skip(trial.reason or "")
        if trial.verdict == "failed":
            raise TrialFailed(trial.reason)
        goal = f"{trial.goal}, " if self.job.operator else ""
        self.user_properties.append(("shown", f"{goal}{trial.steps} steps, {trial.seconds:.1f} s"))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, TrialFailed):
            return f"{self.job.what}: {excinfo.value}"
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, self.name


def run_tests(plugin: DomainPlugin) -> int:
    """Run the folder's tests; pytest prints on standard output. 0 when all passed, 1 when one failed, 130 after
    Ctrl-C."""
    folder = plugin.domain.path.parent.absolute()
    places = [folder / TESTS, *{job.file.absolute() for job in plugin.jobs if job.operator}]
    found = [str(place) for place in places if place.exists()]
    code = pytest.main([*OPTIONS, f"--rootdir={folder}", f"--confcutdir={folder}", *found], plugins=[plugin])
    return {pytest.ExitCode.OK: 0, pytest.ExitCode.INTERRUPTED: 130}.get(pytest.ExitCode(code), 1)
