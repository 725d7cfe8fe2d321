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
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from motion.poses import Array
from tamp.backends import bodies
from tamp.backends.libero import rendering, tasks
from tamp.backends.physics.start import start_of
from tamp.backends.xarm.arm_stop import ArmFault
from tamp.backends.xarm.arm_table import ArmTable
from tamp.backends.xarm.driver import Driver
from tamp.backends.xarm.emulated_perception import EmulatedOracle
from tamp.backends.xarm.workcell import Load
from tamp.model.atoms import Atom
from tamp.model.goal import Goal
from tamp.pddl.domain_file import load
from tamp.runs.episode import Result, Settings
from tamp.runs.episode_log import EpisodeLog
from tests.bench import Row
from tests.bench_arm_faults import BY_CONTROLLER, QUIET, SECONDS
from tests.emulated import Emulator
from tests.places import at_table

DUE = 1.0
SCENE, STATE = "libero_goal/8", 0
THING, GOAL = "akita_black_bowl_1", Atom("on", ("akita_black_bowl_1", "plate_1"))
TARGETS = {"approach": 60, "grip": 140, "lift": 175, "carry": 205, "lower": 235}
"""Targets of the stream, a hundred a second of motion, at which something happens."""
STILL, STAYS, LIFTED = 1e-3, 0.01, 0.02
"""Radians that joints may creep; metres that a held thing may; metres above its place from which it counts as held."""


class Bench:
    """One emulator, with a scene that is put back before each run."""

    def __init__(self, body: str) -> None:
        self.arm, self.hand = bodies.find(body).for_sdk()
        start = start_of(tasks.find(SCENE), 0, STATE, body)
        self.start, self.robot = start.scene, start.robot
        self.emulator = Emulator(body, ("--scene", SCENE, "--init-state", str(STATE), "--seconds", "14000"))
        self.settings = Settings(load("tabletop"), seed=0, init_state=STATE, body=body)

    def put_back(self) -> None:
        """Everything is where it was at the start."""
        self.emulator.ask(clear="faults")
        self.emulator.ask(release="emergency")
        with contextlib.closing(self.connected()) as driver:
            driver.clear()
            driver.prepare(self.hand.T_flange_tool, Load(self.hand.mass, np.zeros(3)))
            driver.stream()
            driver.grip(1.0)
            time.sleep(0.5)
            driver.halt()
        self.emulator.ask(teleport=self.robot.posture.tolist())
        for o in self.start:
            if o.movable:
                self.emulator.ask(put=o.name, pose=o.T_world_object.ravel().tolist())
        time.sleep(0.7)

    def connected(self) -> Driver:
        return Driver.connect(self.emulator.host, self.arm, self.emulator.port)

    def tried(self, kind: str, phase: str) -> tuple[Result, list[str]]:
        """A run with a fault, and what does not hold of it."""
        self.put_back()
        result = Result()
        with tempfile.TemporaryDirectory() as folder, EpisodeLog(Path(folder) / "run") as log:
            try:
                result = self._run(kind, TARGETS[phase], log)
            except ArmFault as fault:
                result.stage, result.reason = fault.kind, str(fault)
        stopped, before = self.emulator.state()["now"], self.emulator.ask(query="scene")
        time.sleep(QUIET)
        return result, list(self._wrong(result, stopped, before, self.emulator.ask(query="scene")))

    def _run(self, kind: str, target: int, log: EpisodeLog) -> Result:
        hand, port = self.hand, self.emulator.shown["fault_port"]
        with contextlib.closing(self.connected()) as driver:
            driver.prepare(hand.T_flange_tool, Load(hand.mass, hand.T_flange_tool[:3, 3] / 2))
            with (
                contextlib.closing(ArmTable(driver, self.robot)) as table,
                contextlib.closing(EmulatedOracle(self.emulator.host, port, self.start, table.observe)) as oracle,
            ):
                fault = {"fault": kind, "motion": target, "seconds": SECONDS.get(kind)}
                assert "armed" in self.emulator.ask(**{k: v for k, v in fault.items() if v is not None})
                return at_table(table, oracle, oracle, lambda *_: (Goal(GOAL),), self.settings, log)

    def _wrong(self, result: Result, stopped: float, before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
        if not result.success and not result.reason:
            yield "it says neither that it is done nor why not"
        if (moved := self.emulator.state()["moved_at"] or 0.0) > stopped:
            yield f"its controller moved {moved - stopped:.2f} s after the stop"
        if (crept := float(np.abs(np.subtract(before["q"], after["q"])).max())) > STILL:
            yield f"its joints moved by {crept:.4f} rad after the stop"
        was, came = _position(before), _position(after)
        held = was[2] > self.start.object(THING).position[2] + LIFTED and before["opening"] < 0.05
        if held and not result.success and (slipped := float(np.linalg.norm(came - was))) > STAYS:
            yield f"what it held moved by {slipped * 1000:.0f} mm after the stop"


def _position(scene: dict[str, Any]) -> Array:
    return np.array(scene["poses"][THING]).reshape(4, 4)[:3, 3]


def bench(repeat: int = 1, body: str = "xarm7", only: tuple[str, ...] = tuple(BY_CONTROLLER)) -> Iterator[Row]:
    """A row a run, a line a kind of fault."""
    rendering.prepare(video=False, may=True)
    arm = Bench(body)
    with contextlib.ExitStack() as stack:
        stack.callback(arm.emulator.end)
        for kind, _, phase in product(only, range(repeat), TARGETS):
            result, wrong = arm.tried(kind, phase)
            ended = "succeeded" if result.success else f"{result.stage}: {result.reason}"
            yield Row(kind, not wrong, {}, "; ".join([ended, *wrong]), phase)
