"""Runs on an emulated arm: a detector for a scene that stays as it is, and a run with its log."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from motion.poses import Array
from tamp.backends.xarm.arm_result import ArmResult
from tamp.backends.xarm.arm_steps import Step
from tamp.backends.xarm.arm_stop import ArmStop
from tamp.backends.xarm.detections import Detection
from tamp.backends.xarm.driver import Driver
from tamp.backends.xarm.executor import Executor
from tamp.backends.xarm.hand import HandEvent
from tamp.backends.xarm.motion_planner import MotionPlanner
from tamp.backends.xarm.step_targets import StepTargets
from tamp.runs.episode_runner import conduct
from tests.emulated import Emulator


class Still:
    """Sees the same things for ever, `age` seconds late."""

    def __init__(self, things: Sequence[tuple[str, Array]], age: float = 0.0) -> None:
        self.things, self.age = things, age

    def seen(self) -> tuple[Detection, ...]:
        return tuple(Detection(label, 0.9, p, time.time() - self.age) for label, p in self.things)

    def trouble(self) -> None:
        pass

    def close(self) -> None:
        pass


def run_from(
    q: Array,
    emulator: Emulator,
    ways: MotionPlanner,
    steps: Sequence[Step | HandEvent],
    folder: Path,
    eyes: Any = None,
    stop: ArmStop | None = None,
    **how: Any,
) -> ArmResult:
    """Run steps from a configuration (n,), at which the arm is put without an error. `how` is for the executor."""
    driver = Driver.connect(emulator.host, ways.cell.arm, emulator.port)
    try:
        driver.clear()
        emulator.ask(teleport=[float(v) for v in q])
        targets, stop = StepTargets(ways.cell, eyes), stop or ArmStop()
        return conduct(folder, lambda log: Executor(driver, ways, targets, stop, log.event, **how).run(steps))
    finally:
        driver.close()


def tool_point(emulator: Emulator, ways: MotionPlanner) -> Array:
    """Where the emulator really has the tool point (3,), base frame."""
    return np.asarray(ways.tool(np.array(emulator.state()["joints"]))[:3, 3])
