"""A domain folder tried out: its cases, and its own operators on drawn scenes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from tamp.api import arguments, language
from tamp.api.solving import EPISODES
from tamp.api.sources import from_language, from_pddl
from tamp.errors import InputError, is_interrupt
from tamp.quiet import debugging, hush_simulator

if TYPE_CHECKING:
    from tamp.api.language import Model
    from tamp.backends.libero.scene_description import Task
    from tamp.model.domain import Domain
    from tamp.runs.cases.scene_case import SceneCase
    from tamp.runs.episode import GoalSource
    from tamp.runs.trials.running import Trials
    from tamp.runs.trials.trial import Trial

    Job = Callable[[], Trial]

SCENES = ("mug_in_drawer", "libero_goal/0")
"""Where operators are tried that no case has, unless scenes are given."""
Counted = Callable[[str, int], "AbstractContextManager[Callable[[str], None]]"]
"""Is told what is begun and how many there are of it; yields what is told a line about each that is done."""


@dataclass(frozen=True)
class Request:
    """What is to be tried. `seeds` is how many draws of each scene; None: those that a case says, else one. `scenes`
    are those for operators that no case has."""

    folder: str
    seeds: int | None
    scenes: list[str]
    llm: str

    def draws(self, said: Sequence[int] = (0,)) -> Sequence[int]:
        """The seeds by which a scene is drawn."""
        return said if self.seeds is None else range(self.seeds)


@dataclass(frozen=True)
class Tried:
    """What came of it: the `trials`, those until Ctrl-C where it was `interrupted`, and the folder of their `logs`,
    None where nothing was done."""

    trials: tuple[Trial, ...]
    interrupted: bool
    logs: Path | None

    def __bool__(self) -> bool:
        return not self.interrupted and all(t.verdict != "failed" for t in self.trials)

    def table(self) -> str:
        """The trials for people, and how many passed."""
        from tamp.runs.trials.trial import table

        came_to = Counter(t.verdict for t in self.trials)
        untried = f", {came_to['not tried']} not tried" if came_to["not tried"] else ""
        return f"{table(self.trials).text()}\n{came_to['passed']} of {len(self.trials)} passed{untried}\n"


def tried(asked: Request, counted: Counted) -> Tried:
    """Try a folder that has nothing wrong with it. InputError where there is nothing to try, or a case is wrong."""
    from tamp.backends.libero import rendering
    from tamp.runs.episode_log import new_folder

    domain = arguments.domain(asked.folder)
    rendering.prepare(video=False)
    with hush_simulator():
        from tamp.runs.trials.effects import own_operators
        from tamp.runs.trials.running import Trials

        trials = Trials(domain, new_folder(EPISODES, f"test-{domain.path.resolve().parent.name}"), lambda line: None)
        cases, own = _case_jobs(asked, trials), own_operators(domain)
        tasks = [_task(name) for name in asked.scenes or SCENES] if own else []
        if not cases and not own:
            valid = "valid: cases tests/*.toml in it, or operators with a skill or an effect of its own"
            raise InputError(f"{asked.folder} has nothing to try; {valid}")
        rows: list[Trial] = []
        try:
            _run("cases", cases, rows, counted)
            covered = frozenset[str]().union(*(row.operators for row in rows))
            left = [o for o in own if o not in covered]
            _run("operators", _operator_jobs(asked, trials, tasks, left), rows, counted)
        except (KeyboardInterrupt, Exception) as error:
            if debugging() or not is_interrupt(error):
                raise
            return Tried(tuple(rows), True, None)
    logs = trials.logs if any(row.out for row in rows) else None
    return Tried(tuple(_with_failures(rows, left)), False, logs)


def _run(what: str, jobs: list[Job], rows: list[Trial], counted: Counted) -> None:
    from tamp.runs.trials.trial import told

    if jobs:
        with counted(what, len(jobs)) as advance:
            for job in jobs:
                rows.append(job())
                advance(told(rows[-1]))


def _case_jobs(asked: Request, trials: Trials) -> list[Job]:
    """The folder's cases, those in the same scene one after the other. InputError for what is wrong in one."""
    from tamp.runs.cases.scene_case import SceneCase, cases_of

    folder, model = trials.domain.path.parent, partial(cache(language.model), asked.llm)
    jobs: list[tuple[str, Job]] = []
    for case in cases_of(folder):
        if not isinstance(case, SceneCase):
            jobs.append(("", partial(trials.problem, case, f"{case.folder.name}/{case.file}")))
            continue
        try:
            task = _task(case.scene)
        except InputError as error:
            raise case.wrong(error, "scene") from error
        source, what = _source(case, task, trials.domain, model), f"{case.path.parent.name}/{case.path.name}"
        jobs += [(case.scene, partial(trials.case, case, what, task, s, source)) for s in asked.draws(case.seeds)]
    return [job for _, job in sorted(jobs, key=lambda named: named[0])]


def _operator_jobs(asked: Request, trials: Trials, tasks: list[Task], operators: list[str]) -> list[Job]:
    return [partial(trials.operator, o, task, seed) for task in tasks for o in operators for seed in asked.draws()]


def _source(case: SceneCase, task: Task, domain: Domain, model: Callable[[], Model]) -> GoalSource:
    """Where the goals of a case come from."""
    if case.instruction is not None:
        return from_language(case.instruction, model(), task, assume_first=False)
    try:
        return from_pddl(list(case.goals), [], domain)
    except InputError as error:
        raise case.wrong(error, "goal") from error


def _task(name: str) -> Task:
    from tamp.backends.libero import tasks

    return tasks.find(name)


def _with_failures(rows: list[Trial], operators: Collection[str]) -> list[Trial]:
    """What could be tried in no scene has failed, too."""
    tried = {row.what for row in rows if row.verdict != "not tried"}
    unknown = [o for o in operators if o not in tried]
    return [replace(row, verdict="failed") if row.what in unknown else row for row in rows]
