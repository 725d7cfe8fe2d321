"""How the cost of planning grows with the number of things: scenes of boxes, measured and added up.

Planning and refinement in the kinematic copy only: nothing is executed. A record is a line of JSON a scene.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from motion.poses import inverse
from motion.robot import RobotDescription
from motion.shapes import bounds
from tamp.errors import InputError
from tamp.files.lines import complete
from tamp.model.bodies import world_of
from tamp.model.domain import Domain
from tamp.model.scene import Scene
from tamp.model.situation import Situation
from tamp.pddl.planner import Engine
from tamp.perception.predicates import observe
from tamp.planning.search import Search, Solution
from tamp.runs.bench.boxes import BoxScene
from tamp.runs.versions import versions
from tamp.skills.registry import bind
from tests.bench import keep

LIMIT = 60.0
"""Seconds that one scene may take."""
OVERHANG = 0.001
"""Metres by which a box may stand out over its region and still count as wholly on it."""


@dataclass(frozen=True)
class Record:
    """What came of one scene.

    `seconds` are by the wall clock, from a scene to motions for a whole plan; `symbolic` of them went into
    planning, `geometric` into all else: the kinematic copy, the facts, refinement. `cpu_seconds` counts the planner's
    process too. `skeletons` are plans asked for, `samples` refinements of single actions tried, `actions` the
    length of the plan. `inside`: everything that belongs on a region stands wholly on it.
    """

    family: str
    n: int
    seed: int
    solved: bool
    seconds: float
    symbolic: float
    geometric: float
    cpu_seconds: float
    skeletons: int
    samples: int
    actions: int
    inside: bool
    reason: str | None
    tree: str | None = None


def measure(problem: BoxScene, robot: RobotDescription, domain: Domain, planner: str, limit: float = LIMIT) -> Record:
    """Plan and refine one scene, within `limit` seconds. The scene's seed seeds the search."""
    start, cpu = time.perf_counter(), _cpu()
    world = world_of(problem.scene, robot)
    rng = np.random.default_rng(problem.seed)
    search = Search(world, domain, bind(domain), Engine(planner), rng, budget=limit)
    decided = search.decide(problem.goal, observe(problem.scene, world), Situation(problem.scene))
    seconds, cpu = time.perf_counter() - start, _cpu() - cpu
    solved = isinstance(decided, Solution)
    return Record(
        family=problem.family,
        n=problem.n,
        seed=problem.seed,
        solved=solved and seconds <= limit,
        seconds=round(seconds, 3),
        symbolic=round(search.seconds["plan"], 3),
        geometric=round(seconds - search.seconds["plan"], 3),
        cpu_seconds=round(cpu, 3),
        skeletons=search.skeletons,
        samples=search.samples,
        actions=len(decided.plan.actions) if isinstance(decided, Solution) else 0,
        inside=isinstance(decided, Solution) and wholly_on(decided.refined.steps[-1].after.scene, problem),
        reason=None if isinstance(decided, Solution) else decided.reason,
    )


def wholly_on(scene: Scene, problem: BoxScene) -> bool:
    """Whether every box of the goal stands with all its footprint on its region."""
    for atom in problem.goal.atoms:
        o, (_, region) = scene.object(atom.args[0]), scene.region(atom.args[1])
        low, high = bounds(o.parts[0].shapes, inverse(region.T_world_region) @ o.T_world_object)
        if (np.maximum(-low, high)[:2] > region.half_extent[:2] + OVERHANG).any():
            return False
    return True


def _cpu() -> float:
    t = os.times()
    return t.user + t.system + t.children_user + t.children_system


def machine() -> str:
    """The processor and how many cores may be used."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    names = [x.split(":", 1)[1] for x in lines if x.startswith("model name")]
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{cores} cores, {names[0].strip() if names else platform.processor() or platform.machine()}"


@dataclass(frozen=True)
class Folder:
    """Where a run keeps its records: `settings.json` and `scaling.jsonl`."""

    path: Path

    def open(self, limit: float, planner: str) -> list[Record]:
        """Make the folder, or go on in it: its records. InputError when they were made otherwise."""
        settings = {"machine": machine(), "versions": versions(), "limit": limit, "planner": planner}
        self.path.mkdir(parents=True, exist_ok=True)
        kept = self.path / "settings.json"
        if not kept.exists():
            kept.write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")
        elif (before := json.loads(kept.read_text(encoding="utf-8"))) != settings:
            other = next(k for k in settings if before.get(k) != settings[k])
            raise InputError(f"{self.path} holds results with other {other}: choose another --out")
        return self.read()

    def settings(self) -> dict[str, Any]:
        """Machine, versions, limit and planner of the records."""
        return dict(json.loads((self.path / "settings.json").read_text(encoding="utf-8")))

    def add(self, record: Record) -> None:
        """Append a record; it is on disk when this returns."""
        keep(self.path / "scaling.jsonl", asdict(record))

    def read(self) -> list[Record]:
        """The records."""
        file = self.path / "scaling.jsonl"
        if not file.exists():
            return []
        whole = complete(file.read_bytes())
        return [_parsed(line, file, number) for number, line in enumerate(whole.decode().splitlines(), 1)]


def _parsed(line: str, file: Path, number: int) -> Record:
    try:
        told = json.loads(line)
    except json.JSONDecodeError as e:
        raise InputError(f"{file}:{number}:{e.colno}: not JSON: {e.msg}") from e
    if not isinstance(told, dict) or told.keys() != {f.name for f in fields(Record)}:
        raise InputError(f"{file}:{number}: not a record of this version of tamp")
    return Record(**told)


@dataclass(frozen=True)
class Row:
    """All seeds of one family and number of boxes. Seconds: medians over all scenes, the unsolved ones at the time
    that they took; `seconds` with the least and the greatest."""

    family: str
    n: int
    scenes: int
    solved: int
    inside: int
    seconds: tuple[float, float, float]
    symbolic: float
    geometric: float
    skeletons: float
    samples: float
    actions: float | None

    def cells(self) -> tuple[str, ...]:
        """The columns as text."""
        middle, least, most = self.seconds
        return (
            f"{self.family}-{self.n}",
            f"{self.solved} of {self.scenes}",
            f"{self.inside}",
            f"{middle:.2f}",
            f"{least:.2f} to {most:.2f}",
            f"{self.symbolic:.2f}",
            f"{self.geometric:.2f}",
            f"{self.skeletons:g}",
            f"{self.samples:g}",
            "-" if self.actions is None else f"{self.actions:g}",
        )


COLUMNS = ("scenes", "solved", "inside", "s", "range", "symbolic s", "geometric s", "skeletons", "samples", "actions")


def rows(records: Iterable[Record]) -> list[Row]:
    """A row for each family and number of boxes, in this order."""
    groups: dict[tuple[str, int], list[Record]] = {}
    for r in sorted(records, key=lambda r: (r.family != "packed", r.family, r.n)):
        groups.setdefault((r.family, r.n), []).append(r)
    return [_row(family, n, group) for (family, n), group in groups.items()]


def _row(family: str, n: int, group: list[Record]) -> Row:
    seconds = [r.seconds for r in group]
    lengths = [r.actions for r in group if r.solved]
    return Row(
        family=family,
        n=n,
        scenes=len(group),
        solved=sum(r.solved for r in group),
        inside=sum(r.solved and r.inside for r in group),
        seconds=(statistics.median(seconds), min(seconds), max(seconds)),
        symbolic=statistics.median(r.symbolic for r in group),
        geometric=statistics.median(r.geometric for r in group),
        skeletons=statistics.median(r.skeletons for r in group),
        samples=statistics.median(r.samples for r in group),
        actions=statistics.median(lengths) if lengths else None,
    )


def markdown(table: list[Row]) -> str:
    """The rows as a Markdown table."""
    lines = [COLUMNS, ("---",) + ("---:",) * (len(COLUMNS) - 1), *(row.cells() for row in table)]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)
