"""`make bench-worlds`: whether what was refused in drawn worlds can be done after all.

`--results` is the folder of a `tamp bench worlds`. What did not succeed there is tried again in the same scenes from
other seeds, with ten times the time for a decision in all and ten times the samples: places, turns, grasps, plans.
`impossible` are those that were refused with a reason, `not found` those in which time ran out or the execution failed.
`ok` is that the check reaches no goal either: a plan counts only where it was executed and the oracle of the formula
says that the goal holds. Perception `oracle`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tamp.api.sources import from_pddl
from tamp.backends.libero import rendering
from tamp.backends.libero.oracle import OraclePerceiver
from tamp.model.atoms import Atom
from tamp.model.bodies import world_of
from tamp.pddl.domain_file import load
from tamp.perception.predicates import observe
from tamp.planning import refinement, search
from tamp.quiet import hush_simulator, hush_warnings
from tamp.runs.bench.records import EpisodeRecord, read
from tamp.runs.episode import Settings
from tamp.skills import rests, surface_layout
from tests.bench import Kept, Row, share
from tests.places import in_libero

if TYPE_CHECKING:
    from tamp.backends.libero.environment import LiberoEnvironment

PLAIN = (1.0, 2.0, 2.0)
"""Times the usual seconds for a decision, from one seed after the other."""
PREPARED = 5
"""Tries with the usual seconds after something else was done first."""
WIDER = {
    refinement: {"SAMPLES": 10, "SUCCESSES": 10},
    search: {"SKELETONS": 10},
    rests: {"SPOTS": 10, "FEW": 10, "YAWS": 3, "SQUARE_YAWS": 3, "GRID": 3},
    surface_layout: {"ORDERS": 10, "ARRANGEMENTS": 10},
}
"""How many times as many samples as usual, by module and constant."""


def bench(kept: Kept, results: str = "results/worlds", numbers: tuple[int, ...] = ()) -> Iterator[Row]:
    """A row a world; only those with `numbers`, if there are any."""
    from tamp.backends.libero import tasks
    from tamp.backends.libero.environment import LiberoEnvironment

    domain = load("tabletop")
    hush_warnings()
    rendering.prepare(video=False)
    for module, constants in WIDER.items():
        for name, times in constants.items():
            setattr(module, name, times * getattr(module, name))
    for r in read(Path(results)):
        if (numbers and r.task_id not in numbers) or kept.has(name := f"{r.suite} {r.seed} {r.task_id}"):
            continue
        if r.success or r.scene is None:
            yield Row("solved" if r.success else "not drawn", None, case=name)
            continue
        begun, result, folder, rng = time.monotonic(), None, kept.folder, np.random.default_rng(r.task_id)
        with hush_simulator():
            task = tasks.find(str(Path(results) / r.scene))
            for n in range(len(PLAIN) + PREPARED):
                environment = LiberoEnvironment(task, seed=task.seed)
                first = _preparation(environment, str(task.goal), rng) if n >= len(PLAIN) else ()
                source = from_pddl([*first, str(task.goal)], [], domain)
                folder = kept.folder / "episodes" / f"{r.task_id}-{n}-{time.time_ns()}"
                seconds = search.SECONDS * (PLAIN[n] if n < len(PLAIN) else 1.0)
                settings = Settings(domain, seed=task.seed + 1 + n, seconds=seconds)
                result = in_libero(task, source, settings, folder, lambda line: None, environment)
                environment.close()
                if result.reached:
                    break
        found = result is not None and result.reached
        detail = f"{r.failure_reason}; done all the same: {folder}" if found else ""
        yield Row(claim(r), not found, {"s": time.monotonic() - begun}, detail, name)


def _preparation(environment: LiberoEnvironment, goal: str, rng: np.random.Generator) -> tuple[str, ...]:
    """Goals to be reached first: what is open is shut, unless it is to be open, and up to two things are moved."""
    scene = OraclePerceiver(environment).perceive()
    state = observe(scene, world_of(scene, environment.robot_model()))
    table = max((r for _, r in scene.regions() if r.kind == "surface"), key=lambda r: float(np.prod(r.half_extent[:2])))
    there = [
        s for s, kind in state.symbols.items() if kind == "item" and Atom("on", (s, table.name)) not in state.atoms
    ]
    moved = rng.permutation(there)[: int(rng.integers(3))].tolist()
    doors = [s for s, kind in state.symbols.items() if kind in ("drawer", "cupboard")]
    opened = [s for s in doors if Atom("open", (s,)) in state.atoms and f"(open {s})" not in goal]
    shut = opened if rng.random() < 0.7 else []
    atoms = [*(f"(on {s} {table.name})" for s in moved), *(f"(closed {s})" for s in shut)]
    return (f"(and {' '.join(atoms)})",) if atoms else ()


def claim(r: EpisodeRecord) -> str:
    """What a failed episode says of its goal."""
    return "impossible" if r.certificate is not None and r.certificate["proof"] != "time" else "not found"


def summary(rows: Sequence[Row]) -> Iterator[str]:
    """The two figures that the check is for."""
    solved, refuted = sum(r.line == "solved" for r in rows), [r for r in rows if r.ok is False]
    impossible = [r for r in rows if r.line == "impossible"]
    yield f"of those that the check solves, solved: {share(solved, solved + len(refuted))}"
    yield f"of those called impossible, refuted: {share(sum(r.ok is False for r in impossible), len(impossible))}"
