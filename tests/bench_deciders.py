"""`make bench-deciders`: a model, or chance, decides in the planner's place, one command after another.

The first tasks of four suites of LIBERO in their first initial states, from the task's own goal; the clock paused,
perception `oracle`. `qwen` is what `tamp live --decider qwen` does; `chance` draws one of the commands that could be
given then. `ok` is LIBERO's `check_success()` at the end.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from llm.models.load import load
from llm.planner.deciding import Advisor, commands
from tamp.agent.director import Decide, DecisionRequest
from tamp.backends.libero import rendering
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.goals import goal_regions, task_goal
from tamp.backends.libero.oracle import OraclePerceiver
from tamp.backends.libero.scene_description import Task
from tamp.backends.libero.tasks import suite_tasks
from tamp.model.state import problem_of
from tamp.pddl.domain_file import load as load_domain
from tamp.planning.assistant import JournalBuffer
from tamp.planning.deliberation import Ready, Thought
from tamp.quiet import hush_simulator, hush_warnings
from tests.bench import Kept, Row, grouped
from tests.live_sessions import direct, session_on

SUITES = ("libero_spatial", "libero_object", "libero_goal", "libero_10")
MOST_SECONDS = 180.0
"""Of the simulation, for a task."""


def chance(rng: np.random.Generator) -> Decide:
    """Any of the commands that can be given."""
    domain = load_domain("tabletop")

    def decide(asked: DecisionRequest) -> Thought[str]:
        valid = commands(problem_of(domain, asked.state, asked.goal.parts), asked)
        return Ready(str(rng.choice(valid)) if valid else "")

    return decide


def bench(
    kept: Kept,
    tasks: int = 5,
    n: int = 5,
    deciders: tuple[str, ...] = ("qwen", "chance"),
    llm: str = "qwen2.5-coder-1.5b",
) -> Iterator[Row]:
    """A row an episode: `n` initial states of the first `tasks` of each suite."""
    hush_warnings()
    rendering.prepare(video=False)
    decide: dict[str, Decide] = {"chance": chance(np.random.default_rng(0))}
    if "qwen" in deciders:
        decide["qwen"] = Advisor(load(llm), load_domain("tabletop"), JournalBuffer())
    for state, suite in product(range(n), SUITES):
        with hush_simulator():
            chosen = suite_tasks(suite)[:tasks]
        for task, decider in product(chosen, deciders):
            case = f"{decider} {llm}: {suite}/{task.task_id}, state {state}"
            if not kept.has(case):
                yield _episode(task, state, decide[decider], f"{decider}, {suite}", case)


def _episode(task: Task, state: int, decide: Decide, line: str, case: str) -> Row:
    """One task, decided for."""
    with hush_simulator(), contextlib.closing(LiberoEnvironment(task, init_state=state)) as environment:
        perceiver = OraclePerceiver(environment, goal_regions(environment))
        live = session_on(environment, perceiver, environment.robot_model(), "")
        director = direct(live, decide)
        live.session.pursue(task_goal(environment, perceiver.perceive()))
        (deciding,) = live.session.activities
        live.run(MOST_SECONDS, lambda: deciding.over)
        live.run(1.0)
        answers = [answer for _, answer in director.before]
        data = {kind: sum(a.startswith(kind) for a in answers) for kind in ("refused", "failed")}
        values = {"decisions": float(director.asked)}
        return Row(line, environment.check_success(), values, deciding.waits_for or "not reached", case, data)


def summary(rows: Sequence[Row]) -> Iterator[str]:
    """How many commands were refused (a false `end` too) or failed."""
    for line, some in grouped(rows).items():
        yield f"{line}: " + ", ".join(f"{kind} {sum(r.data[kind] for r in some)}" for kind in ("refused", "failed"))
