"""When an arm has to stop."""

from __future__ import annotations

import threading
import time

import pytest

from tamp.backends.xarm.arm_faults import ArmFault
from tamp.backends.xarm.arm_stop import ArmStop


def test_the_first_reason_is_the_one_that_is_told() -> None:
    stop = ArmStop()
    stop.check()
    stop.now("a person in the cell")
    stop.now("something later")
    with pytest.raises(ArmFault, match="a person in the cell") as told:
        stop.check()
    assert told.value.kind == "stopped"


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


def test_a_wait_ends_when_it_has_to_stop() -> None:
    stop = ArmStop()
    threading.Timer(0.1, stop.now, ("enough",)).start()
    begun = time.monotonic()
    with pytest.raises(ArmFault, match="enough"):
        stop.sleep(30.0)
    assert time.monotonic() - begun < 10
