"""`make bench-arm-faults`: every fault at every phase of a run on the emulated arm, over its unmodified SDK.

A run carries out a plan of six motions while a fault of the controller, of the connection, of the detector or a stop
comes at a certain motion, before it or in the middle of it. What must hold: the verdict is true (a run that says that
it succeeded did, and one that did not says why with the right kind of reason); nothing moves after the arm has
acknowledged the stop; the log ends with the reason; and the next run works with the same emulator, without anything
being restarted. The seconds and degrees are from the fault to standstill, of the joint that moves most.
"""

from __future__ import annotations

import json
import random
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from tamp.backends.xarm.arm_steps import ApproachObject, MoveToNamed, MoveToObject, MoveToPose, RetreatZ, Sleep, Step
from tamp.backends.xarm.arm_stop import ArmFault, ArmResult, ArmStop
from tamp.backends.xarm.detections import Detection
from tamp.backends.xarm.driver import Driver
from tamp.backends.xarm.motion_planner import MotionPlanner
from tamp.backends.xarm.workcell import Workcell, read_workcell
from tamp.runs.episode_log import read as read_log
from tamp.runs.episode_runner import conduct
from tests.arm_runs import Still, run_on
from tests.bench import ROOT, Row, grouped
from tests.emulated import Emulator, running

DUE = 1.0
PLAN: tuple[Step, ...] = (
    MoveToNamed("home"),
    ApproachObject(("cup",)),
    MoveToObject(("cup",)),
    RetreatZ(0.08),
    Sleep(0.1),
    MoveToPose((0.4, -0.15, 0.25), (np.pi, 0.0, 0.0)),
    MoveToNamed("home"),
)
AGAIN: tuple[Step, ...] = (MoveToPose((0.4, 0.1, 0.3), (np.pi, 0.0, 0.0)), MoveToNamed("home"))
MOTIONS = 5
CUP = np.array([0.42, 0.06, 0.06])
QUIET = 1.0
"""Seconds after a run in which nothing may move."""
SECONDS = {"freeze": 2.5, "delay": 1.5, "drop": 0.5}
"""For which a fault lasts."""
ERRORS = ("collision", "overspeed", "joint_limit", "emergency", "kinematic", "self_collision", "servo")
BY_CONTROLLER = {kind: {"error"} for kind in ERRORS} | {
    "drop": {"lost", "frozen", "unreachable"},
    "freeze": {"frozen", "lost"},
    "garbage": {"lost", "frozen", "refused", ""},
    "half": {"lost", "frozen", "refused", ""},
    "delay": {"frozen", "lost", ""},
}
EXPECTED = BY_CONTROLLER | {
    "thread": {"stopped"},
    "dead man": {"stopped"},
    "stale": {"unseen", ""},
    "blind": {"unseen", ""},
    "other client": {"taken"},
    "teleport": {"tracking_error", "taken", ""},
}
"""Kinds of verdict that are true of a fault; empty: the run may succeed in spite of it."""


@dataclass(frozen=True)
class Case:
    """A fault: what the emulator is ordered, or what stops the run; at the k-th motion, and how far through it."""

    kind: str
    motion: int
    share: float | None

    def __str__(self) -> str:
        at = "before" if self.share is None else f"after {self.share:.0%} of"
        return f"{self.kind} {at} motion {self.motion}"


class Detector(Still):
    """Sees a cup, until it is made blind or stuck."""

    def __init__(self) -> None:
        super().__init__([("cup", CUP)])
        self.stuck_at: float | None = None

    def seen(self) -> tuple[Detection, ...]:
        found = super().seen()
        return found if self.stuck_at is None else tuple(replace(d, time=self.stuck_at) for d in found)


def bench(repeat: int = 1, seed: int = 0, only: tuple[str, ...] = tuple(EXPECTED)) -> Iterator[Row]:
    """A row a run, a line a kind of fault."""
    todo = [Case(*each) for each in product(only, range(1, MOTIONS + 1), (None, 0.1, 0.5, 0.9))] * repeat
    random.Random(seed).shuffle(todo)
    cell = read_workcell(ROOT / "problems" / "xarm" / "bench.toml")
    cell = replace(cell, rates=replace(cell.rates, joint_speed=2.0, joint_acceleration=8.0, tool_speed=0.5))
    ways = MotionPlanner(cell)
    with running("xarm6", "--seconds", "7200") as emulator:
        for case in todo:
            verdict, wrong, rest = tried(case, ways, emulator)
            values = {} if rest is None or verdict.success else {"to rest, s": rest[0], "degrees": np.rad2deg(rest[1])}
            word = verdict.kind or "succeeded"
            yield Row(case.kind, not wrong, values, "; ".join([word, *wrong]), str(case), {"verdict": word})


def summary(rows: Sequence[Row]) -> Iterator[str]:
    """How the runs of each kind ended."""
    for kind, some in grouped(rows).items():
        yield f"{kind}: {dict(Counter(row.data['verdict'] for row in some))}"


def tried(
    case: Case, ways: MotionPlanner, emulator: Emulator
) -> tuple[ArmResult, list[str], tuple[float, float] | None]:
    """The verdict of a run with a fault, what does not hold that must, and the seconds and radians from the fault to
    standstill, where it happened."""
    with tempfile.TemporaryDirectory() as folder:
        _put_home(ways.cell, emulator)
        verdict, ours = ran(case, ways, emulator, Path(folder) / "run")
        after = emulator.state()
        time.sleep(QUIET)
        later = emulator.state()
        found = list(_untrue(case, verdict, read_log(Path(folder) / "run" / "episode.jsonl")))
        moved_at = later["moved_at"] or 0.0
        if verdict.halted and moved_at > after["now"]:
            found.append(f"moved {moved_at - after['now']:.2f} s after the stop was acknowledged")
        rest = None
        if faulted := next(iter(later["happened"]), ours):
            radians = np.abs(np.subtract(later["joints"], faulted["joints"])).max()
            rest = max(0.0, moved_at - faulted["at"]), float(radians)
        emulator.ask(clear="faults")
        emulator.ask(release="emergency")
        if case.kind == "teleport":  # which may have left it outside of the workspace
            _put_home(ways.cell, emulator)
        again, _ = ran(None, ways, emulator, Path(folder) / "again")
        if not again.success:
            found.append(f"the next run did not work: {again.kind}: {again.reason}")
    return verdict, found, rest


def _put_home(cell: Workcell, emulator: Emulator) -> None:
    q = cell.poses["home"].q
    assert q is not None
    emulator.ask(teleport=[float(v) for v in q])


def _untrue(case: Case, verdict: ArmResult, log: list[dict[str, Any]]) -> Iterator[str]:
    if verdict.kind not in EXPECTED[case.kind]:
        yield f"the verdict is {verdict.kind or 'success'!r}: {verdict.reason}"
    if verdict.success and [d.number for d in verdict.done] != list(range(1, len(PLAN) + 1)):
        yield "it says success, but not all steps were done"
    if not log or log[-1]["event"] != "outcome" or log[-1]["reason"] != verdict.reason:
        yield f"the log does not end with the reason: {json.dumps(log[-1]) if log else 'it is empty'}"


def ran(
    case: Case | None, ways: MotionPlanner, emulator: Emulator, folder: Path
) -> tuple[ArmResult, dict[str, Any] | None]:
    """One run with a fault, or one without from where the one before has left the arm; and where the arm was, and when,
    as the bench did something to it."""
    detector, stop = Detector(), ArmStop(dead_man=1.0 if case and case.kind == "dead man" else None)
    try:
        driver = Driver.connect(emulator.host, ways.cell.arm, emulator.port)
    except ArmFault as e:
        return ArmResult(False, (), 1, e.kind, str(e)), None
    try:
        if case is None:
            driver.clear()
        elif case.kind in BY_CONTROLLER:
            order: dict[str, Any] = {"fault": case.kind, "motion": case.motion}
            order |= {} if case.share is None else {"share": case.share}
            emulator.ask(**order, **({"seconds": SECONDS[case.kind]} if case.kind in SECONDS else {}))
        watcher, steps = _Watcher(case, emulator, detector, stop, driver), PLAN if case else AGAIN
        with watcher:
            verdict = conduct(folder, lambda log: run_on(driver, ways, steps, log, detector, stop))
        return verdict, watcher.acted
    finally:
        driver.close()


class _Watcher(threading.Thread):
    """Does at a certain place of the run what the emulator cannot: stops it, blinds it, moves the arm."""

    def __init__(
        self, case: Case | None, emulator: Emulator, detector: Detector, stop: ArmStop, driver: Driver
    ) -> None:
        super().__init__(daemon=True)
        self.case, self.emulator, self.detector, self.stop, self.driver = case, emulator, detector, stop, driver
        self.first = emulator.state()["started"]
        self.over = threading.Event()
        self.acted: dict[str, Any] | None = None

    def __enter__(self) -> None:
        self.start()

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.join()

    def run(self) -> None:
        """In its own thread."""
        case, done = self.case, self.case is None or self.case.kind in BY_CONTROLLER
        while not self.over.wait(0.01):
            due = not done and case is not None and self.emulator.state()["started"] - self.first >= case.motion
            if case is None or case.kind != "dead man" or not (due or done):
                self.stop.alive()
            if due and case is not None:
                self._act(case)
                done = True

    def _act(self, case: Case) -> None:
        time.sleep(0.4 * (case.share or 0.0))
        state = self.emulator.state()
        self.acted = {"at": state["now"], "joints": state["joints"]}
        match case.kind:
            case "thread":
                self.stop.now("another thread said so")
            case "stale":
                self.detector.stuck_at = time.time() - 10
            case "blind":
                self.detector.things = ()
            case "other client":
                other = Driver.connect(self.emulator.host, self.driver.arm, self.emulator.port)
                other.halt()
                other.close()
            case "teleport":
                q = np.array(state["joints"]) + 0.3
                self.emulator.ask(teleport=q.tolist())
                self.acted["joints"] = q.tolist()
