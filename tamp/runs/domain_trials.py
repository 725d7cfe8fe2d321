"""`tamp test` under pytest: the cases of a domain folder as pytest items."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from tamp.backends.libero.environment import Scenes
from tamp.backends.libero.scene_description import Task
from tamp.errors import TampError, is_interrupt
from tamp.model.domain import Domain
from tamp.runs import case_runner
from tamp.runs.cases import TESTS, Case, SceneCase
from tamp.runs.episode import GoalSource, Result, Settings
from tamp.runs.episode_log import read
from tamp.runs.episode_runner import run_episode
from tamp.runs.goal_origin import GoalOrigin
from tamp.runs.worlds import InLibero

OPTIONS = (
    *("-c", os.devnull),  # not the configuration of a project around the folder
    *("-p", "no:cacheprovider"),
    *("-p", "no:warnings"),
    *("-v", "-rs", "--no-header", "--import-mode=importlib", "--continue-on-collection-errors"),
)
"""Of pytest."""


@dataclass(frozen=True)
class Trial:
    """The result of one test. `what` is a case's file or the id of a test in Python, `verdict` passed,
    failed or skipped, `goal` what was asked for; `seconds` wall time; `out` the folder of the last episode."""

    what: str
    verdict: str
    scene: str = ""
    seed: int | None = None
    goal: str | list[str] | None = None
    reason: str | None = None
    plan: list[str] = field(default_factory=list)
    steps: int = 0
    seconds: float = 0.0
    out: str | None = None


def problem_trial(case: Case, what: str) -> Trial:
    """Whether everything that a case about a problem expects comes out so."""
    wrong = [o for o in case_runner.run(case) if not o.agrees]
    reason = "; ".join(f"{o.what}: expected {o.expected}, came out {o.found}" for o in wrong)
    return Trial(what, "failed" if wrong else "passed", reason=reason or None)


@dataclass(frozen=True, eq=False)
class SceneTrials:
    """Runs trials as episodes, whose folders are made in `logs`. TampError with the reason where an episode ends
    without a result."""

    domain: Domain
    logs: Path
    scenes: Scenes = field(default_factory=Scenes)

    def case(self, case: SceneCase, what: str, task: Task, seed: int, source: GoalSource) -> Trial:
        """Whether what a case asks for is reached, or refused, as it expects."""
        result, moved = self._episode(what, task, seed, source, case.instruction)
        misread = case.misread(result.goal)
        if case.expect == "reached":
            return _trial(what, task, seed, result, misread or _not_reached(result))
        trial = _trial(what, task, seed, result, misread or _not_refused(result, moved))
        return trial if trial.reason else replace(trial, reason=f"refused: {result.reason}")

    def _episode(self, what: str, task: Task, seed: int, source: GoalSource, said: str | None) -> tuple[Result, bool]:
        """The result of an episode, and whether an action was begun in it."""
        name = f"{what}-{task.name}-{seed}".replace(".toml", "").replace("/", "-")
        numbered = (self.logs / f"{name}{f'-{n}' if n else ''}" for n in itertools.count())
        folder = next(f for f in numbered if not f.exists())
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


def _trial(what: str, task: Task, seed: int, result: Result, wrong: str | None) -> Trial:
    """A trial that failed where something is wrong."""
    verdict = "failed" if wrong else "passed"
    return Trial(what, verdict, task.name, seed, result.goal, wrong, result.plan, result.steps, out=result.out)


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
    """A case in one of its scenes; `name` is that of its pytest item. `run` gives a trial, or raises TampError with the
    reason of a failure."""

    file: Path
    what: str
    name: str
    run: Callable[[], Trial]
    scene: str = ""


class DomainTests:
    """A pytest plugin: collects jobs by their files, runs them in their order, and keeps a trial of every test. The
    episodes' logs are in the folder `logs`."""

    def __init__(self, domain: Domain, jobs: Sequence[Job], logs: Path) -> None:
        self.folder, self.jobs, self.logs = domain.path.parent, jobs, logs
        self.trials: dict[str, Trial] = {}

    def run(self) -> int:
        """Run the folder's tests; pytest prints on standard output. 0 when all passed, 1 when one failed, 130 after
        Ctrl-C."""
        folder = self.folder.absolute()
        files = {folder / TESTS, *(job.file.absolute() for job in self.jobs)}
        found = [str(file) for file in sorted(files) if file.exists()]
        code = pytest.main([*OPTIONS, f"--rootdir={folder}", f"--confcutdir={folder}", *found], plugins=[self])
        return {pytest.ExitCode.OK: 0, pytest.ExitCode.INTERRUPTED: 130}.get(pytest.ExitCode(code), 1)

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        """The jobs of a file."""
        jobs = [job for job in self.jobs if job.file.absolute() == file_path]
        return _File.from_parent(parent, path=file_path, jobs=jobs, plugin=self) if jobs else None

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Tests in Python first, then the jobs."""
        items.sort(key=lambda item: self.jobs.index(item.job) if isinstance(item, _Item) else -1)

    def try_(self, job: Job) -> Trial:
        """The trial of a job. Files of the domain's folder are called as the folder was named."""
        start = time.perf_counter()
        try:
            trial = job.run()
        except TampError as error:
            trial = Trial(job.what, "failed", job.scene, reason=str(error))
        reason = trial.reason and " ".join(trial.reason.replace(f"{self.folder.resolve()}/", f"{self.folder}/").split())
        return replace(trial, reason=reason, seconds=round(time.perf_counter() - start, 1))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep a trial of tests in Python, and of errors that nothing here foresees."""
        if report.nodeid not in self.trials and (report.when == "call" or not report.passed):
            reason = report.longreprtext.strip().rpartition("\n")[2] or None
            self.trials[report.nodeid] = Trial(
                report.nodeid, report.outcome, reason=reason, seconds=round(report.duration, 1)
            )

    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        """Show of a job that passed what it took."""
        shown = dict(report.user_properties).get("shown")
        return ("passed", ".", f"PASSED {shown}") if report.when == "call" and report.passed and shown else None


class _File(pytest.File):
    def __init__(self, *, jobs: Sequence[Job], plugin: DomainTests, **node: Any) -> None:
        super().__init__(**node)
        self.jobs, self.plugin = jobs, plugin

    def collect(self) -> Iterator[pytest.Item]:
        for job in self.jobs:
            yield _Item.from_parent(self, name=job.name, job=job, plugin=self.plugin)


class _Item(pytest.Item):
    def __init__(self, *, job: Job, plugin: DomainTests, **node: Any) -> None:
        super().__init__(**node)
        self.job, self.plugin = job, plugin

    def runtest(self) -> None:
        try:
            trial = self.plugin.trials[self.nodeid] = self.plugin.try_(self.job)
        except Exception as error:
            if is_interrupt(error):
                raise KeyboardInterrupt from error
            raise
        if trial.verdict == "failed":
            pytest.fail(f"{trial.what}: {trial.reason}", pytrace=False)
        self.user_properties.append(("shown", f"{trial.steps} steps, {trial.seconds:.1f} s"))

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, self.name
