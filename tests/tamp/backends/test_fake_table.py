"""The fake: it moves as it is told, takes hold, lets go, and fails where it is to."""

from __future__ import annotations

import numpy as np
import pytest

from tamp.agent.orders import Start
from tamp.backends.fake_table import FakeTable
from tamp.runs.bench.boxes import TABLE_TOP, make
from tests.live_sessions import Live, a_panda, session_on

NO = np.zeros(6)


@pytest.fixture
def fake() -> FakeTable:
    return FakeTable(make("packed", 3, 0, a_panda()).scene, a_panda())


@pytest.fixture
def live(fake: FakeTable) -> Live:
    return session_on(fake, fake, fake.robot_model, "(pick box_1 table)")


def test_what_is_let_go_of_falls_onto_what_is_under_it(fake: FakeTable, live: Live) -> None:
    live.tell(Start("(pick box_1 table)"))
    live.run(20.0, lambda: live.stages(live.pick)[-1:] == ["done"])
    assert fake.perceive().object("box_1").bounds()[0][2] > TABLE_TOP + 0.02
    for _ in range(20):
        fake.command(NO, 0.08)
    assert fake.perceive().object("box_1").bounds()[0][2] == pytest.approx(TABLE_TOP, abs=1e-6)


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("glued", "box_1 is not in the hand"),
        ("slippery", "box_1 is not in the hand"),
        ("fingers", "box_1 is not in the hand"),
        ("arm", "the arm was halted since the arm does not get to where it should go"),
        ("hidden", "'box_1' is no item that is seen"),
    ],
)
def test_faults_are_told_for_what_they_look_like(fault: str, says: str, fake: FakeTable, live: Live) -> None:
    match fault:
        case "glued":
            fake.faults.glued = {"box_1"}
        case "slippery":
            fake.faults.slippery = {"box_1"}
        case "fingers":
            fake.faults.fingers_stop_at = 0.08
        case "arm":
            fake.faults.arm_held = True
        case "hidden":
            fake.faults.hidden = {"box_1"}
    live.tell(Start(live.pick))
    live.run(20.0, lambda: bool(live.refusals()) or live.stages(live.pick)[-1:] == ["failed"])
    shown = live.refusals() or [a.waits_for for a in live.session.activities]
    assert says in shown[0]
