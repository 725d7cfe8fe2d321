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
from pathlib import Path
from typing import Any

import numpy as np

from tamp.backends.xarm.arm_faults import ArmFault, ArmResult, ArmStop
from tamp.backends.xarm.arm_steps import ApproachObject, MoveToNamed, MoveToObject, MoveToPose, RetreatZ, Sleep, Step
from tamp.backends.xarm.detections import Detection
from tamp.backends.xarm.driver import Driver
from tamp.backends.xarm.motion_planner import MotionPlanner
from tamp.backends.xarm.workcell import Workcell, read_workcell
from tamp.runs.episode_log import read as read_log
from tamp.runs.episode_runner import conduct
from tests.arm_runs import run_on
from tests.bench import ROOT, Row, grouped
from tests.emulated import Emulator

DUE = 1.0
WORLD = ROOT / "problems" / "xarm" / "bench.toml"
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


@dataclass(frozen=True)
class Case:
    """A fault: what the emulator is told, or who stops the run; at the k-th motion, and how far through it."""

    kind: str
    motion: int
    share: float | None
    seconds: float = 0.0

    def __str__(self) -> str:
        at = "before" if self.share is None else f"after {self.share:.0%} of"
        return f"{self.kind}{f' for {self.seconds:g} s' if self.seconds else ''} {at} motion {self.motion}"


EXPECTED = {
    "collision": {"error"},
    "overspeed": {"error"},
    "joint_limit": {"error"},
    "emergency": {"error"},
    "kinematic": {"error"},
    "self_collision": {"error"},
    "servo": {"error"},
    "drop": {"lost", "frozen", "unreachable"},
    "freeze": {"frozen", "lost"},
    "garbage": {"lost", "frozen", "refused", ""},
    "half": {"lost", "frozen", "refused", ""},
    "delay": {"frozen", "lost", ""},
    "thread": {"stopped"},
    "dead man": {"stopped"},
    "stale": {"unseen", ""},
    "blind": {"unseen", ""},
    "other client": {"taken"},
    "teleport": {"tracking_error", "taken", ""},
}
"""Kinds of verdict that are true of a fault; empty: the run may succeed in spite of it."""
LINE = ("drop", "freeze", "garbage", "half", "delay")
OURS = ("thread", "dead man", "stale", "blind", "other client", "teleport")


def cases() -> Iterator[Case]:
    """Every kind at every motion, before it, and early, in the middle and late in it."""
    for kind in EXPECTED:
        for motion in range(1, MOTIONS + 1):
            for share in (None, 0.1, 0.5, 0.9):
                seconds = {"freeze": 2.5, "delay": 1.5, "drop": 0.5}.get(kind, 0.0)
                yield Case(kind, motion, share, seconds)


class Eyes:
    """A detector that sees a cup, until it is made blind or stuck."""

    def __init__(self) -> None:
        self.blind = False
        self.stuck_at: float | None = None

    def seen(self) -> tuple[Detection, ...]:
        if self.blind:
            return ()
        return (Detection("cup", 0.9, CUP, self.stuck_at or time.time()),)

    def trouble(self) -> None:
        pass

    def close(self) -> None:
        pass


def bench(repeat: int = 1, seed: int = 0, only: tuple[str, ...] = tuple(EXPECTED)) -> Iterator[Row]:
    """A row a run, a line a kind of fault."""
    todo = [c for c in cases() if c.kind in only] * repeat
    random.Random(seed).shuffle(todo)
    cell = read_workcell(WORLD)
    cell = replace(cell, rates=replace(cell.rates, joint_speed=2.0, joint_acceleration=8.0, tool_speed=0.5))
    ways, emulator = MotionPlanner(cell), Emulator("xarm6", ("--seconds", "7200"))
    try:
        for case in todo:
            verdict, wrong, rest = tried(case, cell, ways, emulator)
            values = {} if rest is None or verdict.success else {"to rest, s": rest[0], "degrees": np.rad2deg(rest[1])}
            word = verdict.kind or "succeeded"
            yield Row(case.kind, not wrong, values, "; ".join([word, *wrong]), str(case), {"verdict": word})
    finally:
        emulator.end()


def summary(rows: Sequence[Row]) -> Iterator[str]:
    """How the runs of each kind ended."""
    for kind, some in grouped(rows).items():
        yield f"{kind}: {dict(Counter(row.data['verdict'] for row in some))}"


def tried(
    case: Case, cell: Workcell, ways: MotionPlanner, emulator: Emulator
) -> tuple[ArmResult, list[str], tuple[float, float] | None]:
    """The verdict of a run with a fault, what does not hold that must, and the seconds and radians from the fault to
    standstill, where it happened."""
    with tempfile.TemporaryDirectory() as folder:
        verdict, ours = ran(case, cell, ways, emulator, Path(folder) / "run")
        after = emulator.state()
        time.sleep(QUIET)
        later = emulator.state()
        found = list(_untrue(case, verdict, read_log(Path(folder) / "run" / "episode.jsonl")))
        if verdict.halted and (later["moved_at"] or 0) > after["now"]:
            found.append(f"moved {later['moved_at'] - after['now']:.2f} s after the stop was acknowledged")
        faulted = next(iter(later["happened"]), ours)
        rest = _rest(faulted, later) if faulted else None
        emulator.ask(clear="faults")
        emulator.ask(release="emergency")
        if case.kind == "teleport":  # somebody has to put it back into the workspace
            _put_home(cell, emulator)
        again, _ = ran(None, cell, ways, emulator, Path(folder) / "again")
        if not again.success:
            found.append(f"the next run did not work: {again.kind}: {again.reason}")
    return verdict, found, rest


def _rest(faulted: dict[str, Any], later: dict[str, Any]) -> tuple[float, float]:
    radians = np.abs(np.subtract(later["joints"], faulted["joints"])).max()
    return max(0.0, (later["moved_at"] or 0.0) - faulted["at"]), float(radians)


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
    case: Case | None, cell: Workcell, ways: MotionPlanner, emulator: Emulator, folder: Path
) -> tuple[ArmResult, dict[str, Any] | None]:
    """One run with a fault, from home; or one without, from where the one before has left the arm. And where the arm
    was, and when, as the bench did something to it."""
    if case is not None:
        _put_home(cell, emulator)
    eyes, stop = Eyes(), ArmStop(dead_man=1.0 if case and case.kind == "dead man" else None)
    try:
        driver = Driver.connect(emulator.host, cell.arm, emulator.port)
    except ArmFault as e:
        return ArmResult(False, (), 1, e.kind, str(e)), None
    try:
        if case is None:
            driver.clear()
        elif case.kind not in OURS:
            order = {"fault": case.kind, "motion": case.motion} | ({} if case.share is None else {"share": case.share})
            emulator.ask(**order, **({"seconds": case.seconds} if case.seconds else {}))
        watcher = _Watcher(case, emulator, eyes, stop, driver)
        steps = PLAN if case else AGAIN
        with watcher:
            verdict = conduct(folder, lambda log: run_on(driver, ways, steps, log, eyes, stop))
        return verdict, watcher.acted
    finally:
        driver.close()


class _Watcher(threading.Thread):
    """Does at a certain place of the run what the emulator cannot: stops it, blinds it, moves the arm."""

    def __init__(self, case: Case | None, emulator: Emulator, eyes: Eyes, stop: ArmStop, driver: Driver) -> None:
        super().__init__(daemon=True)
        self.case, self.emulator, self.eyes, self.stop, self.driver = case, emulator, eyes, stop, driver
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
        alive = self.case is None or self.case.kind != "dead man"
        done = self.case is None or self.case.kind not in OURS
        while not self.over.wait(0.01):
            due = not done and self._there()
            if alive or not (due or done):
                self.stop.alive()
            if due:
                self._act()
                done = True

    def _there(self) -> bool:
        assert self.case is not None
        gone = self.emulator.state()["started"] - self.first
        return bool(gone >= self.case.motion)

    def _act(self) -> None:
        assert self.case is not None
        time.sleep(0.4 * (self.case.share or 0.0))
        state = self.emulator.state()
        self.acted = {"at": state["now"], "joints": state["joints"]}
        match self.case.kind:
            case "thread":
                self.stop.now("another thread said so")
            case "stale":
                self.eyes.stuck_at = time.time() - 10
            case "blind":
                self.eyes.blind = True
            case "other client":
                other = Driver.connect(self.emulator.host, self.driver.arm, self.emulator.port)
                other.halt()
                other.close()
            case "teleport":
                q = np.array(self.emulator.state()["joints"]) + 0.3
                self.emulator.ask(teleport=[float(v) for v in q])
                self.acted["joints"] = q.tolist()
