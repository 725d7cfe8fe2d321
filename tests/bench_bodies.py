"""`make bench-bodies`: twelve tasks at a table by every body: pick and place, stack, drawer, door, knob, clutter, push.

    python -m tests.bench_bodies [--bodies NAME ...] [--episodes N] [--from STATE] [--perception camera]
                                 [--workers N] [--sdk N] [--out DIR]

The tasks' own goals are given, in initial states from 0 on, or --from another. `panda` is LIBERO's own in MuJoCo,
judged by LIBERO's check; all others are in PyBullet, judged by the goal's formula on PyBullet's state. With --sdk each
xArm does so many episodes of problems/mug_in_drawer through its SDK, against an emulator of its own. With cameras it
also says how often something was taken for done that was not: a goal, or one of the actions. Goes on where it was
interrupted.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tamp.api.bench_episodes import Setup, record
from tamp.api.configs import BenchConfig
from tamp.backends.libero import rendering
from tamp.runs.bench import workers
from tamp.runs.bench.records import EpisodeRecord, Results
from tamp.runs.bench.scheduling import Key
from tests.bench import machine, share
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


def run(body: str, asked: argparse.Namespace) -> list[EpisodeRecord]:
    """The records of a body."""
    backend, robot = BODIES.get(body, ("pybullet", body))
    folder = asked.out / body
    suites = tuple({suite for suite, _ in TASKS.values()})
    where = {"simulator": backend, "body": robot, "perception": asked.perception}
    setup = Setup(BenchConfig(suites=suites, stage="plan", **where), folder)
    results = Results(folder)
    records = results.open({"body": body})
    done = {r.key for r in records}
    states = range(asked.first, asked.first + asked.episodes)
    keys = [Key(suite, n, state) for state in states for suite, n in TASKS.values()]

    def given_up(k: Key) -> EpisodeRecord:
        return record(k, setup, None, {"failure_stage": "error", "failure_reason": "its process died"})

    for r in workers.run([k for k in keys if k not in done], asked.workers, setup, given_up):
        results.add(r)
        records.append(r)
    return records


def told(body: str, records: list[EpisodeRecord]) -> Iterator[str]:
    """What came of a body's episodes, by task."""
    good = sum(r.success for r in records)
    yield f"{body:13} succeed, %: {share(good, len(records))}"
    if any(r.verdicts for r in records):
        goals = sum(not r.success and r.failure_stage in ("checker", "judge") for r in records)
        actions = [sum((r.verdicts or {}).get(v, 0) for r in records) for v in ("done", "undone", "right")]
        said = f"of {sum(actions)} actions {actions[0]} taken for done that were not, {actions[1]} the other way round"
        yield f"    {goals} goals taken for reached that were not; {said}"
    for name, (suite, n) in TASKS.items():
        its = [r for r in records if (r.suite, r.task_id) == (suite, n)]
        why = next((f"; {r.failure_stage}: {r.failure_reason}" for r in its if not r.success), "")
        yield f"    {name:15} {sum(r.success for r in its):2} of {len(its)}{why[:150]}"


def through_sdk(body: str, seed: int, folder: Path, perception: str) -> dict[str, Any]:
    """What `tamp solve` says of the demo's task on an arm that is emulated."""
    if (kept := folder / f"{seed}.json").exists():
        return dict(json.loads(kept.read_text()))
    with running(body, "--scene", DEMO, "--seed", str(seed)) as emulator:
        eyes = f"tcp://{emulator.host}:{emulator.told['fault_port']}"
        words = ["--goal", "(in mug_1 cabinet_1_top_region)", "--scene", DEMO, "--seed", str(seed), "--backend", "xarm"]
        arm = ["--body", body, "--host", emulator.host, "--port", str(emulator.port), "--eyes", eyes]
        out = ["--perception", perception, "--out", str(folder / str(seed)), "--json"]
        command = [*TAMP, "solve", *words, *arm, *out]
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=110)
    told: dict[str, Any] = json.loads(done.stdout) if done.stdout else {"success": False, "reason": done.stderr[-300:]}
    folder.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps(told))
    return told


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--bodies", nargs="+", default=["panda", "panda-bullet", "xarm6", "xarm7"])
    parser.add_argument("--episodes", type=int, default=10, metavar="N", help="of each task")
    parser.add_argument("--from", dest="first", type=int, default=0, metavar="STATE", help="the first initial state")
    parser.add_argument("--perception", choices=("oracle", "camera"), default="oracle")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--sdk", type=int, default=0, metavar="N", help="episodes through the SDK instead")
    parser.add_argument("--out", type=Path, default=Path("results/bodies"))
    asked = parser.parse_args()
    sys.stdout.write(f"{machine()}\n")
    for body in asked.bodies:
        if not asked.sdk:
            sys.stdout.writelines(f"{line}\n" for line in told(body, run(body, asked)))
        elif body not in BODIES:
            folder = asked.out / f"{body}-sdk"
            all_told = [through_sdk(body, seed, folder, asked.perception) for seed in range(asked.sdk)]
            good = sum(bool(t["success"]) for t in all_told)
            sys.stdout.write(f"{body:13} through the SDK succeed, %: {share(good, len(all_told))}\n")
            sys.stdout.writelines(f"    {n}: {t['reason']}\n" for n, t in enumerate(all_told) if not t["success"])
        sys.stdout.flush()


if __name__ == "__main__":
    rendering.prepare(video=False, may=True)
    main()
