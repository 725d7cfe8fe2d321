"""An emulated arm among things, and tasks at a table on it, through the unmodified SDK."""

from __future__ import annotations

import json
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from motion.arm_drive import JointServo
from tamp.backends import bodies
from tamp.backends.xarm.arm_faults import ArmFault
from tamp.backends.xarm.driver import Driver
from tamp.backends.xarm.emulated_perception import EmulatedCameras
from tamp.backends.xarm.workcell import Load
from tests import forked
from tests.emulated import Emulator, again_when_late, one_at_a_time, running

pytestmark = pytest.mark.process

GOAL = "(in mug_1 cabinet_1_top_region)"


@pytest.fixture(autouse=True)
def alone() -> Iterator[None]:
    """Two arms at work at a time would be late, and stop with C31."""
    with one_at_a_time():
        yield


def solve(*options: str) -> subprocess.CompletedProcess[str]:
    return forked.tamp("solve", "--goal", GOAL, "--scene", "mug_in_drawer", "--backend", "xarm", *options)


@again_when_late
def test_the_mug_is_in_the_drawer_in_the_end(tmp_path: Path) -> None:
    body = "xarm6"
    with running(body, "--scene", "mug_in_drawer") as emulator:
        at = ["--host", emulator.host, "--port", str(emulator.port)]
        eyes = f"tcp://{emulator.host}:{emulator.told['fault_port']}"
        done = solve("--body", body, *at, "--eyes", eyes, "--out", str(tmp_path / "episode"), "--json")
        told = json.loads(done.stdout)
        assert done.returncode == 0 and told["success"], done.stderr
        assert told["perception"] == f"oracle, {body} through its SDK"
        assert told["seconds"]["second_look"] > 0.1, "PyBullet has looked at the motions before"
        after = emulator.state()
    assert after["state"] == 4 and after["error"] == 0, "it stands still when all is over"


@pytest.mark.thorough
def test_an_arm_that_stops_is_told(tmp_path: Path) -> None:
    with running("xarm7", "--scene", "mug_in_drawer") as emulator:
        emulator.ask(fault="collision", motion=60)
        at = ["--host", emulator.host, "--port", str(emulator.port)]
        eyes = f"tcp://{emulator.host}:{emulator.told['fault_port']}"
        done = solve("--body", "xarm7", *at, "--eyes", eyes, "--out", str(tmp_path / "episode"), "--json")
        told = json.loads(done.stdout)
        assert done.returncode == 1 and told["stage"] == "execution" and "C31" in told["reason"]
        assert told["reason"].endswith("; the arm stands still")


@again_when_late
def test_who_stops_it_finds_the_arm_at_rest_and_the_hand_closed(tmp_path: Path) -> None:
    with running("xarm7", "--scene", "mug_in_drawer") as emulator:
        at = ["--host", emulator.host, "--port", str(emulator.port)]
        at += ["--eyes", f"tcp://{emulator.host}:{emulator.told['fault_port']}"]
        there = ("--scene", "mug_in_drawer", "--backend", "xarm", "--body", "xarm7", *at)
        run = forked.Begun("solve", "--goal", GOAL, *there, "--out", tmp_path / "episode", "--json")
        assert run.says("(pick mug_1 main_table): done"), run.out.read_text()
        run.send_signal(signal.SIGINT)
        assert run.wait(30) == 130
        assert json.loads(run.out.read_text())["reason"] == "interrupted (Ctrl-C); the arm stands still"
        state, before = emulator.state(), emulator.ask(query="scene")
        time.sleep(1.0)
        after = emulator.ask(query="scene")
    assert state["state"] == 4
    assert after["q"] == pytest.approx(before["q"], abs=1e-3)
    moved = np.subtract(after["poses"]["mug_1"], before["poses"]["mug_1"]).reshape(4, 4)[:3, 3]
    assert np.linalg.norm(moved) < 0.01, "it may swing in the fingers, and is held"


def test_a_dead_man_stops_it(tmp_path: Path) -> None:
    with running("xarm7", "--scene", "mug_in_drawer") as emulator:
        at = ["--host", emulator.host, "--port", str(emulator.port), "--body", "xarm7", "--dead-man", "2.5"]
        eyes = f"tcp://{emulator.host}:{emulator.told['fault_port']}"
        done = solve(*at, "--eyes", eyes, "--out", str(tmp_path / "episode"), "--json")
        assert done.returncode == 130 and "dead man" in json.loads(done.stdout)["reason"]
        assert emulator.state()["state"] == 4


def test_who_sees_has_to_be_said() -> None:
    done = solve("--body", "xarm7", "--host", "127.0.0.1")
    assert done.returncode == 2 and "no --eyes" in done.stderr


def test_nobody_answers() -> None:
    done = solve("--body", "xarm7", "--host", "127.200.0.1", "--eyes", "tcp://127.200.0.1:9", "--json")
    assert done.returncode == 1 and "127.200.0.1" in json.loads(done.stdout)["reason"]


BODY = bodies.find("xarm7")
ARM, HAND = BODY.for_sdk()
ROBOT = BODY.at(np.eye(4))


@pytest.fixture(scope="module")
def emulator() -> Iterator[Emulator]:
    with running("xarm7", "--scene", "libero_goal/8", "--init-state", "0") as found:
        yield found


@pytest.fixture
def driver(emulator: Emulator) -> Iterator[Driver]:
    found = Driver.connect(emulator.host, ARM, emulator.port)
    found.clear()
    found.prepare(HAND.T_flange_tool, Load(HAND.mass, HAND.T_flange_tool[:3, 3] / 2))
    found.stream()
    yield found
    found.halt()
    found.close()


def test_what_it_runs_into_stops_it_with_the_controllers_error(driver: Driver) -> None:
    servo, q = JointServo(ROBOT), driver.checked().q
    with pytest.raises(ArmFault, match="C31"):
        for _ in range(300):
            servo.aim(q, np.array([0.0, 0.0, -0.03, 0.0, 0.0, 0.0]))  # into the table
            driver.servo(servo.step(0.01))
            q = driver.checked().q
            time.sleep(0.01)


@pytest.mark.thorough
def test_pictures_are_taken_while_the_controllers_clock_goes_on(emulator: Emulator) -> None:
    cameras = EmulatedCameras(emulator.host, emulator.told["fault_port"])
    try:
        fixed, hand = cameras.cameras
        assert not fixed.on_hand and hand.on_hand
        before = emulator.state()["now"]
        told: list[object] = []
        drawing = threading.Thread(target=lambda: told.append(cameras.take()))
        drawing.start()
        answers = 0
        while drawing.is_alive():
            emulator.state()
            answers += 1
            time.sleep(0.01)
        assert answers >= 3, "who asks for something else is not kept waiting"
        (taken,) = told
        assert isinstance(taken, dict)
        for camera in (fixed, hand):
            assert taken[f"{camera.name}_image"].shape == (480, 480, 3)
            depth = taken[f"{camera.name}_depth"]
            assert depth.shape == (480, 480) and (depth > 0.01).mean() > 0.5, "wherever the arm is, there is something"
        assert emulator.state()["now"] > before
    finally:
        cameras.close()
