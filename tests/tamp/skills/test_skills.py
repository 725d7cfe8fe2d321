"""What leaves the hand little room is opened, in real physics, judged by LIBERO."""

from __future__ import annotations

import pytest

from tamp.backends.libero import tasks
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.oracle import OraclePerceiver
from tamp.model.atoms import Atom
from tamp.model.goal import Goal
from tests.live_sessions import session_on


@pytest.mark.episode
@pytest.mark.parametrize(
    ("instruction", "place"),
    [
        # the palm fits neither upright between the table and the handle above, nor flat behind the bar
        pytest.param(
            "open the bottom drawer of the cabinet", "wooden_cabinet_1_bottom_region", marks=pytest.mark.thorough
        ),
        # pulled ajar by its handle and pushed on from inside: no grasp can be followed all the way
        ("open the microwave", "microwave_1_heating_region"),
    ],
)
def test_what_leaves_the_hand_little_room_is_opened(instruction: str, place: str) -> None:
    task = next(t for t in tasks.suite_tasks("libero_90") if t.instruction == instruction)
    environment = LiberoEnvironment(task, init_state=0)
    try:
        live = session_on(environment, OraclePerceiver(environment), environment.robot_model(), "")
        live.session.pursue(Goal(Atom("open", (place,))))
        live.run(60.0, lambda: live.session.activities[-1].over)
        assert environment.check_success(), live.session.activities[-1].waits_for
    finally:
        environment.close()
