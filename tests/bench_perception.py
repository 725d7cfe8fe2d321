"""`make bench-perception`: how right the camera mode's scenes are, against what is true in the simulator.

Scenes are recorded once (as `tamp perception record` does), and perceived from the recordings with each kind of noise;
what is true is looked at afterwards only. With --every the episodes that reach the tasks' own goals are recorded, and
the perceiver feels each control period and looks each N of them, as a session does when an action has ended. With
--left-out the library has none of the things that can be carried in a scene, nor what looks the same. Initial states
from 0 on, or with --develop from 40 on. The seed of the perceiver is 0, of the noise a checksum of the case.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from tamp.api.bench import parse_ids
from tamp.backends.libero import rendering
from tamp.backends.libero.cameras import CameraNoise
from tamp.backends.libero.tasks import find, suite
from tamp.errors import Refusal
from tamp.model.backend import Observation
from tamp.pddl.domain_file import load as load_domain
from tamp.perception import recordings
from tamp.perception.camera import CameraPerceiver
from tamp.perception.library import Library, load
from tamp.quiet import hush_simulator, hush_warnings
from tamp.runs.scene_recording import Order, record
from tests.bench import Kept, Row, grouped, share
from tests.perception_scores import scored

SUITES = ("libero_spatial", "libero_object", "libero_goal", "libero_10")
DEVELOP = 40
"""First of the initial states that may be looked at while something is tuned."""
TWINS = {"salad_dressing", "new_salad_dressing"}
"""The models of the library that look the same."""


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
    library, first, domain = load(), DEVELOP if develop else 0, load_domain("tabletop")
    with hush_simulator():
        scenes = [f"{s}/{k}" for s in suites for k in (range(suite(s).n_tasks) if tasks is None else parse_ids(tasks))]
        for scene in scenes:
            for state, kind in product(range(first, first + states), noise):
                seen = f"{scene}:{state}:{kind}" + (f":each{every}" if every else "")
                case, done = f"{seen}:left-out" if left_out else seen, 0
                while kept.has(f"{case}#{done}"):
                    done += 1
                if done:
                    continue
                order = Order(find(scene), domain, init_state=state, every=every)
                folder = kept.folder / "recordings" / order.name
                if not (folder / recordings.INDEX).is_file():
                    record(order, folder)
                rng = np.random.default_rng(zlib.crc32(seen.encode()))
                yield from perceived(folder, CameraNoise(kind, rng), library, left_out, every, case)  # type: ignore[arg-type]


def perceived(
    folder: Path, noise: CameraNoise, library: Library, left_out: bool, every: int | None, case: str
) -> Iterator[Row]:
    """What came of a recording: a row a moment."""
    recording, truth = recordings.read(folder), recordings.read_truth(folder)
    known, used, now = {m.category: m for m in library.values()}, library, Observation(0.0, recording.felt[0].robot)
    if left_out:
        gone = {t.category for t in truth.things if t.movable}
        gone |= TWINS if gone & TWINS else set()
        used = replace(library, entries={n: e for n, e in library.entries.items() if library[n].category not in gone})
    perceiver = CameraPerceiver(lambda: now, used, recording.robot)
    for observation, n in recordings.played(recording):
        now = observation if n is None else replace(observation, images=noise(observation.images))
        perceiver.felt(now)
        if n is None:
            continue
        line = f"{noise.kind}, {'a later' if every else 'the first'} look"
        begun = time.perf_counter()
        try:
            perceiver.perceive()
        except Refusal as e:
            yield Row(line, False, detail=f"refused: {e}", case=f"{case}#{n}")
            break
        seconds = time.perf_counter() - begun
        images = recording.looked(n).images  # masks are judged where the cameras really are
        pairs, false = scored(list(perceiver.tracks.values()), truth, n, images, known)
        wrong = [f"{p.thing} missed ({p.pixels} px)" for p in pairs if p.found is None]
        taken = [] if left_out else [p for p in pairs if p.found not in (None, p.category)]
        wrong += [f"{p.thing} taken for {p.found}" for p in taken] + [f"{name} is not there" for name in false]
        data = {"pairs": [asdict(p) for p in pairs], "false": false, "left_out": left_out}
        yield Row(line, not wrong, {"seconds": seconds}, ", ".join(wrong), f"{case}#{n}", data)


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
    pairs: list[dict[str, Any]] = [p for m in moments for p in m["pairs"]]
    if moments and moments[0]["left_out"]:
        movable = [p for p in pairs if p["movable"]]
        yield "movable things flagged unknown, %", share(sum(p["unknown"] for p in movable), len(movable))
        others = sum(p["found"] is not None and not p["unknown"] for p in movable)
        yield "taken for another, %", share(others, len(movable))
        return
    found = [p for p in pairs if p["found"] is not None]
    right = [p for p in found if p["found"] == p["category"]]
    yield "refused looks", str(len(rows) - len(moments))
    yield "recall, %", share(len(found), len(pairs))
    yield "false things a scene", f"{sum(len(m['false']) for m in moments) / max(1, len(moments)):.2f}"
    yield "masks' IoU, median and 5th percentile", quantiles([p["iou"] for p in found], 50, 5, "", 2)
    yield "identity, %", share(len(right), len(found))
    for name, unit in (("translation", "mm"), ("rotation", "°")):
        yield f"{name}, median and 95th", quantiles([p[name] for p in right], 50, 95, unit)
    joints = [j for p in right for j in p["joints"]]
    for kind, unit in (("drawer", "mm"), ("door", "°"), ("knob", "°")):
        yield f"{kind}s, median and 95th", quantiles([error for k, error in joints if k == kind], 50, 95, unit)


def summary(rows: Sequence[Row]) -> Iterator[str]:
    """The measures, a column a line of the table."""
    columns = {line: dict(measures(some)) for line, some in grouped(rows).items()}
    yield f"\n| measure | {' | '.join(columns)} |"
    yield f"|---|{'---|' * len(columns)}"
    for name in next(iter(columns.values()), {}):
        yield f"| {name} | {' | '.join(c.get(name, '-') for c in columns.values())} |"
