"""`make bench-deciders`: somebody else than the planner decides, one command after another; does it get there?

    python tests/bench_deciders.py [--tasks N] [--n N] [--deciders qwen chance] [--llm NAME] [--out DIR]

The first of LIBERO's tasks in each of its four suites, in their first initial states, from the task's own goal; the
clock paused, perception `oracle`. `qwen` is what `tamp live --decider qwen` does; `chance` draws one of the commands
that could be given then. Success is LIBERO's `check_success()` at the end. Goes on where it was interrupted.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from llm.models.load import load
from llm.planner.deciding import Advisor, commands
from tamp.agent.director import Decide, DecisionRequest
from tamp.backends.libero import rendering
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.goals import goal_regions, task_goal
from tamp.backends.libero.oracle import OraclePerceiver
from tamp.backends.libero.tasks import suite_tasks
from tamp.model.state import problem_of
from tamp.pddl.domain_file import load as load_domain
from tamp.planning.assistant import JournalBuffer
from tamp.planning.deliberation import Ready, Thought
from tamp.quiet import hush_simulator, hush_warnings
from tamp.runs.bench.records import wilson
from tests.bench import keep, read, resumed
from tests.live_sessions import Live, direct, session_on

SUITES = ("libero_spatial", "libero_object", "libero_goal", "libero_10")
MOST_SECONDS = 180.0
"""Of the simulation, for a task."""
Record = dict[str, Any]


def chance(rng: np.random.Generator) -> Decide:
    """Any of the commands that can be given."""
    domain = load_domain("tabletop")

    def decide(asked: DecisionRequest) -> Thought[str]:
        valid = commands(problem_of(domain, asked.state, asked.goal.parts), asked)
        return Ready(str(rng.choice(valid)) if valid else "")

    return decide


def episode(environment: LiberoEnvironment, decide: Decide) -> Record:
    """One task, decided for."""
    began = time.perf_counter()
    perceiver = OraclePerceiver(environment, goal_regions(environment))
    live: Live = session_on(environment, perceiver, environment.robot_model(), "")
    director = direct(live, decide)
    live.session.pursue(task_goal(environment, perceiver.perceive()))
    (deciding,) = live.session.activities
    live.run(MOST_SECONDS, lambda: deciding.over)
    live.run(1.0)
    return {
        "success": environment.check_success(),
        "decisions": director.asked,
        "orders": [list(told) for told in director.before],
        "reason": deciding.waits_for or None,
        "seconds": round(time.perf_counter() - began, 1),
    }


def table(records: list[Record]) -> Iterator[str]:
    """Successes by who decided and by suite, and how many commands were refused (a false `end` too) or failed."""
    for decider in dict.fromkeys(r["decider"] for r in records):
        for suite in (*SUITES, None):
            some = [r for r in records if r["decider"] == decider and suite in (None, r["suite"])]
            good, n = sum(r["success"] for r in some), len(some)
            if n:
                low, high = wilson(good, n)
                rate = f"{good}/{n} = {100 * good / n:.1f} % ({100 * low:.1f} to {100 * high:.1f})"
                asked, became = sum(r["decisions"] for r in some), [told for r in some for _, told in r["orders"]]
                refused, failed = (sum(t.startswith(kind) for t in became) for kind in ("refused", "failed"))
                yield f"{decider:7} {suite or 'all':15} {rate}; decisions {asked}, refused {refused}, failed {failed}"


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tasks", type=int, default=5, help="of each suite")
    parser.add_argument("--n", type=int, default=5, help="initial states of each task")
    parser.add_argument("--deciders", nargs="+", choices=("qwen", "chance"), default=["qwen", "chance"])
    parser.add_argument("--llm", default="qwen2.5-coder-1.5b")
    parser.add_argument("--out", type=Path, default=Path("results/deciders"))
    asked = parser.parse_args()
    hush_warnings()
    rendering.prepare(video=False)
    results = asked.out / f"{asked.llm}.jsonl"
    had = {(r["decider"], r["suite"], r["task_id"], r["init_state"]) for r in resumed(results)}
    deciders: dict[str, Decide] = {
        "qwen": Advisor(load(asked.llm), load_domain("tabletop"), JournalBuffer()),
        "chance": chance(np.random.default_rng(0)),
    }
    for k in range(asked.n):
        for suite in SUITES:
            for task in suite_tasks(suite)[: asked.tasks]:
                due = [d for d in asked.deciders if (d, suite, task.task_id, k) not in had]
                for decider in due:
                    with hush_simulator():
                        environment = LiberoEnvironment(task, init_state=k)
                        try:
                            record = episode(environment, deciders[decider])
                        finally:
                            environment.close()
                    record = {"decider": decider, "suite": suite, "task_id": task.task_id, "init_state": k} | record
                    keep(results, record)
    sys.stdout.writelines(f"{line}\n" for line in table(read(results)))


if __name__ == "__main__":
    main()
