"""`make bench-unknown`: things that the library has no model for, by camera: put on a plate, into a basket, and filled.

The meshes are those of `make bench-household`, drawn on a table with a plate and a basket. The policy has the user's
own library, which is without them: all it has of a thing is what its two cameras see. The goal is given; what the
policy calls the thing is found by where it saw it. What is open above (`CONTAINERS`) has a known thing put into it.

Due is what a person with such a hand could do, judged by the true mesh as there. `--plot FILE.svg` draws success over
size and shape.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tests.bench import Kept, Row
from tests.bench_household import BASKET, GOALS, SCENE, SHARE, added, episode, graspable, shape_of, summary

__all__ = ["bench", "summary"]

DUE = 0.85
CONTAINERS = ("bowl", "mug", "cup", "fryingpan")
FILLING = '[things.butter_1]\ncategory = "butter"\n'
INTO = {"into": "(in butter_1 thing_1_contain_region)"}
COLOURS = {True: "#2a9d5c", False: "#c8342f", None: "#9a9a9a"}
"""Of what succeeded, what did not, and what no such hand could do."""
MARKS = {"flat": "s", "long": "^", "compact": "o"}


def bench(
    kept: Kept,
    meshes: str = "myosuite/simhive",
    seeds: int = 1,
    things: tuple[str, ...] = (),
    goals: tuple[str, ...] = ("on", "in", "into"),
    plot: str = "",
) -> Iterator[Row]:
    """Rows of what is put on, put in and filled, a line each."""
    user, rows = os.environ.get("TAMP_OBJECTS", ""), list[Row]()
    for name, corners, why in added(kept.folder, Path(meshes), things):
        if why:
            continue
        size, could = np.ptp(corners, axis=(0, 1)), graspable(corners) > SHARE
        data = {"shape": shape_of(size), "size": [round(100 * float(s), 1) for s in size]}
        for goal in goals:
            if goal == "into" and name not in CONTAINERS:
                continue
            due = goal == "into" or (could and (goal == "on" or bool(np.sort(size)[1] < BASKET)))
            scene = SCENE.format(name) + (FILLING if goal == "into" else "")
            for seed in range(1, seeds + 1):
                if not kept.has(case := f"{name}: {goal}, seed {seed}"):
                    done = episode(name, scene, (GOALS | INTO)[goal], seed, kept.folder, user)
                    about = {**data, "could": due, "grasped": done.taken, "reached": done.reached}
                    rows.append(Row(f"put {goal}", done.reached if due else None, {}, done.why, case, about))
                    yield rows[-1]
    if plot:
        draw(Path(plot), [*kept.rows, *rows])


def draw(path: Path, rows: Sequence[Row]) -> None:
    """A mark for each row, over the thing's smaller level side and its height."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes, rng = figure.subplots(), np.random.default_rng(0)
    for row in rows:
        data: Any = row.data
        x, y, z = data["size"]
        at = np.array([min(x, y), z]) + rng.uniform(-0.15, 0.15, 2)
        axes.scatter(*at, c=COLOURS[row.ok], marker=MARKS[data["shape"].split()[1]], s=34, alpha=0.8)
    for word, colour in zip(("placed", "not placed", "no such hand could"), COLOURS.values(), strict=True):
        axes.scatter([], [], c=colour, label=word)
    for word, mark in MARKS.items():
        axes.scatter([], [], c="k", marker=mark, label=word)
    axes.set_xlabel("smaller level side, cm")
    axes.set_ylabel("height, cm")
    axes.legend(fontsize=8)
    figure.savefig(path)
