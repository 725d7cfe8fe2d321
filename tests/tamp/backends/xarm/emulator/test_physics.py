"""What the emulated arm's body does with targets and steps of the clock that come late: the clock is the test's."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from motion.arm_drive import JointServo
from motion.poses import Array
from tamp.backends import bodies
from tamp.backends.libero import tasks
from tamp.backends.physics.bullet_world import BulletWorld
from tamp.backends.physics.start import TableStart, start_of
from tamp.backends.xarm.emulator.controller import SERVO, ArmController
from tamp.backends.xarm.emulator.physics import Physics

pytestmark = pytest.mark.episode

UP, TURN, DOWN = [0, 0, 0.05, 0, 0, 0], [0, 0, 0, 0, 0, 0.26], [0, 0, -0.05, 0, 0, 0]
"""Displacements that are asked for: about the fastest that skills ask for."""
Gap = Callable[[np.random.Generator], float]
"""Seconds until the next one."""


def every(seconds: float) -> Gap:
    return lambda rng: seconds


def about(seconds: float, by: float) -> Gap:
    return lambda rng: seconds + rng.uniform(-by, by)


def sometimes(late: float, seconds: float) -> Gap:
    return lambda rng: late if rng.uniform() < 0.04 else seconds


@pytest.fixture(scope="module")
def start() -> TableStart:
    return start_of(tasks.find("libero_goal/8"), 0, 0, "xarm6")


def driven(start: TableStart, ways: list[list[float]], targets: Gap, ticks: Gap) -> tuple[ArmController, Array]:
    """The controller, and where its arm was (k, n), after 0.6 s of each of the ways and 0.3 s of rest after it; a
    controller with an error stays where it is."""
    kind, _ = bodies.find(start.robot.name).for_sdk()
    world, controller, rng = BulletWorld(start.scene, start.robot), ArmController(kind), np.random.default_rng(0)
    physics, servo, where = Physics(world, start.robot, None, controller), JointServo(start.robot), []
    controller.enable(8, True)
    assert controller.set_mode(SERVO) and controller.set_state(0)
    aim, target, tick, asked = 0.0, 0.01, 0.005, [w for way in ways for w in [way] * 12 + [[0.0] * 6] * 6]
    while asked and not controller.error:
        now = min(aim, target, tick)
        controller.advance(now)
        if now == aim:
            servo.aim(controller.encoders, np.array(asked.pop(0)))
            aim += 0.05
        elif now == target:
            controller.servo_to(servo.step(0.01))
            target += targets(rng)
        else:
            physics.advance()
            where.append(controller.encoders)
            tick += ticks(rng)
    world.close()
    return controller, np.array(where)


LATE = {
    "nothing": (every(0.01), every(0.005)),
    "both": (about(0.012, 0.004), sometimes(0.03, 0.006)),
}


@pytest.mark.parametrize("late", LATE)
def test_an_arm_with_nothing_in_its_way_is_not_stopped_whatever_is_late(start: TableStart, late: str) -> None:
    controller, where = driven(start, [UP, TURN, [-v for v in TURN]], *LATE[late])
    assert controller.error == 0
    assert np.ptp(where, axis=0).max() > 0.2, "it has moved"


@pytest.mark.parametrize("late", LATE)
def test_an_arm_that_runs_into_the_table_is_stopped_whatever_is_late(start: TableStart, late: str) -> None:
    controller, _ = driven(start, [DOWN, DOWN, DOWN], *LATE[late])
    assert controller.error == 31
