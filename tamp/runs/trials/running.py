"""Trials in real physics: episodes as `tamp solve` runs them, and their rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from tamp.backends.libero.run import GoalSource, Result, Settings, run
from tamp.backends.libero.scenes import Scenes
from tamp.backends.libero.tasks import Task
from tamp.errors import InputError, TampError, disk_error, is_interrupt
from tamp.model.domain import Domain
from tamp.perception.observers import Observer
from tamp.runs.cases import run as symbolic
from tamp.runs.cases.case import Case
from tamp.runs.cases.scene_case import SceneCase
from tamp.runs.trials.effects import Effects
from tamp.runs.trials.trial import Trial
from tamp.skills.registry import bound

TRIES = 4
"""Goals that motions are sought for, of one operator in one scene."""


@dataclass(eq=False)
class Trials:
    """Runs trials of a domain; episodes' folders are made in `logs`."""

    domain: Domain
    logs: Path
    say: Callable[[str], None]
    scenes: Scenes = field(default_factory=Scenes)

    @cached_property
    def observers(self) -> Mapping[str, Observer]:
        """Of the domain's own predicates."""
        return bound(self.domain).observers

    def problem(self, case: Case, what: str) -> Trial:
        """Whether everything that a case about a problem expects comes out so."""
        start = time.perf_counter()
        try:
            wrong = [o for o in symbolic.run(case) if not o.agrees]
            told = "; ".join(f"{o.what}: expected {o.expected}, came out {o.found}" for o in wrong)
        except InputError as error:
            told = str(error)
        return Trial(what, "failed" if told else "passed", reason=told or None, seconds=_since(start))

    def case(self, case: SceneCase, what: str, task: Task, seed: int, source: GoalSource) -> Trial:
        """Whether what a case asks for is reached, or refused, as it expects."""
        start = time.perf_counter()
        result, error = self._run(what, task, seed, source, case.instruction)
        judged = _not_refused if case.expect == "refused" else _not_reached
        told = error or case.misread(result.goal) or judged(result)
        row = self._row(what, task, seed, result, told, start)
        return replace(row, reason=f"refused: {result.reason}") if told is None and case.expect == "refused" else row

    def operator(self, name: str, task: Task, seed: int) -> Trial:
        """Whether an operator of the domain's own does what it says of something in a scene."""
        start, why = time.perf_counter(), ""
        source = Effects(name, np.random.default_rng(seed), self.observers)
        for _ in range(TRIES):
            result, error = self._run(name, task, seed, source, None)
            if error is None and result.stage == "goal":
                break
            if error is not None or not _without_motions(result):
                row = self._row(name, task, seed, result, error or _not_reached(result), start)
                return replace(row, goal=str(source.given[-1])) if source.given else row
            why = why or str(result.reason)
        if not source.given:
            row = self._row(name, task, seed, result, result.reason, start)
            return replace(row, verdict="not tried")
        goals = ", ".join(map(str, source.given))
        row = self._row(name, task, seed, result, f"no motions for {goals}: {why}", start)
        return replace(row, goal=str(source.given[0]))

    def _run(
        self, what: str, task: Task, seed: int, source: GoalSource, said: str | None
    ) -> tuple[Result, str | None]:
        """An episode's result, or an empty one and what went wrong. A disk that takes no more: InputError."""
        folder = self._folder(f"{what}-{task.name}-{seed}")
        try:
            environment = self.scenes.of(task, seed)
            return run(task, source, Settings(self.domain, seed=seed, said=said), folder, self.say, environment), None
        except TampError as error:
            return Result(out=str(folder)), str(error)
        except Exception as error:
            if is_interrupt(error):
                raise
            if full := disk_error(error):
                raise InputError(f"cannot write to {full.filename or folder}: {full.strerror}") from error
            self.scenes.forget()
            told = f"{type(error).__name__}: {error} (a fault of tamp; TAMP_DEBUG=1 tamp solve … shows where)"
            return Result(out=str(folder)), told

    def _row(self, what: str, task: Task, seed: int, result: Result, told: str | None, start: float) -> Trial:
        """A trial that failed where something is told of it; files of the domain's folder are told as it is named."""
        if told is not None:
            folder = self.domain.path.parent
            told = " ".join(told.replace(f"{folder.resolve()}/", f"{folder}/").split())
        return Trial(
            what,
            "failed" if told else "passed",
            task.name,
            seed,
            result.goal,
            told,
            result.plan,
            result.steps,
            _since(start),
            result.out,
        )

    def _folder(self, name: str) -> Path:
        """A folder of the logs that is not there yet."""
        plain = name.removesuffix(".toml").replace("/", "-")
        names = (f"{plain}{f'-{n}' if n else ''}" for n in range(10_000))
        return next(self.logs / n for n in names if not (self.logs / n).exists())


def _since(start: float) -> float:
    return round(time.perf_counter() - start, 1)


def _not_reached(result: Result) -> str | None:
    """Why what was asked for was not reached; None where it was."""
    if result.good:
        return None
    return f"{result.stage}: {result.reason}" if result.reason else "it was done, and the goal does not hold"


def _not_refused(result: Result) -> str | None:
    """Why it is no refusal; None where nothing moved and a reason was told."""
    if result.good:
        return "expected to be refused, and it was reached"
    return None if result.reason and not result.steps else f"expected to be refused, and it moved: {result.reason}"


def _without_motions(result: Result) -> bool:
    """Whether the goal could not be planned, with motions, before anything moved."""
    return not result.good and not result.steps and result.stage in ("plan", "refinement")
