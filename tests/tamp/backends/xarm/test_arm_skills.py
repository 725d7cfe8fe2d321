"""Plans that are gone through beforehand: how far, when the hand takes things away."""

from __future__ import annotations

import numpy as np
import pytest

from tamp.backends.xarm.arm_faults import ArmFault
from tamp.backends.xarm.arm_skills import StepRefiner
from tamp.backends.xarm.arm_steps import ApproachNamed, ApproachObject, MoveToObject, RetreatZ, Step
from tamp.backends.xarm.arm_stop import ArmStop
from tamp.backends.xarm.hand import HandEvent
from tamp.backends.xarm.motion_planner import MotionPlanner
from tamp.backends.xarm.step_targets import StepTargets
from tamp.backends.xarm.workcell import read_workcell
from tamp.data import data_dir
from tests.arm_runs import Still

FIRST = {"labels": ("cup",), "ref": "above_table"}
TAKEN: tuple[Step | HandEvent, ...] = (
    ApproachObject(**FIRST),
    MoveToObject(**FIRST),
    HandEvent("close", 3),
    RetreatZ(0.08),
    ApproachNamed("bin_drop"),
    HandEvent("open", 6),
)


@pytest.fixture(scope="module")
def ways() -> MotionPlanner:
    return MotionPlanner(read_workcell(data_dir("problems") / "xarm" / "bench.toml"))


def gone_through(steps: tuple[Step | HandEvent, ...], ways: MotionPlanner) -> int:
    home = ways.cell.poses["home"].q
    assert home is not None
    targets = StepTargets(ways.cell, Still([("cup", np.array([0.42, 0.06, 0.06]))]))
    return StepRefiner(ways, targets, lambda kind, **data: None).rehearse(steps, home, ArmStop())


def test_events_of_the_hand_keep_nothing_from_being_gone_through(ways: MotionPlanner) -> None:
    assert gone_through(TAKEN, ways) == 6
    with pytest.raises(ArmFault, match="step 7, ApproachNamed: ") as told:
        gone_through((*TAKEN, ApproachNamed("bin_drop", 0.5)), ways)
    assert told.value.step == 7


def test_going_through_a_long_plan_can_be_stopped(ways: MotionPlanner) -> None:
    home = ways.cell.poses["home"].q
    assert home is not None
    stop, looked = ArmStop(), list[str]()

    def tell(kind: str, **data: object) -> None:
        looked.append(kind)
        stop.now("enough")

    with pytest.raises(ArmFault, match="enough"):
        StepRefiner(ways, StepTargets(ways.cell), tell).rehearse([ApproachNamed("bin_drop", 0.05)] * 1000, home, stop)
    assert looked == ["second_look"]


def test_where_things_are_after_the_hand_took_one_is_not_taken_for_known(ways: MotionPlanner) -> None:
    """The cup at the bin is seen only once it is there: the one that is seen now is not gone through as that."""
    assert gone_through((*TAKEN, ApproachObject(("cup",), ref="bin_drop")), ways) == 6
