"""`make bench-stepping`: our control step against robosuite's `env.step`, over whole episodes, in one process.

Each episode (two tasks of five suites, two initial states) is planned and executed once; its actions and the state
after each control step are recorded. Then the same actions are replayed from the same initial state through our stepper
and through `env.step` without rendering, in turns. `ok`: every state is that of `env.step`, bit for bit. `faster`: the
time of `env.step` over ours. `overhead`: the time of execution, with all it does but planning, over that of as many
bare `env.step`. Wall time, the median of the replays.
"""

from __future__ import annotations

import contextlib
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from motion.poses import Array
from tamp.api.arguments import domain
from tamp.backends.libero import rendering, tasks
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.quiet import hush_simulator, hush_warnings
from tamp.runs.episode import Settings
from tamp.runs.episode_runner import STILL
from tests.bench import Row
from tests.places import in_libero

DUE = 1.0
STATE = ("qpos", "qvel", "qacc_warmstart", "ctrl")
"""What the next step depends on: positions, velocities, the solver's start and the controls."""
SUITES = ("libero_spatial", "libero_object", "libero_goal", "libero_10", "libero_90")


def bench(suites: tuple[str, ...] = SUITES, numbers: tuple[int, ...] = (0, 5), repeat: int = 3) -> Iterator[Row]:
    """A row an episode; `repeat` replays each way."""
    hush_warnings()
    rendering.prepare(video=False)
    for suite, number in product(suites, numbers):
        with (
            hush_simulator(),
            contextlib.closing(LiberoEnvironment(tasks.find(f"{suite}/{number}"), seed=0, init_state=0)) as environment,
        ):
            for init_state in (0, 1):
                yield _measured(environment, init_state, repeat)


def _measured(environment: Any, init_state: int, repeat: int) -> Row:
    actions, states, act = list[Array](), list[bytes](), environment.act

    def recorded(action: Array) -> None:
        act(action)
        actions.append(np.array(action))
        states.append(_state(environment))

    environment.reset(seed=0, init_state=init_state)
    environment.act = recorded
    settings = Settings(domain("tabletop"), seed=0, init_state=init_state)
    try:
        with tempfile.TemporaryDirectory() as folder:
            result = in_libero(environment.task, None, settings, Path(folder) / "e", lambda line: None, environment)
    finally:
        del environment.act
    ours, theirs, different = list[float](), list[float](), list[int]()
    for _ in range(repeat):
        for times, step in ((theirs, environment.domain.step), (ours, environment._stepper.step)):
            environment.reset(seed=0, init_state=init_state)
            times.append(0.0)
            for n, (action, state) in enumerate(zip(actions, states, strict=True)):
                times[-1] += _seconds(step, action)
                if _state(environment) != state:
                    different.append(n)
    bare, mine = statistics.median(theirs), statistics.median(ours)
    overhead = result.seconds["execute"] / (bare * (len(actions) - STILL) / len(actions))
    values = {"faster": bare / mine, "overhead": overhead, "steps": len(actions)}
    detail = f"differs at step {min(different, default=None)}"
    return Row("control step", not different, values, detail, f"{environment.task.name} init {init_state}")


def _seconds(step: Callable[[Array], object], action: Array) -> float:
    start = time.perf_counter()
    step(action)
    return time.perf_counter() - start


def _state(environment: Any) -> bytes:
    return b"".join(getattr(environment.sim.data._data, name).tobytes() for name in STATE)
