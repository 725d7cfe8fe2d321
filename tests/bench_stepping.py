"""`make bench-stepping`: our control step against robosuite's `env.step`, over whole episodes, in one process.

    python tests/bench_stepping.py [--suites SUITE ...] [--repeat N]

Each episode (two tasks of five suites, two initial states) is planned and executed once; its actions are
recorded, and the state after each control step. Then the same actions are replayed from the same initial state
through our stepper and through `env.step` without rendering, in turns. Three things are told:

- whether every state of the episode is that of `env.step`, bit for bit;
- the time of `env.step` over that of our stepper;
- the time of execution, with everything it does but planning, over that of as many bare `env.step`.

Times are wall time, of N replays the median. Exits 1 when a state differs or a total misses its target.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from motion.poses import Array
from tamp.api.arguments import domain
from tamp.backends.libero import rendering
from tamp.quiet import hush_simulator, hush_warnings
from tests.bench import machine

SUITES = ("libero_spatial", "libero_object", "libero_goal", "libero_10", "libero_90")
TASKS = (0, 5)
INIT_STATES = (0, 1)
SEED = 0
FASTER = 1.8
"""Times that our step is to be faster than `env.step`."""
OVERHEAD = 1.3
"""Times of bare `env.step` that execution may take at most."""
STATE = ("qpos", "qvel", "qacc_warmstart", "ctrl")


@dataclass(frozen=True)
class Measured:
    """One episode. `different` is the first control step whose state is not robosuite's; times in seconds.

    `execution` took `executed` of the `steps`; standing still afterwards are the others.
    """

    name: str
    success: bool
    steps: int
    executed: int
    different: int | None
    theirs: float
    ours: float
    execution: float

    @property
    def faster(self) -> float:
        return self.theirs / self.ours

    @property
    def bare(self) -> float:
        """Seconds of `env.step` for as many steps as were executed."""
        return self.theirs * self.executed / self.steps

    @property
    def overhead(self) -> float:
        return self.execution / self.bare


def state_of(environment: Any) -> bytes:
    """What the next step depends on: positions, velocities, the solver's start and the controls."""
    data = environment.sim.data._data
    return b"".join(getattr(data, name).tobytes() for name in STATE)


def record(environment: Any, settings: Any) -> tuple[Any, list[Array], list[bytes]]:
    """Run an episode: its result, actions and the state after each."""
    from tests.places import in_libero as run

    actions, states, act = list[Array](), list[bytes](), environment.act

    def recorded(action: Array) -> None:
        act(action)
        actions.append(np.array(action))
        states.append(state_of(environment))

    environment.act = recorded
    try:
        with tempfile.TemporaryDirectory() as folder:
            result = run(environment.task, None, settings, Path(folder) / "e", lambda line: None, environment)
    finally:
        del environment.act
    return result, actions, states


def replay(
    step: Callable[[Array], object], environment: Any, actions: list[Array], states: list[bytes]
) -> tuple[float, int | None]:
    """Seconds that the steps take, and the first whose state is not the recorded one."""
    seconds, different = 0.0, None
    for n, (action, state) in enumerate(zip(actions, states, strict=True)):
        start = time.perf_counter()
        step(action)
        seconds += time.perf_counter() - start
        if different is None and state_of(environment) != state:
            different = n
    return seconds, different


def measure(environment: Any, init_state: int, repeat: int) -> Measured:
    """One episode, run once and replayed `repeat` times each way."""
    from tamp.runs.episode import Settings
    from tamp.runs.episode_runner import STILL

    environment.reset(seed=SEED, init_state=init_state)
    settings = Settings(domain("tabletop"), seed=SEED, init_state=init_state)
    result, actions, states = record(environment, settings)
    ours, theirs, different = list[float](), list[float](), list[int]()
    for _ in range(repeat):
        for times, robosuites in ((theirs, True), (ours, False)):
            environment.reset(seed=SEED, init_state=init_state)
            step = environment.domain.step if robosuites else environment._stepper.step
            seconds, first = replay(step, environment, actions, states)
            times.append(seconds)
            different += [] if first is None else [first]
    return Measured(
        name=f"{environment.task.name} init {init_state}",
        success=result.success,
        steps=len(actions),
        executed=len(actions) - STILL,
        different=min(different, default=None),
        theirs=statistics.median(theirs),
        ours=statistics.median(ours),
        execution=result.seconds["execute"],
    )


def tell(m: Measured) -> None:
    say(
        f"{m.name:24} {'success' if m.success else 'no':7} {m.steps:4} steps  "
        f"{'identical' if m.different is None else f'DIFFERS at step {m.different}'}  "
        f"env.step {1e3 * m.theirs / m.steps:5.2f} ms  ours {1e3 * m.ours / m.steps:5.2f} ms  {m.faster:4.2f}x  "
        f"execution {m.overhead:4.2f}"
    )


def total(all_: list[Measured]) -> bool:
    """Print what it comes to; whether all of it holds."""
    same = [m for m in all_ if m.different is None]
    faster = sum(m.theirs for m in all_) / sum(m.ours for m in all_)
    overhead = sum(m.execution for m in all_) / sum(m.bare for m in all_)
    lines = [
        ("episodes identical", f"{len(all_)}", f"{len(same)} ({sum(m.steps for m in same)} steps)", same == all_),
        ("env.step / ours", f">= {FASTER}", f"{faster:.2f} ({spread([m.faster for m in all_])})", faster >= FASTER),
        (
            "execution / env.step",
            f"<= {OVERHEAD}",
            f"{overhead:.2f} ({spread([m.overhead for m in all_])})",
            overhead <= OVERHEAD,
        ),
    ]
    for name, due, measured, holds in lines:
        sys.stdout.write(f"{'ok  ' if holds else 'FAIL'}  {name:22} {due:8} {measured}\n")
    return all(holds for *_, holds in lines)


def spread(values: list[float]) -> str:
    """Episode by episode."""
    return f"an episode: median {statistics.median(values):.2f}, {min(values):.2f} to {max(values):.2f}"


def say(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare our control step with robosuite's.")
    parser.add_argument("--suites", nargs="+", default=SUITES, metavar="SUITE")
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="replays each way")
    arguments = parser.parse_args()
    hush_warnings()
    rendering.prepare(video=False)
    with hush_simulator():
        from tamp.backends.libero import tasks
        from tamp.backends.libero.environment import LiberoEnvironment

        measured = []
        for suite in arguments.suites:
            for task in TASKS:
                environment = LiberoEnvironment(tasks.find(f"{suite}/{task}"), seed=SEED, init_state=0)
                for init_state in INIT_STATES:
                    measured.append(measure(environment, init_state, arguments.repeat))
                    tell(measured[-1])
                environment.close()
    sys.stdout.write(f"{machine()}\nseed {SEED}; {arguments.repeat} replays each way, medians; wall time\n")
    return 0 if total(measured) else 1


if __name__ == "__main__":
    sys.exit(main())
