"""What the driver makes of what the controller says, over the unmodified SDK."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tamp.backends.xarm.arm_steps import MoveToNamed
from tamp.backends.xarm.arm_stop import ArmFault
from tamp.backends.xarm.driver import Driver
from tamp.backends.xarm.motion_planner import MotionPlanner
from tamp.backends.xarm.workcell import read_workcell
from tamp.data import data_dir
from tamp.runs.episode_log import read
from tests.arm_runs import run_from
from tests.emulated import Emulator, running

pytestmark = pytest.mark.process

CELL = read_workcell(data_dir("problems") / "xarm" / "bench.toml")
W12 = "W12, User instruction parameter error"


@pytest.fixture(scope="module")
def emulator() -> Iterator[Emulator]:
    with running("xarm6") as found:
        yield found


@pytest.fixture
def driver(emulator: Emulator) -> Iterator[Driver]:
    found = Driver.connect(emulator.host, CELL.arm, emulator.port)
    yield found
    found.close()


def warned(driver: Driver, emulator: Emulator) -> None:
    """Leave a warning as a client does that sends what is no number."""
    assert driver._api.set_tcp_offset([math.nan] * 6, is_radian=True) == 10
    assert emulator.state()["warning"] == 12


def test_an_error_and_a_warning_are_both_named(driver: Driver, emulator: Emulator) -> None:
    warned(driver, emulator)
    emulator.ask(fault="collision")
    shown = driver.clear()
    assert shown.startswith("C31, ") and shown.endswith(f"; {W12}")
    assert (emulator.state()["error"], emulator.state()["warning"]) == (0, 0)


def test_what_is_told_with_a_warning_on_top_is_done(driver: Driver, emulator: Emulator) -> None:
    """The SDK's code 2 is no refusal: the warning is an old one."""
    driver.clear()
    driver.prepare(CELL.T_flange_tool, CELL.load)
    warned(driver, emulator)
    before = emulator.state()["pose"]
    driver._tell(lambda: driver._api.set_tcp_offset([0, 0, 222, 0, 0, 0], is_radian=True), "tool")
    assert np.linalg.norm(np.subtract(emulator.state()["pose"][:3], before[:3])) > 1.0
    driver.clear()


def test_a_move_that_was_not_taken_says_which_warning_it_left(driver: Driver, emulator: Emulator) -> None:
    driver.clear()
    driver.prepare(CELL.T_flange_tool, CELL.load)
    with pytest.raises(ArmFault, match=rf"move was refused, code 10: .*; {W12}"):
        driver.move_joints(np.full(6, math.nan), CELL.rates)
    driver.clear()


def slow() -> MotionPlanner:
    """Slow enough for something to happen on the way."""
    return MotionPlanner(replace(CELL, rates=replace(CELL.rates, joint_speed=0.1, tool_speed=0.03)))


def test_a_controller_that_is_gone_is_lost_and_not_frozen(tmp_path: Path) -> None:
    home = CELL.poses["home"].q
    assert home is not None
    with running("xarm6") as emulator:
        threading.Timer(1.5, emulator.process.kill).start()
        verdict = run_from(home, emulator, slow(), (MoveToNamed("bin_drop"),), tmp_path / "run")
    assert (verdict.kind, verdict.halted) == ("lost", False), verdict.reason
    gone = f"nothing answers at {emulator.host} any more"
    assert gone in verdict.reason.split(";")[0]
    assert verdict.reason.endswith(f"; the stop was not acknowledged within 5 s ({gone}): press the emergency stop")
    shown = {line["event"]: line for line in read(tmp_path / "run" / "episode.jsonl")}
    assert shown["abort"]["why"] == "lost"
    assert shown["abort"]["t"] - shown["at"]["t"] < 7.0, "5 s of them are for the stop, which comes first"


def test_a_controller_that_takes_connections_and_does_not_answer_is_frozen(tmp_path: Path) -> None:
    home = CELL.poses["home"].q
    assert home is not None
    with running("xarm6") as emulator:
        emulator.ask(fault="freeze", motion=1, seconds=0)
        verdict = run_from(home, emulator, slow(), (MoveToNamed("bin_drop"),), tmp_path / "run")
    assert (verdict.kind, verdict.halted) == ("frozen", False), verdict.reason
    assert verdict.reason.endswith("press the emergency stop")
    shown = {line["event"]: line for line in read(tmp_path / "run" / "episode.jsonl")}
    assert shown["abort"]["t"] - shown["leg"]["t"] < 8.0, "the SDK would wait 10 s for the reply to a move"


def test_an_arm_is_stopped_as_soon_as_a_broken_connection_is_back(tmp_path: Path) -> None:
    home = CELL.poses["home"].q
    assert home is not None
    with running("xarm6") as emulator:
        emulator.ask(fault="drop", motion=1, share=0.1, seconds=0.3)
        verdict = run_from(home, emulator, slow(), (MoveToNamed("bin_drop"),), tmp_path / "run")
        assert (verdict.kind, verdict.halted) == ("lost", True), verdict.reason
        (cut,) = emulator.state()["happened"]
        assert emulator.state()["moved_at"] - cut["at"] < 1.5, "one attempt of the SDK to connect may take 12 s"


def test_a_stop_that_is_not_acknowledged_is_reported_while_it_is_tried(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    home = CELL.poses["home"].q
    assert home is not None
    with running("xarm6") as emulator:
        emulator.ask(fault="drop", motion=1, share=0.1, seconds=3)
        verdict = run_from(home, emulator, slow(), (MoveToNamed("bin_drop"),), tmp_path / "run")
    assert (verdict.kind, verdict.halted) == ("lost", True), verdict.reason
    (alarm,) = caplog.messages
    assert alarm.startswith("tamp: NOT STOPPED: the arm at") and alarm.endswith("PRESS THE EMERGENCY STOP")
