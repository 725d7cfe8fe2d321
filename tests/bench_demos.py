"""`make bench-demos`: demonstrations of LIBERO's tasks, and their actions replayed in a stock LIBERO environment.

A row an episode: whether LIBERO's check accepts it there, too, and how far its simulation is from the recorded one at
most. With `--disturb KIND` the state after the disturbance is set as it was recorded, since no action of the robot
brings it about. With `--reader PYTHON`, of an environment in which lerobot is installed, lerobot reads every frame.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from tests.bench import ROOT, Row

DUE = 0.98
SETTLING = 10
"""Control steps with which LIBERO's evaluation begins."""
LASTS = 40
"""Control steps within which a disturbance is over."""
APART = 1e-3
"""Metres and radians between two simulations that are not the same any more."""
READ = """
import sys
from lerobot.datasets.lerobot_dataset import LeRobotDataset

dataset = LeRobotDataset("tamp/demos", root=sys.argv[1], video_backend="pyav")
print(sum(frame["frame_index"].item() >= 0 for frame in dataset))
"""


def bench(
    suites: tuple[str, ...] = ("libero_spatial", "libero_object", "libero_goal", "libero_10"),
    tasks: str | None = None,
    n: int = 1,
    disturb: str | None = None,
    workers: int = 2,
    out: str = "results/demos",
    reader: str | None = None,
) -> Iterator[Row]:
    """Record, then a row for each demonstration that is replayed, and one for the reader."""
    words = ["demos", *suites, "--n", str(n), "--workers", str(workers), "--out", out]
    words += [*(("--tasks", tasks) if tasks else ()), *(("--disturb", disturb) if disturb else ())]
    subprocess.run([sys.executable, "-m", "cli", *words], cwd=ROOT, check=True)
    dataset = ROOT / out / "dataset"
    data = pq.read_table(dataset / "data").to_pydict()
    for episode in pq.read_table(dataset / "meta" / "episodes").to_pylist():
        yield _replayed(dataset, episode, data)
    if reader:
        command = [reader, "-c", READ, str(dataset)]
        read = subprocess.run(command, capture_output=True, text=True, check=False, timeout=3600)
        yield Row("read by lerobot", read.stdout.strip() == str(len(data["index"])), {}, read.stderr[-500:])


def _replayed(dataset: Path, episode: dict[str, Any], data: dict[str, list[Any]]) -> Row:
    from libero.libero import benchmark
    from libero.libero.envs.env_wrapper import ControlEnv

    suite, number = episode["source"].split("/")
    task = benchmark.get_benchmark_dict()[suite]()
    first, last, disturbed = episode["dataset_from_index"], episode["dataset_to_index"], episode["disturbed_at"]
    states = np.load(dataset / "privileged" / f"episode_{episode['episode_index']:06}.npz")["states"]
    stock = ControlEnv(task.get_task_bddl_file_path(int(number)), use_camera_obs=False, has_offscreen_renderer=False)
    try:
        stock.seed(episode["seed"])
        stock.reset()
        for _ in range(SETTLING):
            stock.step([0.0] * 6 + [-1.0])
        apart, accepted = 0.0, False
        for period, action in enumerate(data["action"][first:last]):
            away = float(np.abs(stock.get_sim_state() - states[period])[1:].max())
            if 0 <= disturbed < period <= disturbed + LASTS and away > APART:
                stock.sim.set_state_from_flattened(states[period])
                stock.sim.forward()
                away = 0.0
            apart = max(apart, away)
            stock.step(action)
            accepted = bool(stock.check_success())
    finally:
        stock.close()
    values = {"apart": apart, "steps": float(last - first)}
    line = "recovered" if disturbed >= 0 else "replayed"
    return Row(
        line, accepted, values, f"{episode['source']} seed {episode['seed']}", case=str(episode["episode_index"])
    )
