"""`make bench-arm-cups`: an instruction, three cups, random layouts: whether the arm touches the right one.

    python tests/bench_arm_cups.py [--n 20] [--seed 0] [--llm NAME]

The language model writes the plan of `tamp solve --backend xarm`; where the emulated arm really was after its second
step is compared with the cup that is nearest to where the tool was in the beginning.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np

from llm.arm_plan import write_plan
from llm.backends.load import load
from motion import arm_ik
from motion.poses import Array, error, from_rpy, inverse
from tamp.episode import read
from tamp.xarm.contract_world import breaches_in
from tamp.xarm.steps import steps_of
from tamp.xarm.ways import Ways
from tamp.xarm.workcell import Workcell, read_workcell
from tests.arm_runs import Still, run_from
from tests.emulated import running

WORLD = Path(__file__).parents[1] / "problems" / "xarm" / "bench.toml"
TEXT = "approach the closest cup, touch it, lift, and go home"
START = (0.45, 0.0, 0.35)
"""Metres: where the tool is in the beginning, over the middle of the cups, so that each can be the nearest."""


def main() -> int:
    parser = argparse.ArgumentParser(description=f"{TEXT!r} with three cups at random places.")
    parser.add_argument("--n", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--llm", default="qwen2.5-coder-1.5b")
    asked = parser.parse_args()
    cell, model = read_workcell(WORLD), load(asked.llm)
    ways, right = Ways(cell), 0
    q = arm_ik.solve(cell.arm, from_rpy(START, (np.pi, 0.0, 0.0)) @ inverse(cell.T_flange_tool), home_of(cell))
    assert q is not None
    with running("xarm6", "--seconds", "3600") as emulator:
        for number in range(asked.n):
            cups = layout(np.random.default_rng((asked.seed, number)))
            plan = write_plan(TEXT, list(cell.poses), cell.labels, model)
            assert not breaches_in(plan, cell)
            with tempfile.TemporaryDirectory() as folder:
                log = Path(folder) / "run"
                verdict = run_from(q, emulator, ways, steps_of(plan), log, Still([("cup", c) for c in cups]))
                events = read(log / "episode.jsonl")
            second = next(n for n, e in enumerate(events) if e["event"] == "done" and e["number"] == 2)
            at = next(e["q"] for e in reversed(events[:second]) if e["event"] == "at")
            nearest = min(cups, key=lambda c: float(np.linalg.norm(c - ways.tool(q)[:3, 3])))
            miss = float(np.linalg.norm(ways.tool(np.array(at))[:3, 3] - nearest))
            home = error(ways.tool(np.array(emulator.state()["joints"])), cell.poses["home"].T_base_tool)
            good = verdict.success and miss < 0.0005 and float(np.linalg.norm(home[:3])) < 0.0005
            right += good
            sys.stderr.write(f"{number + 1}/{asked.n} {'right' if good else verdict.reason}: {miss * 1000:.3f} mm\n")
    sys.stdout.write(f"{right} of {asked.n} layouts: the right cup, touched, lifted, home ({asked.llm}, oracle)\n")
    return int(right < asked.n)


def home_of(cell: Workcell) -> Array:
    q = cell.poses["home"].q
    assert q is not None
    return q


def layout(rng: np.random.Generator) -> list[Array]:
    """Three cups (3,) on the table, at least 8 cm apart, within reach and away from the boxes."""
    cups: list[Array] = []
    while len(cups) < 3:
        p = np.array([*rng.uniform([0.3, -0.25], [0.55, 0.25]), 0.06])
        if all(np.linalg.norm(p - c) > 0.08 for c in cups):
            cups.append(p)
    return cups


if __name__ == "__main__":
    raise SystemExit(main())
