"""The emulated arm among things: it takes hold of them, and they stop it."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
import pytest

from motion.joint_servo import JointServo
from tamp.backends import bodies
from tamp.backends.xarm.driver import Driver
from tamp.backends.xarm.faults import ArmFault
from tamp.backends.xarm.workcell import Load
from tests.emulated import Emulator, running

pytestmark = pytest.mark.process

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


def test_the_arm_waits_at_its_posture_among_the_things(emulator: Emulator) -> None:
    told = emulator.ask(query="scene")
    assert told["q"] == pytest.approx(ROBOT.posture.tolist(), abs=1e-3)
    assert {"akita_black_bowl_1", "plate_1"} <= told["poses"].keys()
    assert told["joints"]["wooden_cabinet_1"].keys() == {
        f"wooden_cabinet_1_cabinet_{n}" for n in ("top", "middle", "bottom")
    }


def test_the_gripper_goes_where_it_is_told(driver: Driver) -> None:
    driver.grip(0.25)
    time.sleep(0.6)
    assert driver.gripped() == pytest.approx(0.25, abs=0.02)
    driver.grip(1.0)
    time.sleep(0.6)
    assert driver.gripped() == pytest.approx(1.0, abs=0.02)


def test_what_it_runs_into_stops_it_with_the_controllers_error(driver: Driver) -> None:
    servo, q = JointServo(ROBOT), driver.checked().q
    with pytest.raises(ArmFault, match="C31"):
        for _ in range(300):
            servo.aim(q, np.array([0.0, 0.0, -0.03, 0.0, 0.0, 0.0]))  # into the table
            driver.servo(servo.step(0.01))
            q = driver.checked().q
            time.sleep(0.01)


def test_orders_about_things_that_are_not_there(emulator: Emulator) -> None:
    assert "one of akita_black_bowl_1" in emulator.ask(put="cup", pose=[0.0] * 16)["error"]
    assert "16 numbers" in emulator.ask(put="plate_1", pose=["x"])["error"]
