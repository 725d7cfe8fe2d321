"""Execution as a step function, on a kinematic arm with faults that physics does not make to order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pytest

from motion.poses import Array, error, pose, rotation_vector_to_matrix
from motion.timing import Trajectory
from tamp.agent.trajectory_tracker import Correction, TrajectoryTracker
from tamp.model.backend import Command
from tamp.model.motions import Grip, Handover, Motion, Timeline
from tamp.model.scene import RobotState

PERIOD = 0.05
FINGER_SPEED = 0.01
"""Metres that the fingers go in one period."""
BOUND = 400
"""Periods; every fault must end well before."""


@dataclass
class KinematicArm:
    """Goes a share `response` of the way it is asked, each period. `thing` is the width between its fingers."""

    response: float = 0.4
    thing: float = 0.0
    stuck_after: int | None = None
    restless: bool = False
    T: Array = field(default_factory=lambda: pose([0.0, 0.0, 1.0]))
    opening: float = 0.08
    commands: list[Command] = field(default_factory=list)
    period: float = PERIOD

    def observe(self) -> RobotState:
        wobble = 0.003 * (len(self.commands) % 2) if self.restless else 0.0
        return RobotState(np.zeros(7), self.opening + wobble, self.T)

    def command(self, displacement: Array, opening: float) -> None:
        self.commands.append(Command(displacement, opening))
        if self.stuck_after is None or len(self.commands) <= self.stuck_after:
            share = self.response * displacement
            self.T = pose(self.T[:3, 3] + share[:3], rotation_vector_to_matrix(share[3:]) @ self.T[:3, :3])
        wanted = max(opening, self.thing)
        self.opening += float(np.clip(wanted - self.opening, -FINGER_SPEED, FINGER_SPEED))

    def stop(self) -> None:
        self.command(np.zeros(6), self.opening)


def line(start: list[float], end: list[float], seconds: float = 1.0, opening: float | None = None) -> Motion:
    times = np.linspace(0.0, seconds, 21)
    points = [np.array(start) + (np.array(end) - start) * s for s in np.linspace(0, 1, 21)]
    return Motion(Trajectory(times, np.zeros((21, 7)), np.array([pose(p) for p in points])), opening)


def timeline(*segments: Motion | Grip) -> Timeline:
    return Timeline(segments, {len(segments) - 1: 1})


def run(arm: KinematicArm, *segments: Motion | Grip, opening: float = 0.08) -> list[str]:
    """Stage at every period, to the end or to `BOUND`."""
    execution = TrajectoryTracker(timeline(*segments), opening, PERIOD)
    stages: list[str] = []
    while (command := execution.step(arm.observe())) is not None and len(stages) < BOUND:
        stages.append(execution.stage)
        arm.command(*command)
    if command is None:
        stages.append(execution.stage)
    return stages


OUT = line([0.0, 0.0, 1.0], [0.2, 0.0, 1.0])
BACK = line([0.2, 0.0, 1.0], [0.2, 0.0, 1.2], 1.0)


def test_a_good_arm_ends_at_the_goal_and_says_what_it_does() -> None:
    arm = KinematicArm()
    stages = run(arm, OUT, Grip(0.0), BACK)
    assert list(dict.fromkeys(stages)) == ["move", "grip", "done"]
    assert stages[-1] == "done" and stages[-2] == "move"
    assert np.linalg.norm(error(arm.T, BACK.trajectory.T_world_tool[-1])[:3]) < 0.005
    assert arm.opening == pytest.approx(0.0, abs=1e-3)


FAULTS: dict[str, Callable[[], KinematicArm]] = {
    "fingers that never stop": lambda: KinematicArm(restless=True),
    "an arm that is stuck": lambda: KinematicArm(stuck_after=0),
    "an arm that gets stuck": lambda: KinematicArm(stuck_after=8),
    "an arm that overshoots": lambda: KinematicArm(response=1.9),
    "an arm that runs away": lambda: KinematicArm(response=-0.3),
    "an arm that is slow": lambda: KinematicArm(response=0.05),
}


ENDS = dict.fromkeys(FAULTS, "halted") | {"fingers that never stop": "done", "an arm that is slow": "done"}


@pytest.mark.parametrize("fault", FAULTS)
def test_whatever_is_wrong_it_ends(fault: str) -> None:
    stages = run(FAULTS[fault](), OUT, Grip(0.0), BACK)
    assert stages[-1] == ENDS[fault]
    assert len(stages) < 200, f"{len(stages)} periods for 2 s of motion"
    assert "move" in stages and ("grip" in stages) == (ENDS[fault] == "done"), "nothing is gripped where it is not"


@pytest.mark.parametrize("thing", [0.0, 0.03, 0.06])
def test_a_grip_ends_when_the_fingers_stop(thing: float) -> None:
    arm = KinematicArm(thing=thing)
    stages = run(arm, Grip(0.0))
    assert arm.opening == pytest.approx(thing)
    closing = (0.08 - thing) / FINGER_SPEED
    assert closing <= len(stages) <= closing + 6


def test_what_is_held_keeps_being_closed_on() -> None:
    arm = KinematicArm(thing=0.03)
    run(arm, OUT, Grip(0.0), BACK, line([0.2, 0.0, 1.2], [0.0, 0.0, 1.2]), Grip(0.07), OUT)
    openings = [c.opening for c in arm.commands]
    first, last = openings.index(0.0), len(openings) - 1 - openings[::-1].index(0.0)
    assert set(openings[first : last + 1]) == {0.0}, "a hand that holds 3 cm is asked to close, not to stay at 3 cm"
    assert last - first > 40
    assert set(openings[:first]) == {0.08} and set(openings[last + 1 :]) == {0.07}


def test_an_action_may_end_on_the_way() -> None:
    """The arm does not stop between two actions that share a motion, and the fingers follow the second."""
    both = Motion(OUT.trajectory, 0.08, handover=Handover(0.5, 0.05))
    arm, execution = KinematicArm(), TrajectoryTracker(Timeline((both,), {0: 1}), 0.08, PERIOD)
    finished, speeds = [], []
    while (command := execution.step(arm.observe())) is not None and len(arm.commands) < BOUND:
        before = arm.T[0, 3]
        arm.command(*command)
        finished.append(execution.finished)
        speeds.append(arm.T[0, 3] - before)
    assert execution.finished == 2 and sorted(set(finished)) == [0, 1]
    at = finished.index(1)
    assert arm.commands[at - 1].opening == 0.08 and arm.commands[at + 1].opening == 0.05
    assert min(speeds[at - 2 : at + 3]) > 0.5 * max(speeds)


def test_the_motion_is_led_to_where_the_thing_is_seen_now() -> None:
    arm = KinematicArm()
    execution = TrajectoryTracker(timeline(OUT), 0.08, PERIOD)
    thing = pose([0.2, 0.0, 0.95])
    seen = pose([0.206, -0.008, 0.95], rotation_vector_to_matrix(np.array([0.0, 0.0, 0.15])))
    for n in range(BOUND):
        if n == 8:
            execution.correction.world.lead(thing, seen, 1)
        if (command := execution.step(arm.observe())) is None:
            break
        arm.command(*command)
    goal = seen @ np.linalg.inv(thing) @ OUT.trajectory.T_world_tool[-1]
    e = error(arm.T, goal)
    assert np.linalg.norm(e[:3]) < 0.004 and np.linalg.norm(e[3:]) < 0.03


@pytest.mark.parametrize(("turns", "wanted"), [(0, 0.0), (4, 0.0), (2, np.pi / 2), (1, np.pi / 2)])
def test_a_turn_that_nobody_sees_is_none(turns: int, wanted: float) -> None:
    thing, seen = (
        pose(np.array([0.3, 0.1, 0.9])),
        pose(np.array([0.31, 0.1, 0.9]), rotation_vector_to_matrix(np.array([0.0, 0.0, np.pi / 2]))),
    )
    correction = Correction()
    correction.world.lead(thing, seen, turns)
    assert abs(correction.world.wanted[5]) == pytest.approx(wanted, abs=1e-9)
    assert correction.world.wanted[0] == pytest.approx(0.01)
