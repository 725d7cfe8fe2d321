"""`make bench-disturbed`: every kind of disturbance, over tasks in which it can happen.

The task's goal is given, or with --words its sentence. LIBERO's check says what came of it; where the task cannot be
done any more (`taken`), what counts is a no with a reason that names the thing. Episodes in which nothing could be
disturbed have a line of their own. `reaction` is the time until the arm is on its new path, or at rest. Initial states
from 0 on, or with --develop from 40 on.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from tamp.api.bench_episodes import Setup
from tamp.api.configs import BenchConfig
from tamp.backends.libero import rendering
from tamp.backends.libero.perturbation_schedule import IMPOSSIBLE, KINDS
from tamp.runs.bench.records import EpisodeRecord
from tamp.runs.bench.scheduling import Key
from tests.bench import Kept, Row
from tests.bench_bodies import ran
from tests.bench_perception import DEVELOP

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
"""Episodes without a disturbance, for comparison."""
WHERE: dict[str, Tasks] = {"shut": DRAWERS, "half-shut": DRAWERS, "turned-back": KNOBS, "slips": HANDLES}


def keys(kind: str, episodes: int, first: int) -> Iterator[Key]:
    """Episodes of a kind: all tasks in one initial state, then in the next one."""
    tasks = [(suite, n) for suite, ns in WHERE.get(kind, THINGS).items() for n in ns]
    every = (Key(suite, n, state) for state in range(first, first + 10) for suite, n in tasks)
    return islice(every, episodes)


def bench(
    kept: Kept,
    only: tuple[str, ...] = (NONE, *KINDS),
    perception: str = "oracle",
    words: bool = False,
    episodes: int = 20,
    develop: bool = False,
    workers: int = 2,
) -> Iterator[Row]:
    """A row an episode, a line a kind; `episodes` of each."""
    rendering.prepare(video=False, camera=True, may=True)
    how = f"{perception}-words" if words else perception
    for kind in only:
        if kind in KINDS and KINDS[kind].cameras and perception != "camera":
            continue
        config = BenchConfig(
            suites=("drawn",),
            stage="all" if words else "plan",
            perception=perception,
            disturb=None if kind == NONE else kind,
        )
        due = [k for k in keys(kind, episodes, DEVELOP if develop else 0) if not kept.has(_case(how, kind, k))]
        for r in ran(Setup(config, kept.folder / how / kind), due, workers):
            yield _row(kind, r, _case(how, kind, r.key))


def _case(how: str, kind: str, k: Key) -> str:
    return f"{how} {kind} {k.suite}/{k.task_id}:{k.init_state}"


def _row(kind: str, r: EpisodeRecord, case: str) -> Row:
    if kind != NONE and not r.disturbed:
        return Row(f"{kind}: nothing to disturb", None, case=case)
    good = r.success
    if kind in IMPOSSIBLE:  # a reason that names what was taken away, and no claim of success
        thing = str(r.disturbed["thing"]).rstrip("_0123456789")
        good = not good and r.failure_stage not in (None, "error", "checker") and thing in r.failure_reason
    values = {"reaction, s": PERIOD * r.disturbed["resumed"]} if "resumed" in (r.disturbed or {}) else {}
    values |= {"steps": r.steps} if r.success else {}
    values |= {f"verdicts, {name}": n for name, n in (r.verdicts or {}).items()}
    return Row(kind, bool(good), values, f"{r.failure_stage}: {r.failure_reason}", case)
