"""Runs on an emulated arm for benches: a detector for a scene that stays as it is, and a run with its log."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from motion.poses import Array
from tamp.episode import EpisodeLog
from tamp.xarm.detections import Detection
from tamp.xarm.driver import Driver
from tamp.xarm.executor import Executor
from tamp.xarm.steps import Step
from tamp.xarm.stopping import Stop
from tamp.xarm.targets import Targets
from tamp.xarm.verdict import Verdict
from tamp.xarm.ways import Ways
from tests.emulated import Emulator


class Still:
    """Sees the same things for ever."""

    def __init__(self, things: Sequence[tuple[str, Array]]) -> None:
        self.things = things

    def seen(self) -> tuple[Detection, ...]:
        return tuple(Detection(label, 0.9, p, time.time()) for label, p in self.things)

    def close(self) -> None:
        pass


def run_from(
    q: Array, emulator: Emulator, ways: Ways, steps: Sequence[Step], folder: Path, eyes: Any = None
) -> Verdict:
    """Run steps from a configuration (n,), at which the arm is put without an error."""
    driver = Driver.connect(emulator.host, ways.cell.arm, emulator.port)
    try:
        driver.clear()
        emulator.ask(teleport=[float(v) for v in q])
        with EpisodeLog(folder) as log:
            return Executor(driver, ways, Targets(ways.cell, eyes), Stop(), log.event).run(steps)
    finally:
        driver.close()


def tool_point(emulator: Emulator, ways: Ways) -> Array:
    """Where the emulator really has the tool point (3,), base frame."""
    return np.asarray(ways.tool(np.array(emulator.state()["joints"]))[:3, 3])
