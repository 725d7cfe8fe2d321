"""`tamp test`: a domain folder's cases, and its own operators on drawn scenes, as a table."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any, TextIO

from cli.check import as_json, counted, shown
from cli.output import INTERRUPTED, emit_json, progress, say
from tamp.api import arguments
from tamp.api.language import model as load_model
from tamp.api.solving import EPISODES
from tamp.api.sources import from_language, from_pddl
from tamp.errors import InputError, is_interrupt
from tamp.quiet import debugging, hush_simulator, quiet_stdout

if TYPE_CHECKING:
    from llm.model import Model
    from tamp.backends.libero.tasks import Task
    from tamp.lint.check import Report
    from tamp.model.domain import Domain
    from tamp.runs.cases.scene_case import SceneCase
    from tamp.runs.episode import GoalSource
    from tamp.runs.trials.running import Trials
    from tamp.runs.trials.trial import Trial

    Job = Callable[[], Trial]

SCENES = ("mug_in_drawer", "libero_goal/0")
"""Where operators are tried that no case has, unless scenes are given."""
PASSED, FAILED, NOT_PDDL = 0, 1, 2


@dataclass(frozen=True)
class Request:
    """What `tamp test` was asked for. `seeds` is how many draws of each scene; None: those that a case says, else one.
    `scenes` are those for operators that no case has."""

    folder: str
    seeds: int | None
    scenes: list[str]
    llm: str

    def draws(self, said: Sequence[int] = (0,)) -> Sequence[int]:
        """The seeds by which a scene is drawn."""
        return said if self.seeds is None else range(self.seeds)


def test(asked: Request, json_output: bool) -> int:
    """Check the folder, run everything, and print the table. 0 when all passed, 1 when something did not."""
    from tamp.lint.check import check

    with quiet_stdout() as stdout:
        report = check(asked.folder)
        if report.errors:
            return _not_checked(report, stdout, json_output)
        if report.findings:
            say(f"tamp: tamp check {asked.folder}: {counted(report)}")
        rows, interrupted = _tried(asked, arguments.domain(asked.folder))
        passed = not interrupted and all(row.verdict != "failed" for row in rows)
        if json_output:
            told: dict[str, Any] = as_json(report) | {"ok": passed, "trials": [row.as_dict() for row in rows]}
            emit_json(told, stdout)
        else:
            _table(rows, stdout)
    if interrupted:
        say("tamp: interrupted; these are the trials so far")
        return INTERRUPTED
    return PASSED if passed else FAILED


def _not_checked(report: Report, stdout: TextIO, json_output: bool) -> int:
    """What `tamp check` says of the folder, for which nothing is tried."""
    if json_output:
        emit_json(as_json(report) | {"trials": []}, stdout)
    else:
        stdout.write("".join(f"{shown(f)}\n" for f in report.findings))
    say(f"tamp: {counted(report)}, nothing was tried")
    return NOT_PDDL if report.unread else FAILED


def _tried(asked: Request, domain: Domain) -> tuple[list[Trial], bool]:
    """All trials, or those until Ctrl-C, and whether that was so."""
    from tamp.backends.libero import rendering
    from tamp.runs.episode_log import new_folder

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
            _run("cases", cases, rows)
            covered = frozenset[str]().union(*(row.operators for row in rows))
            left = [o for o in own if o not in covered]
            _run("operators", _operator_jobs(asked, trials, tasks, left), rows)
        except (KeyboardInterrupt, Exception) as error:
            if debugging() or not is_interrupt(error):
                raise
            return rows, True
    if any(row.out for row in rows):
        say(f"tamp: what was done is in {trials.logs}")
    return _with_failures(rows, left), False


def _run(what: str, jobs: list[Job], rows: list[Trial]) -> None:
    from tamp.runs.trials.trial import told

    if jobs:
        with progress(what, len(jobs)) as advance:
            for job in jobs:
                rows.append(job())
                advance(f"tamp: {told(rows[-1])}")


def _case_jobs(asked: Request, trials: Trials) -> list[Job]:
    """The folder's cases, those in the same scene one after the other. InputError for what is wrong in one."""
    from tamp.runs.cases.scene_case import SceneCase, cases_of

    folder, model = trials.domain.path.parent, partial(cache(load_model), asked.llm)
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


def _table(rows: list[Trial], stdout: TextIO) -> None:
    from tamp.runs.trials.trial import table

    stdout.write(table(rows).text())
    stdout.write(f"\n{sum(row.verdict == 'passed' for row in rows)} of {len(rows)} passed")
    untried = sum(row.verdict == "not tried" for row in rows)
    stdout.write(f", {untried} not tried\n" if untried else "\n")
