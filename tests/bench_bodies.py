"""`make bench-bodies`: twelve tasks at a table by every body: pick and place, stack, drawer, door, knob, clutter, push.

The tasks' own goals are given, in initial states from 0 on, or `--first` another. `panda` is LIBERO's own in MuJoCo,
judged by LIBERO's check; all others are in PyBullet, judged by the goal's formula on PyBullet's state. With --sdk each
xArm does so many episodes of problems/mug_in_drawer through its SDK, against an emulator of its own. With cameras it
also says how often something was taken for done that was not: a goal, or one of the actions.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Sequence
from typing import Any

from tamp.api.bench_episodes import Setup, record
from tamp.api.configs import BenchConfig
from tamp.backends.libero import rendering
from tamp.runs.bench.records import EpisodeRecord
from tamp.runs.bench.scheduling import Key
from tamp.runs.bench.workers import run as run_workers
from tests.bench import Kept, Row
from tests.emulated import TAMP, running

TASKS = {
    "pick and place": ("libero_spatial", 0),
    "into a basket": ("libero_object", 0),
    "two things": ("libero_10", 0),
    "stack": ("libero_90", 16),
    "open a drawer": ("libero_goal", 0),
    "into a drawer": ("libero_goal", 3),
    "close a drawer": ("libero_90", 0),
    "open a door": ("libero_90", 35),
    "close a door": ("libero_90", 33),
    "turn a knob": ("libero_goal", 7),
    "push": ("libero_goal", 5),
    "clutter": ("libero_10", 1),
}
BODIES = {"panda": ("libero", None), "panda-bullet": ("pybullet", None)}
"""Backend and robot by the name in the table; other names are robots in PyBullet."""
DEMO = "mug_in_drawer"


def ran(setup: Setup, due: list[Key], workers: int) -> Iterator[EpisodeRecord]:
    """The records of episodes, as they end."""

    def given_up(k: Key) -> EpisodeRecord:
        return record(k, setup, None, {"failure_stage": "error", "failure_reason": "its process died"})

    yield from run_workers(due, workers, setup, given_up)


def _episodes(kept: Kept, body: str, perception: str, states: range, workers: int) -> Iterator[Row]:
    """The twelve tasks by a body."""
    backend, robot = BODIES.get(body, ("pybullet", body))
    suites = tuple({suite for suite, _ in TASKS.values()})
    where = {"simulator": backend, "body": robot, "perception": perception}
    setup = Setup(BenchConfig(suites=suites, stage="plan", **where), kept.folder / body)
    cases = {
        Key(suite, n, state): f"{body}: {name}, state {state}" for state in states for name, (suite, n) in TASKS.items()
    }
    for r in ran(setup, [k for k, case in cases.items() if not kept.has(case)], workers):
        data = {"stage": r.failure_stage, "verdicts": r.verdicts or {}}
        detail = f"{r.failure_stage}: {r.failure_reason}"
        yield Row(body, r.success, detail=detail, case=cases[r.key], data=data)


def through_sdk(kept: Kept, body: str, seed: int, perception: str) -> Row:
    """What `tamp solve` says of the demo's task on an arm that is emulated."""
    with running(body, "--scene", DEMO, "--seed", str(seed)) as emulator:
        eyes = f"tcp://{emulator.host}:{emulator.shown['fault_port']}"
        words = ["--goal", "(in mug_1 cabinet_1_top_region)", "--scene", DEMO, "--seed", str(seed), "--backend", "xarm"]
        arm = ["--body", body, "--host", emulator.host, "--port", str(emulator.port), "--eyes", eyes]
        out = ["--perception", perception, "--out", str(kept.folder / f"{body}-sdk" / str(seed)), "--json"]
        command = [*TAMP, "solve", *words, *arm, *out]
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=110)
    found: dict[str, Any] = json.loads(done.stdout) if done.stdout else {"success": False, "reason": done.stderr[-300:]}
    line = f"{body} through the SDK"
    return Row(line, bool(found["success"]), detail=str(found["reason"]), case=f"{line}, seed {seed}")


def summary(rows: Sequence[Row]) -> Iterator[str]:
    """Verdicts of the runs with cameras."""
    seen = [row.data for row in rows if row.data.get("verdicts")]
    goals = sum(data["stage"] in ("checker", "judge") for data in seen)
    done, undone, right = (sum(data["verdicts"].get(v, 0) for data in seen) for v in ("done", "undone", "right"))
    if seen:
        yield f"{goals} goals taken for reached that were not; of {done + undone + right} actions {done} taken for done"
        yield f"that were not, {undone} the other way round"


def bench(
    kept: Kept,
    bodies: tuple[str, ...] = ("panda", "panda-bullet", "xarm6", "xarm7"),
    episodes: int = 10,
    first: int = 0,
    perception: str = "oracle",
    workers: int = 2,
    sdk: int = 0,
) -> Iterator[Row]:
    """A row an episode."""
    rendering.prepare(video=False, may=True)
    for body in bodies:
        if not sdk:
            yield from _episodes(kept, body, perception, range(first, first + episodes), workers)
        elif body not in BODIES:
            seeds = (seed for seed in range(sdk) if not kept.has(f"{body} through the SDK, seed {seed}"))
            yield from (through_sdk(kept, body, seed, perception) for seed in seeds)
