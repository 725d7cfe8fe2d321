"""`make bench-others`: every task's scene with the instruction of another task; is the exit code what happened?

    python tests/bench_others.py [--every N] [--llm NAME] [--out DIR]

LIBERO's 130 tasks in initial state 0, perception `oracle`, each with the instruction of the next task of its suite
whose scene has the same things, or where there is none of the next task, which may be about what is not there. The exit
code of `tamp solve` is compared with two judges on the simulator's side: the oracle of the formula that the words came
to, and LIBERO's own predicates of the other task's goal, where these can be asked here. Goes on where it was
interrupted.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from llm.models.language_model import Model
from tamp.api.language import model as load_model
from tamp.api.sources import from_language
from tamp.backends.libero import rendering
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.scene_description import Task
from tamp.backends.libero.tasks import suite_tasks
from tamp.model.domain import Domain
from tamp.pddl.domain_file import load as load_domain
from tamp.quiet import hush_simulator, hush_warnings
from tamp.runs.episode import Settings
from tests.bench import keep, read, resumed
from tests.places import in_libero as run

SUITES = ("libero_spatial", "libero_object", "libero_goal", "libero_10", "libero_90")
Record = dict[str, Any]


def others(tasks: list[Task]) -> Iterator[tuple[Task, Task]]:
    """Each task with the next one about the same things, or just the next one."""
    things = [_things(t.bddl.read_text()) for t in tasks]
    for n, task in enumerate(tasks):
        after = [*range(n + 1, len(tasks)), *range(n)]
        alike = [k for k in after if things[k] == things[n] and tasks[k].instruction != task.instruction]
        yield task, tasks[(alike or after)[0]]


def _things(bddl: str) -> tuple[str, ...]:
    """The fixtures and objects that a scene's file declares."""
    return tuple(" ".join(re.findall(rf"\(:{part}([^)]*)\)", bddl)).strip() for part in ("fixtures", "objects"))


def episode(task: Task, other: Task, model: Model, domain: Domain) -> Record:
    """One task's scene, with another's instruction."""
    begun = time.perf_counter()
    with hush_simulator(), tempfile.TemporaryDirectory() as folder:
        environment = LiberoEnvironment(task, init_state=0)
        source = from_language(other.instruction, model, task, assume_first=False)
        settings = Settings(domain, init_state=0, said=other.instruction)
        try:
            result = run(task, source, settings, Path(folder), lambda line: None, environment)
            holds = _holds(other, environment)
        finally:
            environment.close()
    told = {"task": task.name, "other": other.name, "text": other.instruction, "exit": 0 if result.good else 1}
    told |= {"reached": result.reached, "libero": holds, "task_verdict": result.task, "goal": result.goal}
    return told | {"stage": result.stage, "reason": result.reason, "seconds": round(time.perf_counter() - begun, 1)}


def _holds(other: Task, environment: LiberoEnvironment) -> bool | None:
    """What LIBERO's predicates say of another task's goal in this scene; None where it has not what they are about."""
    from libero.libero.envs.bddl_utils import robosuite_parse_problem

    try:
        goal = robosuite_parse_problem(str(other.bddl))["goal_state"]
        return all(bool(environment.domain._eval_predicate(state)) for state in goal)
    except KeyError:
        return None


def table(records: list[Record]) -> Iterator[str]:
    """How often the exit code and the judges agree, and where they do not."""
    n, done = len(records), [r for r in records if r["exit"] == 0]
    yield f"{n} episodes, exit 0 in {len(done)}, of the others " + ", ".join(
        f"{stage} {count}" for stage, count in Counter(r["stage"] for r in records if r["exit"]).most_common()
    )
    against = [r for r in records if (r["exit"] == 0) != r["reached"]]
    yield f"exit code against the oracle of the formula: {len(against)} disagreements"
    yield from (f"    {r['task']}: {r['text']}: exit {r['exit']}, {r['reason']}" for r in against)
    asked = [r for r in records if r["libero"] is not None and r["goal"] is not None]
    unlike = [r for r in asked if (r["exit"] == 0) != r["libero"]]
    yield f"... against LIBERO's predicates of the other task, where they can be asked: {len(unlike)} of {len(asked)}"
    yield from (f"    {r['task']}: {r['text']}: exit {r['exit']}, LIBERO {r['libero']}, {r['goal']}" for r in unlike)


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only each Nth task")
    parser.add_argument("--llm", default="qwen2.5-coder-1.5b")
    parser.add_argument("--out", type=Path, default=Path("results/others"))
    asked = parser.parse_args()
    hush_warnings()
    rendering.prepare(video=False)
    asked.out.mkdir(parents=True, exist_ok=True)
    results, domain, model = asked.out / f"{asked.llm}.jsonl", load_domain("tabletop"), load_model(asked.llm)
    with hush_simulator():
        pairs = [pair for suite in SUITES for pair in others(suite_tasks(suite))][:: asked.every]
    had = {r["task"] for r in resumed(results)}
    for task, other in pairs:
        if task.name not in had:
            keep(results, episode(task, other, model, domain))
    sys.stdout.writelines(f"{line}\n" for line in table(read(results)))


if __name__ == "__main__":
    main()
