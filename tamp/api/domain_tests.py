"""Test a domain folder by its cases."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import TYPE_CHECKING

from tamp.api import arguments, language
from tamp.api.solving import EPISODES
from tamp.api.sources import from_language, from_pddl
from tamp.api.tool_configs import TestConfig
from tamp.errors import InputError
from tamp.quiet import hush_simulator

if TYPE_CHECKING:
    from tamp.api.language import Model
    from tamp.backends.libero.scene_description import Task
    from tamp.model.domain import Domain
    from tamp.runs.cases import SceneCase
    from tamp.runs.domain_trials import DomainTests, Job, SceneTrials
    from tamp.runs.episode import GoalSource


def collect(config: TestConfig) -> DomainTests:
    """The tests of a folder that has nothing wrong with it. InputError where there is nothing to test, or a case is
    wrong."""
    from tamp.backends.libero import rendering
    from tamp.runs.episode_log import new_folder

    domain = arguments.domain(config.folder)
    rendering.prepare(video=False)
    with hush_simulator():
        from tamp.runs.domain_trials import DomainTests, SceneTrials

        trials = SceneTrials(domain, new_folder(EPISODES, f"test-{domain.path.resolve().parent.name}"))
        jobs = sorted(_cases(config, trials), key=lambda job: job.scene)
    if not jobs and not list(domain.path.parent.glob("tests/test_*.py")):
        valid = "valid: cases tests/*.toml in it, or tests in Python, tests/test_*.py"
        raise InputError(f"{config.folder} has nothing to test; {valid}")
    return DomainTests(domain, jobs, trials.logs)


def _cases(config: TestConfig, trials: SceneTrials) -> Iterator[Job]:
    """The folder's cases. InputError for what is wrong in one."""
    from tamp.backends.libero import tasks
    from tamp.runs.cases import SceneCase, cases_of
    from tamp.runs.domain_trials import Job, problem_trial

    model = partial(cache(language.model), config.llm)
    for path, case in cases_of(trials.domain.path.parent):
        what = f"{path.parent.name}/{path.name}"
        if not isinstance(case, SceneCase):
            yield Job(path, what, "problem", partial(problem_trial, case, what))
            continue
        try:
            task = tasks.find(case.scene)
        except InputError as error:
            raise case.wrong(error, "scene") from error
        source = _source(case, task, trials.domain, model)
        for seed in case.seeds if config.seeds is None else range(config.seeds):
            run = partial(trials.case, case, what, task, seed, source)
            yield Job(path, what, f"{case.scene} seed {seed}", run, case.scene)


def _source(case: SceneCase, task: Task, domain: Domain, model: Callable[[], Model]) -> GoalSource:
    """Where the goals of a case come from."""
    if case.instruction is not None:
        return from_language(case.instruction, model(), task, assume_first=False)
    try:
        return from_pddl(list(case.goals), [], domain)
    except InputError as error:
        raise case.wrong(error, "goal") from error
