"""`make bench-perception`: how right the camera mode's scenes are, against what is true in the simulator.

    python tests/bench_perception.py [--suites SUITE ...] [--tasks IDS] [--states N] [--develop] [--every N]
                                     [--noise KIND ...] [--left-out [shapes]] [--out DIR]

Scenes are recorded once (as `tamp perception record` does), and perceived from the recordings with each kind of noise;
what is true is looked at afterwards only. With --every the episodes that reach the tasks' own goals are recorded, and
the perceiver feels each control period and looks each N of them, as a session does when an action has ended. With
--left-out the library has none of the things that can be carried in a scene, nor what looks the same; with `--left-out
shapes` nor what has the shape of one of them in other colours. Initial states from 0 on, or with --develop from 40 on.
Goes on where it was interrupted.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tamp.backends.libero import rendering
from tamp.errors import Refusal
from tamp.model.backend import Observation
from tamp.perception.library import Library, load
from tamp.quiet import hush_simulator, hush_warnings
from tests.bench import keep, machine, read, resumed, share
from tests.left_out import alikes, carried, named, without
from tests.left_out import rows as left_out_rows
from tests.perception_scores import by_category, scored

SUITES = ("libero_spatial", "libero_object", "libero_goal", "libero_10")
DEVELOP = 40
"""First of the initial states that may be looked at while something is tuned."""
WORST = 12
"""So many of the worst are named."""
Record = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """A scene to perceive, at its start, or with `every` at moments of an episode."""

    suite: str
    task: int
    state: int
    noise: str
    every: int | None = None
    left_out: str | None = None

    @property
    def key(self) -> str:
        return f"{self.seen}:left-out-{self.left_out}" if self.left_out else self.seen

    @property
    def seen(self) -> str:
        """What is in the pictures, noise and all."""
        return f"{self.suite}/{self.task}:{self.state}:{self.noise}" + (f":each{self.every}" if self.every else "")


def recorded(case: Case, folder: Path) -> Path:
    """The folder of the clean recording of a case, which is made if it is not there."""
    from tamp.backends.libero.tasks import find
    from tamp.pddl.domain_file import load as domain
    from tamp.perception.recordings import INDEX
    from tamp.runs.recording import Order, record

    task = find(f"{case.suite}/{case.task}")
    order = Order(task, domain("tabletop"), init_state=case.state, every=case.every)
    if not (folder / order.name / INDEX).is_file():
        record(order, folder / order.name)
    return folder / order.name


def perceived(case: Case, folder: Path, library: Library, alike: Mapping[str, set[str]]) -> list[Record]:
    """What came of a case: a record a moment."""
    from tamp.backends.libero.cameras import CameraNoise
    from tamp.perception import recordings
    from tamp.perception.camera import CameraPerceiver

    recording, truth = recordings.read(folder), recordings.read_truth(folder)
    noise = CameraNoise(case.noise, np.random.default_rng(zlib.crc32(case.seen.encode())))  # type: ignore[arg-type]
    known, now, told = by_category(library.values()), Observation(0.0, recording.felt[0].robot), []
    given = without(library, carried(truth), alike) if case.left_out else library
    eyes = CameraPerceiver(lambda: now, given, recording.robot)
    for observation, n in recordings.played(recording):
        now = observation if n is None else _spoilt(observation, noise)
        eyes.felt(now)
        if n is None:
            continue
        record: Record = {"key": case.key, "moment": n, "suite": case.suite, "noise": case.noise, "every": case.every}
        record["left_out"] = case.left_out
        begun = time.perf_counter()
        try:
            eyes.perceive()
        except Refusal as e:
            told.append(record | {"refused": str(e)})
            break
        record["seconds"] = round(time.perf_counter() - begun, 3)
        if n == 0:
            begun = time.perf_counter()
            eyes.perceive()
            record["update"] = round(time.perf_counter() - begun, 3)
        images = recording.looked(n).images  # masks are judged where the cameras really are
        found = scored(list(eyes.tracks.values()), len(eyes.unknown), truth, n, images, known)
        told.append(record | found.as_dict() | {"hand": eyes.hand.held, "holds": truth.moments[n].held})
    return told


def _spoilt(observation: Observation, noise: Any) -> Observation:
    return Observation(observation.time, observation.robot, noise(observation.images))


def cases(asked: argparse.Namespace) -> Iterator[Case]:
    """All that are asked for, the states of a task one after the other."""
    from tamp.api.bench import parse_ids
    from tamp.backends.libero.tasks import suite

    first = DEVELOP if asked.develop else 0
    for name in asked.suites:
        tasks = range(suite(name).n_tasks) if asked.tasks is None else parse_ids(asked.tasks)
        for task in tasks:
            for state in range(first, first + asked.states):
                yield from (Case(name, task, state, noise, asked.every, asked.left_out) for noise in asked.noise)


# The table


def quantiles(values: Sequence[float], first: float, second: float, unit: str, digits: int = 1) -> str:
    """Two quantiles of some numbers, the second with the interval that 500 draws from them give."""
    if not values:
        return "-"
    x, rng = np.array(values, dtype=float), np.random.default_rng(0)
    drawn = np.percentile(rng.choice(x, (500, len(x))), second, axis=1)
    low, high = np.percentile(drawn, (2.5, 97.5))
    one, other = np.percentile(x, (first, second))
    numbers = [f"{v:.{digits}f}" for v in (one, other, low, high)]
    return "{} and {} ({} to {}){}, n {}".format(*numbers, unit and f" {unit}", len(x))


def rows(records: list[Record], alike: dict[str, set[str]]) -> dict[str, str]:
    """What a column says."""
    refused = [r for r in records if "refused" in r]
    records = [r for r in records if "refused" not in r]
    pairs = [p for r in records for p in r["pairs"]]
    found = [p for p in pairs if p["found"] is not None]
    right = [p for p in found if p["found"] == p["category"]]
    nearly = [p for p in found if p["found"] in {p["category"], *alike.get(p["category"], ())}]
    among = [p for p in found if p["category"] in (p["found"], *p["like"])]
    movable = [p for p in pairs if p["movable"]]
    n = max(1, len(records))
    told = {
        "scenes, or moments": f"{len(records)}" + (f", {len(refused)} refused" if refused else ""),
        "recall, %": share(len(found), len(pairs)),
        "recall of movable things, %": share(sum(p["found"] is not None for p in movable), len(movable)),
        "false things a scene": f"{sum(len(r['false']) for r in records) / n:.2f}",
        "found and thought unknown, %": share(sum(p["unknown"] for p in found), len(found)),
        "unknown things and obstacles where nothing is, a scene": f"{sum(r['unknown'] for r in records) / n:.2f}",
        "masks' IoU, median and 5th percentile": quantiles([p["iou"] for p in found], 50, 5, "", 2),
        "identity, %": share(len(right), len(found)),
        "identity, models that look the same taken as one, %": share(len(nearly), len(found)),
        "the right one is it, or among the alternatives, %": share(len(among), len(found)),
        "translation, median and 95th": quantiles([p["translation"] for p in right], 50, 95, "mm"),
        "... of movable things": quantiles([p["translation"] for p in right if p["movable"]], 50, 95, "mm"),
        "rotation modulo symmetry": quantiles([p["rotation"] for p in right], 50, 95, "°"),
        "ADD-S": quantiles([p["add_s"] for p in right], 50, 95, "mm"),
    }
    joints = [j for p in right for j in p["joints"]]
    for kind, unit in (("drawer", "mm"), ("door", "°"), ("knob", "°")):
        told[f"{kind}s, median and 95th"] = quantiles([j[1] for j in joints if j[0] == kind], 50, 95, unit)
    first, later = ([r["seconds"] for r in records if (r["moment"] == 0) == b] for b in (True, False))
    later += [r["update"] for r in records if "update" in r]
    told["seconds, the first look"] = quantiles(first, 50, 95, "s", 2)
    told["seconds, an update"] = quantiles(later, 50, 95, "s", 2)
    if any(r["every"] is not None for r in records):
        full, empty = ([r["hand"] for r in records if (r["holds"] is not None) == b] for b in (True, False))
        told["hand known to be full when it is, %"] = share(sum(h is not None for h in full), len(full))
        told["hand known to be empty when it is, %"] = share(sum(h is None for h in empty), len(empty))
        carried = [p["translation"] for p in right if p["held"]]
        told["translation of what is carried"] = quantiles(carried, 50, 95, "mm")
    return told


def worst(records: list[Record]) -> Iterator[str]:
    """What went most wrong, to be looked at."""
    records = [r for r in records if "refused" not in r]
    at = [(f"{r['key']}#{r['moment']} {p['thing']}", p) for r in records for p in r["pairs"]]
    right = [(k, p) for k, p in at if p["found"] == p["category"]]
    yield _several("missed", [f"{k} {p['pixels']} px" for k, p in at if p["found"] is None])
    yield _several("false", [f"{r['key']}#{r['moment']} {', '.join(r['false'])}" for r in records if r["false"]])
    wrong = Counter((p["category"], p["found"]) for _, p in at if p["found"] not in (None, p["category"]))
    yield _several("taken for another", [f"{a} for {b} {n}" for (a, b), n in wrong.most_common()])
    for what, unit in (("translation", "mm"), ("rotation", "°")):
        most = sorted(right, key=lambda t: -t[1][what])[:WORST]
        yield _several(what, [f"{k} {p[what]:.1f} {unit}" for k, p in most])
    joints = sorted(((j, k) for k, p in right for j in p["joints"]), key=lambda t: -t[0][1])[:WORST]
    yield _several("joints", [f"{k} {j[0]} {j[1]} (true {j[2]}, said {j[3]})" for j, k in joints])
    thin = sorted((t for t in at if t[1]["iou"] is not None), key=lambda t: t[1]["iou"])[:WORST]
    yield _several("masks", [f"{k} {p['iou']:.2f}" for k, p in thin])


def _several(what: str, told: Sequence[str]) -> str:
    return f"{what}: {'; '.join(told) or '-'}"


def table(records: list[Record], alike: Mapping[str, set[str]]) -> Iterator[str]:
    """The table, a column a kind of noise, and what went most wrong."""
    kinds = list(dict.fromkeys(r["noise"] for r in records))
    for later in (False, True):
        some = [r for r in records if (r["every"] is not None) == later]
        mine = {k: [r for r in some if r["noise"] == k] for k in kinds}
        if columns := {k: rows(those, alike) for k, those in mine.items() if those}:
            yield f"\n{'later looks, in episodes' if later else 'the first look'}\n"
            yield from _side_by_side(columns)
            for kind in columns:
                yield f"\nworst, {kind}"
                yield from worst(mine[kind])
    same = [f"{a} and {b}" for a, others in alike.items() for b in sorted(others) if a < b]
    yield f"\nmodels that look the same: {'; '.join(same) or 'none'}"


def left_out_table(records: list[Record]) -> Iterator[str]:
    """The same of scenes that were perceived without the models of what can be carried."""
    mine = {k: [r for r in records if r["noise"] == k] for k in dict.fromkeys(r["noise"] for r in records)}
    yield "\nwithout the models of what can be carried\n"
    yield from _side_by_side({k: left_out_rows(those) for k, those in mine.items()})
    for kind, those in mine.items():
        yield f"\n{kind}"
        yield from named(those)


def _side_by_side(columns: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    yield f"| measure | {' | '.join(columns)} |"
    yield f"|---|{'---|' * len(columns)}"
    for name in next(iter(columns.values()), {}):
        yield f"| {name} | {' | '.join(c.get(name, '-') for c in columns.values())} |"


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--suites", nargs="+", default=SUITES, metavar="SUITE")
    parser.add_argument("--tasks", metavar="IDS", help="only these tasks, as 0,3,5-7")
    parser.add_argument("--states", type=int, default=10, metavar="N", help="initial states a task")
    parser.add_argument("--develop", action="store_true", help="initial states from 40 on, not those that are held out")
    parser.add_argument("--every", type=int, metavar="N", help="along episodes, a look each N control steps")
    parser.add_argument("--noise", nargs="+", default=("clean", "all"), metavar="KIND")
    parser.add_argument(
        "--left-out", nargs="?", const="models", choices=("models", "shapes"), help="without what can be carried"
    )
    parser.add_argument("--out", type=Path, default=Path("results/perception"))
    asked = parser.parse_args()
    hush_warnings()
    rendering.prepare(video=False, pictures=True)
    asked.out.mkdir(parents=True, exist_ok=True)
    results, library = asked.out / ("develop.jsonl" if asked.develop else "held_out.jsonl"), load()
    had, alike = {r["key"] for r in resumed(results)}, alikes(library, asked.left_out == "shapes")
    with hush_simulator():
        todo = [c for c in cases(asked) if c.key not in had]
        for case in todo:
            told = perceived(case, recorded(case, asked.out / "recordings"), library, alike)
            keep(results, *told)
    sys.stdout.write(f"{machine()}; {len(library)} models in the library, load now {os.getloadavg()[0]:.1f}\n")
    sys.stdout.write("seed of the perceiver 0, of the noise a checksum of the case\n")
    wanted = {c.key for c in cases(asked)}
    records = [r for r in read(results) if r["key"] in wanted]
    told = left_out_table(records) if asked.left_out else table(records, alike)
    sys.stdout.writelines(f"{line}\n" for line in told)


if __name__ == "__main__":
    main()
