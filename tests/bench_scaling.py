"""`make bench-scaling`: how the cost of planning grows with the number of boxes, measured and printed.

    python tests/bench_scaling.py [--out DIR] [--families F ...] [--n N ...] [--seeds K] [--plot FILE]

A scene is a line of --out/scaling.jsonl; an interrupted run goes on where it stopped.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from tamp.backends.libero import rendering
from tamp.errors import InputError
from tamp.pddl.domain_file import load
from tamp.runs.bench import boxes
from tests import scaling
from tests.scaling_plot import draw

ROOT = Path(__file__).parents[1]
PLANNER = "fast-downward"


def say(line: str) -> None:
    sys.stderr.write(f"scaling: {line}\n")


def tree() -> str | None:
    """The git tree that is measured, with "+changes" when it is dirty; None outside a checkout."""

    def git(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)

    found = git("rev-parse", "HEAD^{tree}")
    changed = git("diff", "--quiet", "HEAD").returncode != 0
    return found.stdout.strip() + ("+changes" if changed else "") if found.returncode == 0 else None


def run(folder: scaling.Folder, chosen: list[tuple[boxes.Family, int, int]], limit: float) -> list[scaling.Record]:
    """Measure what is not in the folder yet; the records of what was chosen."""
    rendering.prepare(video=False)
    from tamp.backends.libero.panda import panda

    done = {(r.family, r.n, r.seed): r for r in folder.open(limit, PLANNER)}
    robot, domain, of = panda(), load("tabletop"), tree()
    if any(key not in done for key in chosen):  # what is imported or compiled once is not a scene's cost
        scaling.measure(boxes.make("packed", 1, boxes.LARGEST, robot), robot, domain, PLANNER, limit)
    for number, (family, n, seed) in enumerate(chosen, 1):
        if (family, n, seed) in done:
            continue
        record = replace(scaling.measure(boxes.make(family, n, seed, robot), robot, domain, PLANNER, limit), tree=of)
        folder.add(record)
        done[family, n, seed] = record
        told = "solved" if record.solved else f"not solved: {record.reason}"
        say(f"{number}/{len(chosen)} {family}-{n} seed {seed}: {record.seconds:.2f} s, {told}")
    return [done[key] for key in chosen]


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure how the cost of planning grows with the number of boxes.")
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "scaling")
    parser.add_argument("--families", nargs="+", choices=boxes.FAMILIES, default=boxes.FAMILIES)
    parser.add_argument("--n", nargs="+", type=int, default=range(1, boxes.LARGEST + 1), metavar="N")
    parser.add_argument("--seeds", type=int, default=10, help="seeds 0 to one less than this (default 10)")
    parser.add_argument("--limit", type=float, default=scaling.LIMIT, help="seconds for one scene (default 60)")
    parser.add_argument("--plot", type=Path, help="write the plot to this SVG file")
    a = parser.parse_args()
    chosen = [(family, n, seed) for family in a.families for n in a.n for seed in range(a.seeds)]
    folder = scaling.Folder(a.out.resolve())
    try:
        records = run(folder, chosen, a.limit)
    except KeyboardInterrupt:
        say("interrupted; the same command goes on")
        return 130
    except InputError as e:
        say(str(e))
        return 2
    table = scaling.rows(records)
    settings = folder.settings()
    trees = ", ".join(sorted({str(r.tree) for r in records}))
    sys.stdout.write(f"{scaling.markdown(table)}\n{settings['machine']}; tree {trees}\n")
    sys.stdout.write(", ".join(f"{k} {v}" for k, v in settings["versions"].items()) + "\n")
    if a.plot is not None:
        draw(table, a.plot)
    return 0


if __name__ == "__main__":
    sys.exit(main())
