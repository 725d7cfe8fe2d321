"""`make bench-arm-cups`: an instruction, three cups, random layouts: whether the arm touches the right one.

Every layout is one `tamp solve --backend xarm` as a user types it, with the emulator and its detector; where the
emulated arm really was after its second step is compared with the cup that is nearest to where the tool was in the
beginning.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from motion.arm_model import arm_world
from motion.kinematics import solve_near
from motion.poses import Array, from_rpy, inverse
from tamp.backends.xarm.motion_planner import MotionPlanner
from tamp.backends.xarm.workcell import read_workcell
from tamp.runs.episode_log import read
from tests.arm_runs import tool_point
from tests.bench import ROOT, Row
from tests.emulated import TAMP, running

DUE = 1.0
WORLD = ROOT / "problems" / "xarm" / "bench.toml"
TEXT = "approach the closest cup, touch it, lift, and go home"
START = (0.45, 0.0, 0.35)
"""Metres: where the tool is in the beginning, over the middle of the cups, so that each can be the nearest."""
EXACT = 0.0005
"""Metres: how near to the cup and to home the tool has to be."""


def bench(n: int = 20, seed: int = 0, llm: str = "qwen2.5-coder-1.5b") -> Iterator[Row]:
    """A row a layout."""
    cell = read_workcell(WORLD)
    ways, home = MotionPlanner(cell), cell.poses["home"]
    assert home.q is not None and cell.detector.source is not None
    q = solve_near(arm_world(cell.arm), from_rpy(START, (np.pi, 0.0, 0.0)) @ inverse(cell.T_flange_tool), home.q)
    assert q is not None
    with running("xarm6", "--seconds", "3600", "--detections", cell.detector.source) as emulator:
        for number in range(n):
            cups = layout(np.random.default_rng((seed, number)))
            emulator.ask(teleport=[float(v) for v in q])
            emulator.ask(things=[{"label": "cup", "xyz_mm": [1000 * float(v) for v in c]} for c in cups])
            with tempfile.TemporaryDirectory() as folder:
                command = ["solve", TEXT, "--backend", "xarm", "--world", str(WORLD), "--host", emulator.host, "--port"]
                command += [str(emulator.port), "--llm", llm, "--out", f"{folder}/run", "--json"]
                done = subprocess.run([*TAMP, *command], cwd=ROOT, capture_output=True, text=True, check=False)
                answer, at = json.loads(done.stdout), q
                if answer["steps"] >= 2:  # where the arm was when its second step was done
                    events = read(Path(folder) / "run" / "episode.jsonl")
                    second = next(k for k, e in enumerate(events) if e["event"] == "done" and e["number"] == 2)
                    at = np.array(next(e["q"] for e in reversed(events[:second]) if e["event"] == "at"))
            nearest = min(cups, key=lambda c: float(np.linalg.norm(c - ways.tool(q)[:3, 3])))
            miss = float(np.linalg.norm(ways.tool(at)[:3, 3] - nearest))
            off = float(np.linalg.norm(tool_point(emulator, ways) - home.T_base_tool[:3, 3]))
            right = answer["success"] and miss < EXACT and off < EXACT
            values = {"miss, mm": 1000 * miss}
            yield Row("the right cup, touched, lifted, home", right, values, str(answer.get("reason")), str(number))


def layout(rng: np.random.Generator) -> list[Array]:
    """Three cups (3,) on the table, at least 8 cm apart, within reach and away from the boxes."""
    cups: list[Array] = []
    while len(cups) < 3:
        p = np.array([*rng.uniform([0.3, -0.25], [0.55, 0.25]), 0.06])
        if all(np.linalg.norm(p - c) > 0.08 for c in cups):
            cups.append(p)
    return cups
