"""Ways in a workcell: what is free, what is in the way, and how long it takes."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from motion.poses import error, from_rpy, pose
from tamp.backends.xarm.arm_backend import Leg
from tamp.backends.xarm.arm_steps import ApproachNamed, ApproachObject, MoveToObject, RetreatZ, Step
from tamp.backends.xarm.arm_stop import ArmFault, ArmStop
from tamp.backends.xarm.hand import HandEvent
from tamp.backends.xarm.motion_planner import MotionPlanner, StepRefiner, timed, tool_of
from tamp.backends.xarm.step_targets import StepTargets
from tamp.backends.xarm.workcell import Box, read_workcell
from tests.arm_runs import Still

CELL = read_workcell(Path(__file__).parents[4] / "problems" / "xarm" / "bench.toml")
HOME = CELL.poses["home"].q
DOWN = (np.pi, 0.0, 0.0)


def over(x: float, y: float, z: float) -> Any:
    return from_rpy((x, y, z), DOWN)


def between() -> MotionPlanner:
    """A wall stands between the left and the right half of the workspace; over it there is room."""
    wall = Box("wall", np.array([0.3, -0.02, 0.0]), np.array([0.6, 0.02, 0.25]))
    return MotionPlanner(replace(CELL, keep_out=(wall,)))


def joined(legs: tuple[Leg, ...]) -> bool:
    return all(np.allclose(a.q[-1], b.q[0]) for a, b in itertools.pairwise(legs))


def test_a_free_line_is_one_leg_that_ends_where_it_should() -> None:
    ways = MotionPlanner(CELL)
    (leg,) = ways.legs(HOME, over(0.4, 0.1, 0.3), "line")
    assert leg.kind == "line"
    assert np.linalg.norm(error(ways.tool(leg.q[-1]), over(0.4, 0.1, 0.3))) < 1e-5


def test_what_blocks_a_line_is_named_and_any_other_way_goes_round_it() -> None:
    ways = between()
    start = ways.legs(HOME, over(0.45, 0.2, 0.12), "any")
    assert not isinstance(start, str)
    q = start[-1].q[-1]
    refused = ways.legs(q, over(0.45, -0.2, 0.12), "line")
    assert refused == "wall is in the way"
    legs = ways.legs(q, over(0.45, -0.2, 0.12), "any")
    assert not isinstance(legs, str)
    assert len(legs) > 1 and joined(legs)
    assert ways.second_look(legs).touches() is None


@pytest.mark.parametrize(
    ("target", "says"),
    [
        (over(0.45, 0.0, 0.1), "wall is in the way"),
        (over(0.64, 0.44, 0.59), "does not reach"),
        (over(0.4, 0.47, 0.2), "would leave the workspace"),
    ],
)
def test_why_there_is_no_way(target: Any, says: str) -> None:
    shown = between().legs(HOME, target, "any")
    assert isinstance(shown, str)
    assert says in shown


def test_a_line_is_slowed_where_the_joints_would_be_too_fast() -> None:
    rates = replace(CELL.rates, joint_speed=1.0, tool_speed=1.0)
    path = np.linspace([0.0, 0.0], [0.5, 0.1], 11)
    share, seconds = timed("line", path, 0.1, rates)
    assert share == pytest.approx(0.2)
    assert seconds >= 0.1 / (share * rates.tool_speed)


@pytest.mark.parametrize("tool_mm", [(0, 0, 0), (0, 0, 30), (0, 0, 50), (0, 0, 71), (0, 0, 200), (80, 0, 20)])
def test_the_rod_ends_before_the_tip_however_short_the_tool_is(tool_mm: tuple[int, int, int]) -> None:
    T_flange_tool = pose(np.array(tool_mm) / 1000)
    tool = tool_of(T_flange_tool)
    radius, half = tool.shape.size[:2]
    far = np.linalg.norm(tool_mm) / 1000
    ends = [tool.shape.T_body_shape @ [0, 0, sign * (half + radius), 1] for sign in (-1, 1)]
    assert np.linalg.norm(ends[0][:3]) < 1e-9, "it begins at the flange"
    assert np.isclose(np.linalg.norm(ends[1][:3]), max(far - 0.03, 0.002))
    assert 0 < radius <= 0.02 and half > 0
    ways = MotionPlanner(replace(CELL, T_flange_tool=T_flange_tool))
    there = ways.tool(HOME)
    there[2, 3] -= 0.05
    (leg,) = ways.legs(HOME, there, "line")
    report = ways.second_look((leg,))
    assert report.touches() is None


# Rehearsals

FIRST = {"labels": ("cup",), "ref": "above_table"}
TAKEN: tuple[Step | HandEvent, ...] = (
    ApproachObject(**FIRST),
    MoveToObject(**FIRST),
    HandEvent("close", 3),
    RetreatZ(0.08),
    ApproachNamed("bin_drop"),
    HandEvent("open", 6),
)


def gone_through(steps: tuple[Step | HandEvent, ...]) -> int:
    targets = StepTargets(CELL, Still([("cup", np.array([0.42, 0.06, 0.06]))]))
    return StepRefiner(MotionPlanner(CELL), targets, lambda kind, **data: None).rehearse(steps, HOME, ArmStop())


def test_events_of_the_hand_keep_nothing_from_being_gone_through() -> None:
    assert gone_through(TAKEN) == 6
    with pytest.raises(ArmFault, match="step 7, ApproachNamed: ") as shown:
        gone_through((*TAKEN, ApproachNamed("bin_drop", 0.5)))
    assert shown.value.step == 7


def test_going_through_a_long_plan_can_be_stopped() -> None:
    stop, looked = ArmStop(), list[str]()

    def tell(kind: str, **data: object) -> None:
        looked.append(kind)
        stop.now("enough")

    with pytest.raises(ArmFault, match="enough"):
        StepRefiner(MotionPlanner(CELL), StepTargets(CELL), tell).rehearse(
            [ApproachNamed("bin_drop", 0.05)] * 1000, HOME, stop
        )
    assert looked == ["second_look"]


def test_where_things_are_after_the_hand_took_one_is_not_taken_for_known() -> None:
    """The cup at the bin is seen only once it is there: the one that is seen now is not gone through as that."""
    assert gone_through((*TAKEN, ApproachObject(("cup",), ref="bin_drop"))) == 6
