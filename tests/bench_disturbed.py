"""`make bench-disturbed`: every kind of disturbance, over tasks in which it can happen.

    python -m tests.bench_disturbed [--kinds KIND ...] [--perception oracle|camera] [--words] [--episodes N]
                                    [--without servo|monitor|repair ...] [--repair qwen|chance] [--develop]
                                    [--workers N] [--out DIR]

The task's goal is given, or with --words its sentence. LIBERO's check says what came of it; where the task cannot be
done any more (`taken`), what counts is a no with a reason that names the thing. Episodes in which nothing could be
disturbed count nowhere. With --repair the model, or chance, is asked where nothing else helps. Initial states from 0
on, or with --develop from 40 on. Goes on where it was interrupted.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np

from llm.planner.deciding import commands
from tamp.agent.decision_request import Question
from tamp.agent.recovery_options import REFLEXES
from tamp.api.bench_episodes import Runner, Setup, record
from tamp.api.configs import BenchConfig, SolveConfig
from tamp.backends.libero import rendering
from tamp.model.domain import Domain
from tamp.model.events import Journal
from tamp.model.state import problem_of
from tamp.planning.deliberation import Ready
from tamp.runs.bench import workers
from tamp.runs.bench.records import Record, Results, key
from tamp.runs.bench.scheduling import Key
from tamp.runs.episode import Settings
from tamp.runs.goal_origin import GoalOrigin
from tests.bench_perception import DEVELOP
from tests.bench_stepping import machine
from tests.left_out import share

Tasks = dict[str, tuple[int, ...]]
THINGS: Tasks = {
    "libero_spatial": (0, 2, 4, 5, 9),
    "libero_object": (0, 2, 4, 7),
    "libero_goal": (1, 2, 4, 6, 8),
    "libero_10": (0, 4, 5, 6, 8, 9),
}
"""Tasks in which things are carried."""
DRAWERS: Tasks = {"libero_goal": (3,), "libero_10": (3, 9), "libero_90": (2, 3, 4, 5, 8, 24, 26, 29, 32)}
"""Tasks in which something is put into what can be shut."""
KNOBS: Tasks = {"libero_10": (2,), "libero_90": (21, 45)}
"""Tasks in which a knob is turned before something else is done."""
HANDLES: Tasks = {"libero_goal": (0, 3), "libero_90": (6, 7, 8, 11, 23, 35)}
"""Tasks in which something is opened by its handle."""
PERIOD = 0.05
"""Seconds of a control step."""
NONE = "none"
"""Episodes that nobody disturbs, for comparison."""
WHERE: dict[str, Tasks] = {"shut": DRAWERS, "half-shut": DRAWERS, "turned-back": KNOBS, "slips": HANDLES}


def keys(kind: str, episodes: int, first: int) -> Iterator[Key]:
    """Episodes of a kind: all tasks in one initial state, then in the next one."""
    tasks = [(suite, n) for suite, ns in WHERE.get(kind, THINGS).items() for n in ns]
    every = (Key(suite, n, state) for state in range(first, first + 10) for suite, n in tasks)
    return islice(every, episodes)


def told(records: list[Record], kind: str) -> Iterator[str]:
    """What came of a kind."""
    from tamp.backends.libero.perturbation_schedule import IMPOSSIBLE

    hit = [r for r in records if r["disturbed"] or kind == NONE]
    if not hit:
        yield f"{kind:13} nothing was disturbed in {len(records)} episodes"
        return
    good = [r for r in hit if (_honest(r) if kind in IMPOSSIBLE else r["success"])]
    what = "told so" if kind in IMPOSSIBLE else "succeed"
    tasks = len({(r["suite"], r["task_id"]) for r in hit})
    steps = [r["steps"] for r in hit if r["success"]]
    middle = f", {np.median(steps):.0f} steps" if steps else ""
    yield f"{kind:13} {what}, %: {share(len(good), len(hit))}, {tasks} tasks{middle}{_noticed(hit)}"
    if verdicts := sum((Counter(r["verdicts"] or {}) for r in records), Counter[str]()):
        n = sum(verdicts.values())
        wrong = f"{verdicts['done']} called done that were not, {verdicts['undone']} the other way"
        yield f"    of {n} verdicts on actions {wrong}"
    for r in hit:
        if r not in good:
            yield f"    {r['suite']}/{r['task_id']}:{r['init_state']} {r['failure_stage']}: {r['failure_reason']}"


def _noticed(hit: list[Record]) -> str:
    """How soon the arm was on its new way, or at rest."""
    after = [r["disturbed"]["resumed"] for r in hit if r["disturbed"] and "resumed" in r["disturbed"]]
    return f", new way after {PERIOD * float(np.median(after)):.2f} s ({len(after)})" if after else ""


def _honest(r: Record) -> bool:
    """Whether an episode ended with a reason that names what was taken away, and with no claim of success."""
    thing = str(r["disturbed"]["thing"]).rstrip("_0123456789")
    return not r["success"] and r["failure_stage"] not in (None, "error", "checker") and thing in r["failure_reason"]


@dataclass(frozen=True)
class Chance:
    """Says any of what can be said."""

    domain: Domain
    journal: Journal
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))

    def __call__(self, asked: Question) -> Ready[str]:
        """The command."""
        state = asked.state.with_facts(asked.goal.rules(self.domain, asked.state))
        valid = commands(problem_of(self.domain, state, asked.goal.parts), asked)
        said = str(self.rng.choice(valid)) if valid else ""
        self.journal.event("decision", command=said, not_again=sorted(asked.not_again))
        return Ready(said)


@dataclass(frozen=True)
class ByChance(Setup):
    """Asks chance, with the simulator's state for eyes."""

    def __call__(self) -> Runner:
        """What runs the episodes."""
        made = super().__call__()
        return _AdvisedByChance(made.setup, made.domain, made.model)


class _AdvisedByChance(Runner):
    def settings(self, config: SolveConfig, origin: GoalOrigin) -> Settings:
        """As in any benchmark, but for what is asked where nothing else helps."""
        return replace(super().settings(config, origin), advises=partial(Chance, self.domain))


def run(kind: str, asked: argparse.Namespace) -> list[Record]:
    """The records of a kind."""
    folder = asked.out / "-".join([asked.perception, *asked.without, *filter(None, [asked.repair])]) / kind
    stage = "all" if asked.words else "plan"
    made = ByChance if asked.repair == "chance" else Setup
    config = BenchConfig(
        suites=("drawn",),
        stage=stage,
        perception=asked.perception,
        disturb=None if kind == NONE else kind,
        without=",".join(asked.without),
        repair=asked.repair if made is Setup else None,
    )
    setup = made(config, folder)
    results = Results(folder)
    records = results.open({"kind": kind, "perception": asked.perception, "words": asked.words})
    done = {key(r) for r in records}
    due = [k for k in keys(kind, asked.episodes, DEVELOP if asked.develop else 0) if k not in done]

    def given_up(k: Key) -> Record:
        return record(k, setup, None, {"failure_stage": "error", "failure_reason": "its process died"})

    for r in workers.run(due, asked.workers, setup, given_up):
        results.add(r)
        records.append(r)
    return records


def main() -> None:
    """See the module."""
    from tamp.backends.libero.perturbation_schedule import KINDS

    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kinds", nargs="+", choices=[NONE, *KINDS], default=None)
    parser.add_argument("--perception", choices=("oracle", "camera"), default="oracle")
    parser.add_argument("--words", action="store_true")
    parser.add_argument("--episodes", type=int, default=20, metavar="N", help="of each kind")
    parser.add_argument("--without", nargs="+", choices=REFLEXES, default=[])
    parser.add_argument("--repair", choices=("qwen", "chance"))
    parser.add_argument("--develop", action="store_true")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("results/disturbed"))
    asked = parser.parse_args()
    sys.stdout.write(f"{machine()}\n")
    noticed = [k for k, v in KINDS.items() if asked.perception == "camera" or not v.cameras]
    for kind in asked.kinds or [NONE, *noticed]:
        sys.stdout.writelines(f"{line}\n" for line in told(run(kind, asked), kind))
        sys.stdout.flush()


if __name__ == "__main__":
    rendering.prepare(video=False, camera=True, may=True)
    sys.exit(main())
