"""Trials in real physics: episodes as `tamp solve` runs them, and their rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from tamp.backends.libero.scene_description import Task
from tamp.backends.libero.scenes import Scenes
from tamp.errors import InputError, TampError, disk_error, is_interrupt
from tamp.model.domain import Domain
from tamp.perception.observers import Observer
from tamp.runs.cases import run as symbolic
from tamp.runs.cases.case import Case
from tamp.runs.cases.scene_case import SceneCase
from tamp.runs.episode import GoalSource, Result, Settings
from tamp.runs.episode_log import read
from tamp.runs.episode_runner import run_episode
from tamp.runs.goal_origin import GoalOrigin
from tamp.runs.trials.effects import Effects
from tamp.runs.trials.trial import Trial
from tamp.runs.worlds import InLibero
from tamp.skills.registry import bound

TRIES = 4
"""Goals that motions are sought for, of one operator in one scene."""


@dataclass(frozen=True)
class Episode:
    """What an episode came to, whether an action was begun in it, and the error that ended it."""

    result: Result
    moved: bool = False
    error: str | None = None

    @property
    def not_reached(self) -> str | None:
        """Why what was asked for was not reached; None where it was."""
        if self.error or self.result.good:
            return self.error
        told = f"{self.result.stage}: {self.result.reason}"
        return told if self.result.reason else "it was done, and the goal does not hold"

    @property
    def not_refused(self) -> str | None:
        """Why it is no refusal; None where nothing moved and a reason was told."""
        if self.error or self.result.good:
            return self.error or "expected to be refused, and it was reached"
        told = f"expected to be refused, and it moved: {self.result.reason}"
        return None if self.result.reason and not self.moved else told

    @property
    def without_motions(self) -> bool:
        """Whether the goal could not be planned, with motions, before anything moved."""
        return self.error is None and not self.moved and self.result.stage in ("plan", "refinement")


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
        episode, refused = self._run(what, task, seed, source, case.instruction), case.expect == "refused"
        told = case.misread(episode.result.goal) or (episode.not_refused if refused else episode.not_reached)
        row = self._row(what, task, seed, episode.result, told, start)
        return replace(row, reason=f"refused: {episode.result.reason}") if refused and told is None else row

    def operator(self, name: str, task: Task, seed: int) -> Trial:
        """Whether an operator of the domain's own does what it says of something in a scene."""
        start, why = time.perf_counter(), ""
        source = Effects(name, np.random.default_rng(seed), self.observers)
        for _ in range(TRIES):
            episode = self._run(name, task, seed, source, None)
            result = episode.result
            if episode.error is None and result.stage == "goal":
                break
            if not episode.without_motions:
                row = self._row(name, task, seed, result, episode.not_reached, start)
                return replace(row, goal=str(source.given[-1])) if source.given else row
            why = why or str(result.reason)
        if not source.given:
            row = self._row(name, task, seed, result, result.reason, start)
            return replace(row, verdict="not tried")
        goals = ", ".join(map(str, source.given))
        row = self._row(name, task, seed, result, f"no motions for {goals}: {why}", start)
        return replace(row, goal=str(source.given[0]))

    def _run(self, what: str, task: Task, seed: int, source: GoalSource, said: str | None) -> Episode:
        """An episode. A disk that takes no more: InputError."""
        folder = self._folder(f"{what}-{task.name}-{seed}")
        try:
            settings = Settings(self.domain, seed=seed, said=said, origin=GoalOrigin("test", what))
            place = InLibero(self.scenes.of(task, seed))
            result = run_episode(place, task, source, settings, folder, self.say)
            return Episode(result, any(event["event"] == "action" for event in read(folder / "episode.jsonl")))
        except TampError as error:
            return Episode(Result(out=str(folder)), error=str(error))
        except Exception as error:
            if is_interrupt(error):
                raise
            if full := disk_error(error):
                raise InputError(f"cannot write to {full.filename or folder}: {full.strerror}") from error
            self.scenes.forget()
            told = f"{type(error).__name__}: {error} (a fault of tamp; TAMP_DEBUG=1 tamp solve … shows where)"
            return Episode(Result(out=str(folder)), error=told)

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
