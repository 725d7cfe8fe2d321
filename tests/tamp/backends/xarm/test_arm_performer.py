"""Plans carried out on an emulated arm over the unmodified SDK: where they end, why they stop, that they stay so."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tamp.backends.xarm.arm_steps import (
    ApproachObject,
    MoveToNamed,
    MoveToObject,
    MoveToPose,
    steps_of,
)
from tamp.backends.xarm.arm_stop import ArmFault, ArmResult, ArmStop
from tamp.backends.xarm.contract import read_contract
from tamp.backends.xarm.driver import Driver
from tamp.backends.xarm.motion_planner import MotionPlanner
from tamp.backends.xarm.workcell import read_workcell
from tamp.files.source import read as read_source
from tamp.runs.episode_log import read
from tamp.runs.episode_runner import conduct
from tests.arm_runs import Still, run_from, run_on, tool_point
from tests.emulated import Emulator, running

pytestmark = pytest.mark.process

PLANS = Path(__file__).parents[4] / "problems" / "xarm"
CUPS = ((0.50, -0.15, 0.06), (0.40, 0.08, 0.06), (0.55, 0.20, 0.06))
BOTTLES = ((0.40, -0.20, 0.12), (0.45, 0.10, 0.12), (0.52, -0.05, 0.12))
THINGS = [*(("cup", np.array(p)) for p in CUPS), *(("bottle", np.array(p)) for p in BOTTLES)]
DOWN = (np.pi, 0.0, 0.0)


@pytest.fixture(scope="module")
def emulator() -> Iterator[Emulator]:
    with running("xarm6", "--seconds", "300") as found:
        yield found


@pytest.fixture(scope="module")
def ways() -> MotionPlanner:
    cell = read_workcell(PLANS / "bench.toml")
    return MotionPlanner(
        replace(cell, rates=replace(cell.rates, joint_speed=2.5, joint_acceleration=10.0, tool_speed=0.6))
    )


def run(emulator: Emulator, ways: MotionPlanner, steps: Any, folder: Path, **how: Any) -> ArmResult:
    """A run from home with all things in sight, its log in a folder."""
    home = ways.cell.poses["home"].q
    assert home is not None
    return run_from(home, emulator, ways, steps, folder, how.pop("eyes", None) or Still(THINGS), **how)


def slow(ways: MotionPlanner) -> MotionPlanner:
    """Slow enough for a stop to come while the arm is on its way."""
    return MotionPlanner(replace(ways.cell, rates=replace(ways.cell.rates, joint_speed=0.1, tool_speed=0.03)))


def off(emulator: Emulator, ways: MotionPlanner, p: Any) -> float:
    return float(np.linalg.norm(tool_point(emulator, ways) - p))


def ends_with(folder: Path, verdict: ArmResult) -> bool:
    last = read(folder / "episode.jsonl")[-1]
    return bool(last["event"] == "outcome" and last["reason"] == verdict.reason)


@pytest.mark.parametrize("name", sorted(p.name for p in PLANS.glob("*.json")))
def test_the_examples_of_the_contract_end_where_it_says(
    name: str, emulator: Emulator, ways: MotionPlanner, tmp_path: Path
) -> None:
    steps = steps_of(read_contract(read_source(PLANS / name)))
    verdict = run(emulator, ways, steps, tmp_path / "run")
    assert verdict.success, verdict.reason
    assert all(d.off_metres < 0.0005 and d.off_radians < np.deg2rad(0.1) for d in verdict.done)
    if isinstance(steps[-1], MoveToNamed):
        assert off(emulator, ways, ways.cell.poses[steps[-1].name].T_base_tool[:3, 3]) < 0.0005


def test_what_is_in_the_way_is_named_and_nothing_moves(emulator: Emulator, ways: MotionPlanner, tmp_path: Path) -> None:
    before = emulator.state()["started"]
    steps = (MoveToNamed("above_table"), MoveToPose((0.39, -0.32, 0.06), DOWN))
    verdict = run(emulator, ways, steps, tmp_path / "run")
    assert (verdict.kind, verdict.failed, verdict.halted) == ("infeasible", 2, None)
    assert "bin_wall is in the way" in verdict.reason
    assert emulator.state()["started"] == before
    assert ends_with(tmp_path / "run", verdict)


def test_a_stop_from_another_thread_is_for_good(emulator: Emulator, ways: MotionPlanner, tmp_path: Path) -> None:
    stop = ArmStop()
    threading.Timer(0.9, stop.now, ("somebody pressed stop",)).start()
    steps = (MoveToNamed("bin_drop"), MoveToNamed("above_table"))
    verdict = run(emulator, slow(ways), steps, tmp_path / "run", stop=stop)
    assert (verdict.kind, verdict.reason, verdict.halted) == ("stopped", "somebody pressed stop", True)
    after = emulator.state()
    time.sleep(0.5)
    assert emulator.state()["moved_at"] <= after["now"]
    assert off(emulator, ways, ways.cell.poses["bin_drop"].T_base_tool[:3, 3]) > 0.05
    assert ends_with(tmp_path / "run", verdict)


@pytest.mark.parametrize(("fault", "kind", "says"), [("collision", "error", "C31"), ("emergency", "error", "C2,")])
def test_an_error_is_told_in_words_and_the_next_run_works(
    fault: str, kind: str, says: str, emulator: Emulator, ways: MotionPlanner, tmp_path: Path
) -> None:
    emulator.ask(fault=fault, motion=2, share=0.3)
    steps = (MoveToNamed("above_table"), MoveToNamed("bin_drop"))
    verdict = run(emulator, ways, steps, tmp_path / "run")
    assert (verdict.kind, verdict.failed) == (kind, 2)
    assert says in verdict.reason
    emulator.ask(clear="faults")
    emulator.ask(release="emergency")
    assert run(emulator, ways, steps, tmp_path / "again").success


def test_an_error_is_not_cleared_by_a_run(emulator: Emulator, ways: MotionPlanner, tmp_path: Path) -> None:
    emulator.ask(fault="collision")
    driver = Driver.connect(emulator.host, ways.cell.arm, emulator.port)
    try:
        with pytest.raises(ArmFault, match=r"C31.*tamp xarm clear"):
            driver.prepare(ways.cell.T_flange_tool, ways.cell.load)
        assert "C31" in driver.clear()
        assert driver.prepare(ways.cell.T_flange_tool, ways.cell.load).idle
    finally:
        driver.close()


def test_a_controller_that_froze_is_stopped_when_it_comes_back(
    emulator: Emulator, ways: MotionPlanner, tmp_path: Path
) -> None:
    """It takes the move that timed out up later: that must not go on."""
    emulator.ask(fault="freeze", motion=1, seconds=2.0)
    verdict = run(emulator, slow(ways), (MoveToNamed("bin_drop"),), tmp_path / "run")
    assert (verdict.kind, verdict.halted) == ("frozen", True), verdict.reason
    after = emulator.state()
    time.sleep(0.5)
    assert emulator.state()["moved_at"] <= after["now"]
    assert off(emulator, ways, ways.cell.poses["bin_drop"].T_base_tool[:3, 3]) > 0.05


@pytest.mark.parametrize(
    ("label", "age", "says"),
    [("banana", 0.0, "no banana seen; seen: 3 bottle, 3 cup within 0.4 s"), ("cup", 60.0, "60.0 s old")],
)
def test_what_is_not_seen_or_seen_too_long_ago_is_not_gone_to(
    label: str, age: float, says: str, emulator: Emulator, ways: MotionPlanner, tmp_path: Path
) -> None:
    steps = (MoveToNamed("above_table"), ApproachObject((label,), timeout=0.4))
    verdict = run(emulator, ways, steps, tmp_path / "run", eyes=Still(THINGS, age))
    assert (verdict.kind, verdict.failed, len(verdict.done)) == ("unseen", 2, 1)
    assert says in verdict.reason


def test_a_dead_man_is_noticed_and_an_alive_one_is_not_stopped() -> None:
    seconds = [0.0]
    stop = ArmStop(dead_man=2.0, clock=lambda: seconds[0])
    for seconds[0] in (1.5, 3.0, 4.5):
        stop.check()
        stop.alive()
    seconds[0] = 6.6
    with pytest.raises(ArmFault, match=r"2\.1 s \(dead man, 2 s\)"):
        stop.check()
    stop.alive()  # too late
    assert stop.reason


class Jumping(Still):
    """Sees a cup that is somewhere else as soon as the arm stands above it."""

    def __init__(self, emulator: Emulator, ways: MotionPlanner, there: Any, then: Any) -> None:
        super().__init__([("cup", np.array(there))])
        self._emulator, self._ways, self._then = emulator, ways, np.array(then)

    def seen(self) -> tuple[Any, ...]:
        p, tool = self.things[0][1], tool_point(self._emulator, self._ways)
        if np.linalg.norm((tool - p)[:2]) < 0.001:
            self.things = [("cup", self._then)]
        return super().seen()


@pytest.mark.parametrize(("metres", "anew"), [(0.2, True), (0.01, False)])
def test_a_thing_that_jumps_after_it_was_approached_is_approached_anew(
    metres: float, anew: bool, emulator: Emulator, ways: MotionPlanner, tmp_path: Path
) -> None:
    there = np.array([0.4, 0.0, 0.06])
    eyes = Jumping(emulator, ways, there, there + np.array([0.0, metres, 0.0]))
    verdict = run(emulator, ways, (ApproachObject(("cup",)), MoveToObject(("cup",))), tmp_path / "run", eyes=eyes)
    assert verdict.success, verdict.reason
    log = read(tmp_path / "run" / "episode.jsonl")
    assert [e["metres"] for e in log if e["event"] == "jumped"] == ([pytest.approx(metres, abs=0.002)] if anew else [])
    low = [ways.tool(np.array(e["q"]))[:3, 3] for e in log if e["event"] == "at"]
    sideways = [p for p in low if p[2] < 0.06 + 0.07 and np.linalg.norm((p - eyes.things[0][1])[:2]) > 0.02]
    assert sideways == [] or not anew, "it comes down above the thing, not along the table"


def test_a_warning_that_was_left_is_reported_and_does_not_stop_a_run(
    emulator: Emulator, ways: MotionPlanner, tmp_path: Path
) -> None:
    driver = Driver.connect(emulator.host, ways.cell.arm, emulator.port)
    try:
        assert driver._api.set_tcp_offset([np.nan] * 6, is_radian=True) == 10
        assert driver.condition().warning == 12
        steps = (MoveToNamed("above_table"), MoveToNamed("home"))
        verdict = conduct(tmp_path / "run", lambda log: run_on(driver, ways, steps, log, None, ArmStop()))
        assert verdict.success, verdict.reason
        (shown,) = [e["message"] for e in read(tmp_path / "run" / "episode.jsonl") if e["event"] == "warning"]
        assert shown.startswith("the controller has a warning left: W12") and "tamp xarm clear" in shown
        assert driver.clear().startswith("W12") and driver.clear() == ""
    finally:
        driver.close()
