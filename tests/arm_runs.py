"""Runs on an emulated arm: a detector for a scene that stays as it is, and a run with its log."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from motion.poses import Array
from tamp.backends.xarm.arm_backend import ArmBackend
from tamp.backends.xarm.arm_performer import ArmPerformer
from tamp.backends.xarm.arm_steps import Step
from tamp.backends.xarm.arm_stop import ArmResult, ArmStop
from tamp.backends.xarm.detections import Detection
from tamp.backends.xarm.driver import Driver
from tamp.backends.xarm.hand import HandController, HandEvent
from tamp.backends.xarm.motion_planner import MotionPlanner, StepRefiner
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
    """Run steps from a configuration (n,), at which the arm is put without an error. `how` is for `run_on`."""
    driver = Driver.connect(emulator.host, ways.cell.arm, emulator.port)
    try:
        driver.clear()
        emulator.ask(teleport=[float(v) for v in q])
        return conduct(folder, lambda log: run_on(driver, ways, steps, log, eyes, stop or ArmStop(), **how))
    finally:
        driver.close()


def run_on(
    driver: Driver,
    ways: MotionPlanner,
    steps: Sequence[Step | HandEvent],
    log: Any,
    eyes: Any,
    stop: ArmStop,
    hand: HandController | None = None,
    check_twice: bool = True,
) -> ArmResult:
    """Run steps on an arm that is connected."""
    refiner = StepRefiner(ways, StepTargets(ways.cell, eyes), log.event, check_twice)
    performer = ArmPerformer(ArmBackend(driver, ways.cell.T_flange_tool), refiner, stop, hand)
    return performer.carry_out(steps, log.take)


def tool_point(emulator: Emulator, ways: MotionPlanner) -> Array:
    """Where the emulator really has the tool point (3,), base frame."""
    return np.asarray(ways.tool(np.array(emulator.state()["joints"]))[:3, 3])
