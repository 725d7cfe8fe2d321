"""`make bench-table-faults`: faults of every kind while an emulated xArm picks and places, at every phase, hand loaded.

A run puts a bowl onto a plate through the SDK, among things that weigh something, while a fault of the controller or of
the connection comes at a certain target of its stream: while the arm approaches, while it grips, while it holds. What
must hold: a run that says that it succeeded did, and one that did not says why; nothing moves after the arm has
acknowledged the stop; what the hand held is still in it; and the next run works with the same emulator.
"""

from __future__ import annotations

import contextlib
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from motion.poses import Array
from motion.robot import RobotDescription
from tamp.backends import bodies
from tamp.backends.libero import rendering, tasks
from tamp.backends.physics.start import start_of
from tamp.backends.xarm.arm_faults import ArmFault
from tamp.backends.xarm.arm_table import ArmTable
from tamp.backends.xarm.driver import Driver
from tamp.backends.xarm.emulated_perception import EmulatedOracle
from tamp.backends.xarm.workcell import Load
from tamp.model.atoms import Atom
from tamp.model.goal import Goal
from tamp.model.scene import Scene
from tamp.pddl.domain_file import load
from tamp.runs.episode import Result, Settings
from tamp.runs.episode_log import EpisodeLog
from tests.bench import Row
from tests.emulated import Emulator
from tests.places import at_table

DUE = 1.0
SCENE, STATE = "libero_goal/8", 0
THING, GOAL = "akita_black_bowl_1", Atom("on", ("akita_black_bowl_1", "plate_1"))
KINDS = (
    "collision", "overspeed", "joint_limit", "emergency", "kinematic", "self_collision", "servo",
    "drop", "freeze", "garbage", "half", "delay",
)  # fmt: skip
SECONDS = {"freeze": 2.5, "delay": 1.5, "drop": 0.5}
TARGETS = {"approach": 60, "grip": 140, "lift": 175, "carry": 205, "lower": 235}
"""Targets of the stream, a hundred a second of motion, at which something happens."""
QUIET = 1.0
"""Seconds after a run in which nothing may move."""
STILL, STAYS, LIFTED = 1e-3, 0.01, 0.02
"""Radians that joints may creep; metres that a held thing may; metres above its place from which it counts as held."""


@dataclass(frozen=True)
class Case:
    """A fault at a phase."""

    kind: str
    phase: str

    def __str__(self) -> str:
        return f"{self.kind} at {self.phase}"


class Bench:
    """One emulator, with a scene that is put back before each run."""

    def __init__(self, body: str) -> None:
        self.arm, self.hand = bodies.find(body).for_sdk()
        self.start: Scene
        self.robot: RobotDescription
        start = start_of(tasks.find(SCENE), 0, STATE, body)
        self.start, self.robot = start.scene, start.robot
        self.emulator = Emulator(body, ("--scene", SCENE, "--init-state", str(STATE), "--seconds", "14000"))
        self.settings = Settings(load("tabletop"), seed=0, init_state=STATE, body=body)

    def put_back(self) -> None:
        """Everything is where it was at the start."""
        self.emulator.ask(clear="faults")
        self.emulator.ask(release="emergency")
        driver = self.connected()
        driver.clear()
        driver.prepare(self.hand.T_flange_tool, Load(self.hand.mass, np.zeros(3)))
        driver.stream()
        driver.grip(1.0)
        time.sleep(0.5)
        driver.halt()
        driver.close()
        self.emulator.ask(teleport=self.robot.posture.tolist())
        for o in self.start:
            if o.movable:
                self.emulator.ask(put=o.name, pose=o.T_world_object.ravel().tolist())
        time.sleep(0.7)

    def connected(self) -> Driver:
        return Driver.connect(self.emulator.host, self.arm, self.emulator.port)

    def tried(self, case: Case) -> tuple[Result, list[str]]:
        """A run with a fault, and what does not hold of it."""
        self.put_back()
        result = Result()
        with tempfile.TemporaryDirectory() as folder, EpisodeLog(Path(folder) / "run") as log:
            try:
                result = self._run(case, log)
            except ArmFault as fault:
                result.stage, result.reason = fault.kind, str(fault)
        stopped = self.emulator.state()["now"]
        before = self.emulator.ask(query="scene")
        time.sleep(QUIET)
        return result, list(self._wrong(result, stopped, before, self.emulator.ask(query="scene")))

    def _run(self, case: Case, log: EpisodeLog) -> Result:
        hand, goal = self.hand, Goal(GOAL)
        with contextlib.ExitStack() as stack:
            driver = stack.enter_context(contextlib.closing(self.connected()))
            driver.prepare(hand.T_flange_tool, Load(hand.mass, hand.T_flange_tool[:3, 3] / 2))
            table = stack.enter_context(contextlib.closing(ArmTable(driver, self.robot)))
            port = self.emulator.told["fault_port"]
            eyes = EmulatedOracle(self.emulator.host, port, self.start, table.observe)
            stack.enter_context(contextlib.closing(eyes))
            fault: dict[str, Any] = {"fault": case.kind, "motion": TARGETS[case.phase]}
            fault |= {"seconds": SECONDS[case.kind]} if case.kind in SECONDS else {}
            assert "armed" in self.emulator.ask(**fault)
            return at_table(table, eyes, eyes, lambda *_: (goal,), self.settings, log)

    def _wrong(self, result: Result, stopped: float, before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
        if not result.success and not result.reason:
            yield "it says neither that it is done nor why not"
        if (moved := self.emulator.state()["moved_at"] or 0.0) > stopped:
            yield f"its controller moved {moved - stopped:.2f} s after the stop"
        if (crept := float(np.abs(np.subtract(before["q"], after["q"])).max())) > STILL:
            yield f"its joints moved by {crept:.4f} rad after the stop"
        held = _pose(before)[2, 3] > self.start.object(THING).position[2] + LIFTED and before["opening"] < 0.05
        if held and not result.success:
            slipped = float(np.linalg.norm(_pose(after)[:3, 3] - _pose(before)[:3, 3]))
            if slipped > STAYS:
                yield f"what it held moved by {slipped * 1000:.0f} mm after the stop"


def _pose(told: dict[str, Any]) -> Array:
    return np.array(told["poses"][THING]).reshape(4, 4)


def bench(repeat: int = 1, body: str = "xarm7", only: tuple[str, ...] = KINDS) -> Iterator[Row]:
    """A row a run, a line a kind of fault."""
    rendering.prepare(video=False, may=True)
    arm = Bench(body)
    try:
        for kind in only:
            for case in [Case(kind, phase) for _ in range(repeat) for phase in TARGETS]:
                result, wrong = arm.tried(case)
                ended = "succeeded" if result.success else f"{result.stage}: {result.reason}"
                yield Row(kind, not wrong, {}, "; ".join([ended, *wrong]), case.phase)
    finally:
        arm.emulator.end()
