"""`make bench-perception`: how right the camera mode's scenes are, against what is true in the simulator.

Scenes are recorded once (as `tamp perception record` does), and perceived from the recordings with each kind of noise;
what is true is looked at afterwards only. With --every the episodes that reach the tasks' own goals are recorded, and
the perceiver feels each control period and looks each N of them, as a session does when an action has ended. With
--left-out the library has none of the things that can be carried in a scene, nor what looks the same. Initial states
from 0 on, or with --develop from 40 on. Resumable. The seed of the perceiver is 0, of the noise a checksum of the case.
"""

from __future__ import annotations

import time
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from tamp.backends.libero import rendering
from tamp.errors import Refusal
from tamp.model.backend import Observation
from tamp.perception.library import Library, load
from tamp.perception.recordings import Truth
from tamp.quiet import hush_simulator, hush_warnings
from tests.bench import Kept, Row, grouped, share
from tests.perception_scores import scored

SUITES = ("libero_spatial", "libero_object", "libero_goal", "libero_10")
DEVELOP = 40
"""First of the initial states that may be looked at while something is tuned."""
TWINS = {"salad_dressing", "new_salad_dressing"}
"""The models of the library that look the same."""
Pair = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """A scene to perceive, at its start, or with `every` at moments of an episode."""

    suite: str
    task: int
    state: int
    noise: str
    every: int | None = None
    left_out: bool = False

    @property
    def key(self) -> str:
        return f"{self.seen}:left-out" if self.left_out else self.seen

    @property
    def seen(self) -> str:
        """What is in the pictures, noise and all."""
        return f"{self.suite}/{self.task}:{self.state}:{self.noise}" + (f":each{self.every}" if self.every else "")


def recorded(case: Case, folder: Path) -> Path:
    """The folder of the clean recording of a case, which is made if it is not there."""
    from tamp.backends.libero.tasks import find
    from tamp.pddl.domain_file import load as domain
    from tamp.perception.recordings import INDEX
    from tamp.runs.scene_recording import Order, record

    order = Order(find(f"{case.suite}/{case.task}"), domain("tabletop"), init_state=case.state, every=case.every)
    if not (folder / order.name / INDEX).is_file():
        record(order, folder / order.name)
    return folder / order.name


def without_carried(library: Library, truth: Truth) -> Library:
    """A library without what can be carried in a recording."""
    gone = {t.category for t in truth.things if t.movable}
    gone |= TWINS if gone & TWINS else set()
    return replace(library, entries={n: e for n, e in library.entries.items() if library[n].category not in gone})


def perceived(case: Case, folder: Path, library: Library) -> Iterator[Row]:
    """What came of a case: a row a moment."""
    from tamp.backends.libero.cameras import CameraNoise
    from tamp.perception import recordings
    from tamp.perception.camera import CameraPerceiver

    recording, truth = recordings.read(folder), recordings.read_truth(folder)
    noise = CameraNoise(case.noise, np.random.default_rng(zlib.crc32(case.seen.encode())))  # type: ignore[arg-type]
    known, now = {m.category: m for m in library.values()}, Observation(0.0, recording.felt[0].robot)
    perceiver = CameraPerceiver(
        lambda: now, without_carried(library, truth) if case.left_out else library, recording.robot
    )
    for observation, n in recordings.played(recording):
        now = observation if n is None else replace(observation, images=noise(observation.images))
        perceiver.felt(now)
        if n is None:
            continue
        line = f"{case.noise}, {'a later' if case.every else 'the first'} look"
        begun = time.perf_counter()
        try:
            perceiver.perceive()
        except Refusal as e:
            yield Row(line, False, detail=f"refused: {e}", case=f"{case.key}#{n}")
            break
        seconds = time.perf_counter() - begun
        images = recording.looked(n).images  # masks are judged where the cameras really are
        found = asdict(scored(list(perceiver.tracks.values()), len(perceiver.unknown), truth, n, images, known))
        data = found | {"hand": perceiver.hand.held, "holds": truth.moments[n].held, "left_out": case.left_out}
        yield Row(line, not _wrong(data), {"seconds": seconds}, _wrong(data), f"{case.key}#{n}", data)


def _wrong(data: Mapping[str, Any]) -> str:
    """What was missed, taken for something else, or seen where nothing is."""
    wrong = [f"{p['thing']} missed ({p['pixels']} px)" for p in data["pairs"] if p["found"] is None]
    if not data["left_out"]:
        taken = [p for p in data["pairs"] if p["found"] not in (None, p["category"])]
        wrong += [f"{p['thing']} taken for {p['found']}" for p in taken]
    return ", ".join([*wrong, *(f"{name} is not there" for name in data["false"])])


def cases(
    suites: Sequence[str], tasks: str | None, states: range, noise: Sequence[str], every: int | None, left_out: bool
) -> Iterator[Case]:
    """All that are asked for, the states of a task one after the other."""
    from tamp.api.bench import parse_ids
    from tamp.backends.libero.tasks import suite

    for name in suites:
        for task in range(suite(name).n_tasks) if tasks is None else parse_ids(tasks):
            for state in states:
                yield from (Case(name, task, state, kind, every, left_out) for kind in noise)


def bench(
    kept: Kept,
    suites: tuple[str, ...] = SUITES,
    tasks: str | None = None,
    states: int = 10,
    develop: bool = False,
    every: int | None = None,
    noise: tuple[str, ...] = ("clean", "all"),
    left_out: bool = False,
) -> Iterator[Row]:
    """A row a look, a line a kind of noise; ok where all things are found, and taken for what they are."""
    hush_warnings()
    rendering.prepare(video=False, pictures=True)
    library, first = load(), DEVELOP if develop else 0
    with hush_simulator():
        for case in cases(suites, tasks, range(first, first + states), noise, every, left_out):
            done = 0
            while kept.has(f"{case.key}#{done}"):
                done += 1
            if not done:
                yield from perceived(case, recorded(case, kept.folder / "recordings"), library)


# The summary


def quantiles(values: Sequence[float], first: float, second: float, unit: str, digits: int = 1) -> str:
    """Two quantiles of some numbers, the second with the interval that 500 draws from them give."""
    if not values:
        return "-"
    x, rng = np.array(values, dtype=float), np.random.default_rng(0)
    low, high = np.percentile(np.percentile(rng.choice(x, (500, len(x))), second, axis=1), (2.5, 97.5))
    one, other = np.percentile(x, (first, second))
    numbers = [f"{v:.{digits}f}" for v in (one, other, low, high)]
    return "{} and {} ({} to {}){}, n {}".format(*numbers, unit and f" {unit}", len(x))


def measures(rows: Sequence[Row]) -> Iterator[tuple[str, str]]:
    """The measures of the looks of one line."""
    moments = [row.data for row in rows if row.data]
    pairs: list[Pair] = [p for m in moments for p in m["pairs"]]
    if moments and moments[0]["left_out"]:
        movable = [p for p in pairs if p["movable"]]
        unknown = [p for p in movable if p["unknown"]]
        yield "movable things flagged unknown, %", share(len(unknown), len(movable))
        others = sum(p["found"] is not None and not p["unknown"] for p in movable)
        yield "taken for another, %", share(others, len(movable))
        yield "called", "; ".join(f"{a} {b}" for a, b in Counter((p["category"], p["found"]) for p in unknown))
        return
    found = [p for p in pairs if p["found"] is not None]
    right = [p for p in found if p["found"] == p["category"]]
    yield "refused looks", str(len(rows) - len(moments))
    yield "recall, %", share(len(found), len(pairs))
    yield "false things a scene", f"{sum(len(m['false']) for m in moments) / max(1, len(moments)):.2f}"
    yield "unknown where nothing is, a scene", f"{sum(m['unknown'] for m in moments) / max(1, len(moments)):.2f}"
    yield "masks' IoU, median and 5th percentile", quantiles([p["iou"] for p in found], 50, 5, "", 2)
    yield "identity, %", share(len(right), len(found))
    for name, unit in (("translation", "mm"), ("rotation", "°"), ("add_s", "mm")):
        yield f"{name}, median and 95th", quantiles([p[name] for p in right], 50, 95, unit)
    joints = [j for p in right for j in p["joints"]]
    for kind, unit in (("drawer", "mm"), ("door", "°"), ("knob", "°")):
        yield f"{kind}s, median and 95th", quantiles([j[1] for j in joints if j[0] == kind], 50, 95, unit)
    full, empty = ([m["hand"] for m in moments if (m["holds"] is not None) == b] for b in (True, False))
    yield "hand known to be full when it is, %", share(sum(h is not None for h in full), len(full))
    yield "hand known to be empty when it is, %", share(sum(h is None for h in empty), len(empty))


def summary(rows: Sequence[Row]) -> Iterator[str]:
    """The measures, a column a line of the table."""
    columns = {line: dict(measures(some)) for line, some in grouped(rows).items()}
    yield f"\n| measure | {' | '.join(columns)} |"
    yield f"|---|{'---|' * len(columns)}"
    for name in next(iter(columns.values()), {}):
        yield f"| {name} | {' | '.join(c.get(name, '-') for c in columns.values())} |"
