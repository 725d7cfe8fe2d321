"""`make bench-seam`: what it costs that a domain folder can bring observers and skills of its own.

    python tests/bench_seam.py [--suites SUITE...] [--rounds N] [--out DIR]

The tasks' own goals in initial state 0, perception `oracle`, with the tabletop domain and with what `tamp new domain`
makes of it: the same, and a predicate, an operator, an observer and a skill that nobody asks for. The two are run by
turns in the same process, A B B A, in a scene that is built once. Printed are the ratios of the seconds for planning
(symbols and motions) and for execution, the simulator's among them and the judge's not, all episodes together, with
95 % intervals (bootstrap over tasks). Goes on where it was interrupted.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from motion.poses import Array
from tamp.api.templates import new
from tamp.backends.libero import rendering
from tamp.backends.libero.environment import Scenes
from tamp.backends.libero.scene_description import Task
from tamp.backends.libero.tasks import suite_tasks
from tamp.model.domain import Domain
from tamp.pddl.domain_file import load
from tamp.quiet import hush_simulator, hush_warnings
from tamp.runs.episode import Settings
from tests.bench import keep, resumed
from tests.places import in_libero as run

SAMPLES = 10_000
Record = dict[str, Any]


def episodes(task: Task, domains: dict[str, Domain], scenes: Scenes, rounds: int) -> Iterator[Record]:
    """A task with both domains by turns."""
    names = list(domains)
    for turn in range(rounds):
        for name in names if turn % 2 == 0 else names[::-1]:
            with hush_simulator(), tempfile.TemporaryDirectory() as folder:
                environment = scenes.of(task, 0, 0)
                settings = Settings(domains[name], init_state=0)
                result = run(task, None, settings, Path(folder), lambda line: None, environment)
            s = result.seconds
            told = {"task": task.name, "domain": name, "turn": turn, "success": result.success, "steps": result.steps}
            yield told | {"planning": s["plan"] + s["refine"], "execution": s["execute"] - s.get("judge", 0.0)}


def table(records: list[Record]) -> Iterator[str]:
    """The ratios, planning and execution."""
    for what in ("planning", "execution"):
        plain, extended = _by_task(records, "tabletop", what), _by_task(records, "extended", what)
        picks = np.random.default_rng(0).integers(0, len(plain), (SAMPLES, len(plain)))
        low, high = np.percentile(extended[picks].sum(axis=1) / plain[picks].sum(axis=1), [2.5, 97.5])
        ratio = extended.sum() / plain.sum()
        yield f"{what:10} {ratio:.3f} ({low:.3f} to {high:.3f}), {plain.sum():.1f} s with tabletop"
    alike = all(len({r["steps"] for r in records if r["task"] == task}) == 1 for task in _tasks(records))
    done = sum(r["success"] for r in records)
    yield f"{len(records)} episodes of {len(_tasks(records))} tasks, {done} succeed; the same steps with both: {alike}"


def _by_task(records: list[Record], domain: str, what: str) -> Array:
    """Seconds (n,) of all episodes of each task with a domain."""
    of = {task: [r[what] for r in records if (r["task"], r["domain"]) == (task, domain)] for task in _tasks(records)}
    return np.array([sum(some) for some in of.values()])


def _tasks(records: list[Record]) -> list[str]:
    return sorted({r["task"] for r in records})


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--suites", nargs="+", default=["libero_goal", "libero_spatial"])
    parser.add_argument("--rounds", type=int, default=4, metavar="N", help="episodes of each task and domain")
    parser.add_argument("--out", type=Path, default=Path("results/seam"))
    asked = parser.parse_args()
    hush_warnings()
    rendering.prepare(video=False)
    asked.out.mkdir(parents=True, exist_ok=True)
    results, scenes = asked.out / "seam.jsonl", Scenes()
    records = resumed(results)
    had = {r["task"] for r in records}
    with tempfile.TemporaryDirectory() as folder:
        domains = {"tabletop": load("tabletop"), "extended": load(str(new("domain", "extended", Path(folder)).folder))}
        with hush_simulator():
            tasks = [task for suite in asked.suites for task in suite_tasks(suite)]
        for task in (t for t in tasks if t.name not in had):
            some = list(episodes(task, domains, scenes, asked.rounds))
            keep(results, *some)
            records += some
    sys.stdout.writelines(f"{line}\n" for line in table(records))


if __name__ == "__main__":
    main()
