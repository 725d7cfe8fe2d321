"""`make bench-accept`: what the project promises, through the command line: every episode is a process of its own.

`demo`: "put the mug in the drawer" on 20 seeds: success by LIBERO's check, in at most 300 control steps, still so 20
steps later with the hand empty, and what was moved within 20° of upright. `close`: a drawer that cannot shut on the
mug is refused, with both heights. `words`: five tasks by their instructions in initial states 0 to 4. `tasks`: 40
tasks from their own goals.
"""

from __future__ import annotations

import json
import math
import subprocess
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from motion.poses import from_quat
from tamp.runs.episode_log import read
from tests.bench import Kept, Row
from tests.emulated import TAMP

DUE = 1.0
DEMO = "put the mug in the drawer"
SUITES = ("libero_spatial", "libero_object", "libero_goal", "libero_10")
INSTRUCTED = ("libero_spatial/0", "libero_object/0", "libero_goal/3", "libero_goal/7", "libero_10/3")


def bench(kept: Kept, n: int = 20, only: tuple[str, ...] = ("demo", "close", "words", "tasks")) -> Iterator[Row]:
    """A row an episode; `n` seeds of the demo."""
    for seed in range(n if "demo" in only else 0):
        if kept.has(case := f"demo {seed}"):
            continue
        found, seconds, folder = _solved(kept, case, DEMO, "--seed", str(seed))
        values, held, reason = {"s": seconds}, False, str(found.get("reason"))
        if found.get("success"):
            empty, tilt = _end(folder)
            values |= {"language s": found["seconds"]["language"], "steps": found["steps"], "tilt, degrees": tilt}
            held = bool(found["lasting"]) and empty and tilt <= 20 and found["steps"] <= 300
            reason = f"lasting {found['lasting']}, hand empty {empty}"
        yield Row("demo", held, values, reason, case)
    if "close" in only and not kept.has("close"):
        found, seconds, _ = _solved(kept, "close", f"{DEMO} and close it")
        reason = str(found.get("reason"))
        refused = found.get("success") is False and reason.count(" cm") >= 2 and "clearance" in reason
        yield Row("'… and close it' is refused, with heights", refused, {"s": seconds}, reason, "close")
    for scene, state in product(INSTRUCTED if "words" in only else (), range(5)):
        if not kept.has(case := f"{scene.replace('/', '-')} {state}"):
            text = _ran("scene", "show", scene, "--init-state", "0")["instruction"]
            found, seconds, _ = _solved(kept, case, text, "--scene", scene, "--init-state", str(state))
            yield Row("from words", bool(found.get("success")), {"s": seconds}, str(found.get("reason")), case)
    for suite in SUITES if "tasks" in only else ():
        folder = kept.folder / suite
        _ran("bench", suite, "--stage", "plan", "--trials", "1", "--out", str(folder))
        for r in map(json.loads, (folder / "results.jsonl").read_text().splitlines()):
            if not kept.has(case := f"{suite} {r['task_id']}"):
                reason = f"{r['failure_stage']}: {r['failure_reason']}"
                yield Row(f"task goals, {suite}", r["success"], {"steps": r["steps"]}, reason, case)


def _ran(*words: str) -> dict[str, Any]:
    """A command's answer. KeyboardInterrupt where it was interrupted; what it wrote where it has no answer."""
    done = subprocess.run([*TAMP, *words, "--json"], capture_output=True, text=True, check=False)
    if done.returncode == 130:
        raise KeyboardInterrupt
    return dict(json.loads(done.stdout)) if done.stdout.strip() else {"reason": done.stderr[-500:]}


def _solved(kept: Kept, case: str, *words: str) -> tuple[dict[str, Any], float, Path]:
    """The answer of a `tamp solve`, its seconds, and the folder of its episode."""
    folder = kept.folder / "episodes" / f"{case.replace(' ', '-')}-{time.time_ns()}"
    begun = time.monotonic()
    return _ran("solve", *words, "--out", str(folder)), time.monotonic() - begun, folder


def _end(episode: Path) -> tuple[bool, float]:
    """Whether the hand is empty at the end, and by how many degrees the goal's first thing leans then."""
    events = {e["event"]: e for e in read(episode / "episode.jsonl")}
    name = events["goal"]["goal"].replace("(and ", "").strip("()").split()[1].strip(")")
    before, after = (from_quat(np.zeros(3), np.array(events[e]["poses"][name][3:])) for e in ("scene", "final"))
    leans = (after[:3, :3] @ before[:3, :3].T)[2, 2]
    return "(hand-empty)" in events["final"]["atoms"], math.degrees(math.acos(min(1.0, float(leans))))
