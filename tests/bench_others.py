"""`make bench-others`: every task's scene with the instruction of another task; is the exit code what happened?

LIBERO's 130 tasks in initial state 0, perception `oracle`, each with the instruction of the next task of its suite
whose scene has the same things, or of the next task where there is none, which may be about what is not there. `ok`:
the exit code of `tamp solve` agrees with the oracle of the formula that the words came to, or with LIBERO's own
predicates of the other task's goal, on a line of its own, where these can be asked in this scene.
"""

from __future__ import annotations

import contextlib
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from tamp.api.language import model as load_model
from tamp.api.sources import from_language
from tamp.backends.libero import rendering
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.scene_description import Task
from tamp.backends.libero.tasks import suite_tasks
from tamp.pddl.domain_file import load as load_domain
from tamp.quiet import hush_simulator, hush_warnings
from tamp.runs.episode import Settings
from tests.bench import Kept, Row
from tests.places import in_libero

SUITES = ("libero_spatial", "libero_object", "libero_goal", "libero_10", "libero_90")
ORACLE, LIBERO = "the oracle of the formula", "LIBERO's predicates"


def others(tasks: list[Task]) -> Iterator[tuple[Task, Task]]:
    """Each task with the next one about the same things, or just the next one."""
    things = [re.findall(r"\(:(?:fixtures|objects)[^)]*\)", t.bddl.read_text()) for t in tasks if t.bddl]
    for n, task in enumerate(tasks):
        after = [*range(n + 1, len(tasks)), *range(n)]
        alike = [k for k in after if things[k] == things[n] and tasks[k].instruction != task.instruction]
        yield task, tasks[(alike or after)[0]]


def bench(kept: Kept, n: int = 130, llm: str = "qwen2.5-coder-1.5b") -> Iterator[Row]:
    """Two rows an episode, of `n` tasks spread over the suites."""
    hush_warnings()
    rendering.prepare(video=False)
    domain, model = load_domain("tabletop"), load_model(llm)
    with hush_simulator():
        pairs = [pair for suite in SUITES for pair in others(suite_tasks(suite))]
    for task, other in pairs[:: max(1, len(pairs) // n)][:n]:
        done = [kept.has(f"{llm}: {task.name}: {judge}") for judge in (ORACLE, LIBERO)]
        if all(done):
            continue
        with (
            hush_simulator(),
            tempfile.TemporaryDirectory() as folder,
            contextlib.closing(LiberoEnvironment(task, init_state=0)) as environment,
        ):
            source = from_language(other.instruction, model, task, assume_first=False)
            settings = Settings(domain, init_state=0, said=other.instruction)
            result = in_libero(task, source, settings, Path(folder), lambda line: None, environment)
            holds = None if result.goal is None else _holds(other, environment)
        data = {"stage": result.stage if not result.good else "exit 0"}
        for judge, verdict in ((ORACLE, result.reached), (LIBERO, holds)):
            agrees = None if verdict is None else result.good == verdict
            detail = f"{other.instruction}: exit {int(not result.good)}, {judge} {verdict}, {result.goal}"
            yield Row(judge, agrees, {}, detail, f"{llm}: {task.name}: {judge}", data)


def _holds(other: Task, environment: LiberoEnvironment) -> bool | None:
    """What LIBERO's predicates say of another task's goal in this scene; None where it has not what they are about."""
    from libero.libero.envs.bddl_utils import robosuite_parse_problem

    try:
        goal = robosuite_parse_problem(str(other.bddl))["goal_state"]
        return all(bool(environment.domain._eval_predicate(state)) for state in goal)
    except KeyError:
        return None


def summary(rows: Sequence[Row]) -> Iterator[str]:
    """How the episodes ended."""
    yield ", ".join(f"{stage} {n}" for stage, n in Counter(r.data["stage"] for r in rows if r.line == ORACLE).items())
