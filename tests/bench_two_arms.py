"""`make bench-two-arms`: six things sorted by two arms at one table, against each alone, and single tasks by two.

    python -m tests.bench_two_arms [--seeds N] [--only sorting|single] [--out DIR]

In PyBullet, the same drawn scene for all three runs of a seed. A run's time is the simulated seconds until all is done;
the ratio is that of both arms to the better one alone. What was nearest is what PyBullet measures between the arms with
what they hold, once a control period. In `single` there is one thing to do: one arm does it, the other stays out.
Goes on where it was interrupted.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from tamp.backends import arms_file
from tamp.backends.libero import rendering, tasks
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.oracle import OraclePerceiver
from tamp.backends.libero.run import wanted_in
from tamp.backends.libero.tasks import Task
from tamp.backends.physics.table import PhysicsTable
from tamp.backends.pybullet import arms_run
from tamp.backends.pybullet.world import BulletWorld
from tamp.model.domain import load
from tamp.model.goal import Goal
from tamp.perception.written_goals import goals_in
from tamp.runs.episode import Result, Settings
from tamp.runs.episode_log import EpisodeLog
from tamp.runs.episode_runner import carry_out
from tests.bench_stepping import machine
from tests.left_out import share

ARMS = Path("problems/sorting/arms.toml")
SORTING = "sorting"
SINGLE = {
    "soup to the left": (SORTING, "(in soup_1 tray_1_contain_region)"),
    "butter to the left": (SORTING, "(in butter_1 tray_1_contain_region)"),
    "sauce to the right": (SORTING, "(in sauce_1 tray_2_contain_region)"),
    "pudding on cookies": (SORTING, "(on pudding_1 cookies_1)"),
    "a bowl on a plate": ("libero_goal/8", None),
    "open a drawer": ("libero_goal/0", None),
    "turn a knob": ("libero_goal/7", None),
    "the right one of two": ("libero_spatial/0", None),
}
"""Scene and goal, without one the scene's own, of what one arm can do alone. LIBERO's in initial states from 0 on."""
MOST = 0.65
"""Share of the better arm's time that two may take."""


def alone(task: Task, environment: LiberoEnvironment, settings: Settings, number: int, folder: Path) -> dict[str, Any]:
    """One of the arms does all, the other one not being there."""
    result = Result()
    with EpisodeLog(folder) as log, contextlib.ExitStack() as stack:
        robot = arms_file.read(ARMS).robots[number]
        world = BulletWorld(OraclePerceiver(environment).perceive(), robot)
        stack.callback(world.close)
        table = PhysicsTable(world, robot)
        wanted = partial(wanted_in, None, task, environment, settings=settings, log=log)
        carry_out(table, table, table, wanted, settings, task.step_limit, log, result, lambda line: None, stack)
        period = table.period
    return {"success": result.success, "seconds": result.total_steps * period, "reason": result.reason}


def both(
    task: Task, environment: LiberoEnvironment, settings: Settings, goal: str | None, folder: Path
) -> dict[str, Any]:
    """Both arms."""

    def source(scene: Any, state: Any, domain: Any, log: Any, image: Any) -> tuple[Goal, ...]:
        return goals_in(scene, state, domain, [str(goal)])

    arms, start = arms_file.read(ARMS), time.perf_counter()
    given = None if goal is None else source
    result = arms_run.run(task, given, settings, folder, lambda line: None, arms, environment)
    keep = ("success", "lasting", "reason", "least", "guarded", "waited", "held", "happened", "schedule")
    told = {key: value for key, value in result.as_dict().items() if key in keep}
    return told | {"seconds": result.duration, "wall": round(time.perf_counter() - start, 1), "apart": arms.apart}


def kept(file: Path, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What was found before, else what is made now."""
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(make()))
    return dict(json.loads(file.read_text()))


def sorting(seed: int, out: Path) -> dict[str, Any]:
    """A seed's scene by each arm alone, and by both."""
    task, settings = tasks.find(SORTING), Settings(load("tabletop"), seed=seed)

    def made() -> dict[str, Any]:
        folder = out / f"{seed}-{time.strftime('%H%M%S')}"
        found: dict[str, Any] = {}
        for name in ("first", "second", "both"):  # a scene drawn anew for each, by the same seed
            environment = LiberoEnvironment(task, seed=seed)
            try:
                if name == "both":
                    found[name] = both(task, environment, settings, None, folder / name)
                else:
                    number = ("first", "second").index(name)
                    found[name] = alone(task, environment, settings, number, folder / name)
            finally:
                environment.close()
        return found

    return kept(out / f"{seed}.json", made)


def single(name: str, seed: int, out: Path) -> dict[str, Any]:
    """A task for one arm, by two."""
    scene, goal = SINGLE[name]
    task, state = tasks.find(scene), None if scene == SORTING else seed
    settings = Settings(load("tabletop"), seed=seed, init_state=state)

    def made() -> dict[str, Any]:
        environment = LiberoEnvironment(task, seed=seed, init_state=state)
        try:
            return both(task, environment, settings, goal, out / f"{name.replace(' ', '-')}-{time.strftime('%H%M%S')}")
        finally:
            environment.close()

    return kept(out / f"{name.replace(' ', '-')}-{seed}.json", made)


def told_of_sorting(found: list[dict[str, Any]]) -> Iterator[str]:
    """What came of all seeds."""
    two = [f["both"] for f in found]
    for name in ("first", "second"):
        good = sum(f[name]["success"] for f in found)
        yield f"{name} alone succeeds, %: {share(good, len(found))}"
    yield f"both succeed, %: {share(sum(t['success'] for t in two), len(two))}"
    ratios = sorted(r for f in found if (r := ratio(f)) is not None)
    if ratios:
        low = sum(r < MOST for r in ratios)
        middle = statistics.median(ratios)
        yield f"ratio: median {middle:.2f}, {ratios[0]:.2f} to {ratios[-1]:.2f}; {low} of {len(ratios)} below {MOST}"
    yield from _apart(two)


def _apart(runs: list[dict[str, Any]]) -> Iterator[str]:
    least, apart = min(r["least"] for r in runs), runs[0]["apart"]
    waited = [sum(r["waited"].values()) for r in runs]
    held = [sum(r["held"].values()) for r in runs]
    yield f"nearest: {least:.3f} m ({'never' if least >= apart else 'NOT'} nearer than {apart:g})"
    yield f"waited, s: median {statistics.median(waited):.1f}, most {max(waited):.1f}; guard, s: most {max(held):.2f}"


def ratio(found: dict[str, Any]) -> float | None:
    """Time of both to that of the better one alone, where all that takes succeeded."""
    alone = [found[n]["seconds"] for n in ("first", "second") if found[n]["success"]]
    return found["both"]["seconds"] / min(alone) if alone and found["both"]["success"] else None


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=10, metavar="N")
    parser.add_argument("--only", choices=["sorting", "single"])
    parser.add_argument("--out", type=Path, default=Path("results/two_arms"))
    asked = parser.parse_args()
    sys.stdout.write(f"{machine()}\n")
    if asked.only != "single":
        rows = []
        for seed in range(asked.seeds):
            rows.append(row := sorting(seed, asked.out / SORTING))
            times = ", ".join(f"{n} {row[n]['seconds']:.1f}" for n in ("first", "second", "both"))
            shown = ratio(row)
            sys.stdout.write(f"seed {seed}: {times} s; ratio {'-' if shown is None else f'{shown:.2f}'}; ")
            two = row["both"]
            sys.stdout.write(f"nearest {two['least']:.3f} m; {two['reason'] or 'done'}\n")
            sys.stdout.flush()
        sys.stdout.writelines(f"{line}\n" for line in told_of_sorting(rows))
    if asked.only != "sorting":
        runs = [(name, single(name, seed, asked.out / "single")) for name in SINGLE for seed in range(2)]
        for name, r in runs:
            arms = sorted({arm for arm, *_ in r["happened"]})
            sys.stdout.write(f"{name:22} {'done' if r['success'] else r['reason']} by {' and '.join(arms) or 'nobody'}")
            sys.stdout.write(f", {r['seconds']:.1f} s, nearest {r['least']:.3f} m\n")
        sys.stdout.write(f"single tasks succeed, %: {share(sum(r['success'] for _, r in runs), len(runs))}\n")
        sys.stdout.writelines(f"{line}\n" for line in _apart([r for _, r in runs]))


if __name__ == "__main__":
    rendering.prepare(video=False, may=True)
    main()
