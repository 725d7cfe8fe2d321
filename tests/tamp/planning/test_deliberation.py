"""The second check of decisions: what only another engine objects to is not done, and another decision is sought."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from motion.poses import pose
from motion.robot import RobotDescription
from motion.shapes import Shape
from motion.timing import Trajectory
from motion.world import State, World
from tamp.backends import bodies
from tamp.model.atoms import GroundAction
from tamp.model.bodies import state_of
from tamp.model.goal import Goal
from tamp.model.motions import Grip, Motion, Timeline
from tamp.model.scene import Part, RobotState, Scene, SceneObject
from tamp.model.situation import Situation
from tamp.model.state import WorldState
from tamp.pddl.planner import Plan
from tamp.planning.deliberation import TRIES, Decision, InTurn, objection
from tamp.planning.refinement import Failure, Refined
from tamp.planning.refusal import NoSolution
from tamp.planning.search import Search, Solution
from tamp.skills.base import Refinement

ROBOT = bodies.find("xarm6").at(np.eye(4))
SWING = np.linspace(-0.6, 0.6, 30)
"""Radians of the first joint, over which the arm swings across what is before it."""
UP = np.array([0.0, 0.0, 0.4])
PICK = GroundAction("pick", ("cup", "desk"))


def thing(name: str, at: np.ndarray[Any, Any], half: float = 0.02) -> SceneObject:
    box = Shape("box", np.full(3, half), np.eye(4))
    return SceneObject(name, "box", True, (Part(name, "body", pose(at), (box,)),))


def swing(robot: RobotDescription) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The arm's way across, and where its tool is half-way."""
    q = np.tile(robot.posture, (len(SWING), 1))
    q[:, 0] = SWING
    return q, World(robot, []).forward(np.array([0.0, *robot.posture[1:]]))[:3, 3]


def scene(*things: SceneObject) -> Scene:
    return Scene(things, RobotState(ROBOT.posture, 0.08, np.eye(4)))


def decided(there: Scene, held: str | None = None, touched: frozenset[str] = frozenset()) -> Decision:
    """A decision to swing across."""
    q, _ = swing(ROBOT)
    state = state_of(there)
    if held is not None:
        state = State(state.q, 0.04, state.poses, held, np.eye(4))
    motion = Motion(Trajectory(np.linspace(0, 2, len(q)), q, np.tile(np.eye(4), (len(q), 1, 1))), state=state)
    step = Refinement((), Situation(there), {"way": "across"}, touched)
    return Decision(Plan((PICK,)), (step,), Timeline((motion, Grip(0.0)), {1: 1}, (0,)))


def test_what_stands_in_the_way_is_seen_and_named() -> None:
    _, tool = swing(ROBOT)
    found = objection(decided(there := scene(thing("jug", tool))), there, ROBOT)
    assert found is not None and found.action == PICK and found.cause.blockers == ("jug",)
    assert re.fullmatch(r"the second look sees .+ \d+ mm inside jug after \d\.\d s of a motion", found.cause.message)
    assert objection(decided(away := scene(thing("jug", tool + UP))), away, ROBOT) is None


def test_the_hand_may_touch_what_the_action_is_about_and_the_arm_may_not() -> None:
    _, tool = swing(ROBOT)
    assert objection(decided(there := scene(thing("cup", tool))), there, ROBOT) is None
    forearm = World(ROBOT, [])
    forearm.forward(np.array([0.0, *ROBOT.posture[1:]]))
    elbow = forearm.data.body("link4").xpos.copy()
    found = objection(decided(there := scene(thing("cup", elbow, 0.05))), there, ROBOT)
    assert found is not None and "the second look sees link" in found.cause.message


@pytest.fixture
def in_the_way() -> Scene:
    return scene(thing("jug", swing(ROBOT)[1]))


def mind(monkeypatch: pytest.MonkeyPatch, *decisions: Decision) -> InTurn:
    """Has decisions ready, one after the other."""
    ready = iter(decisions)
    monkeypatch.setattr(InTurn, "_timed", lambda *_: next(ready))
    some = Refined(())
    search = SimpleNamespace(
        world=World(ROBOT, []),
        decide=lambda *_: Solution(Plan((PICK,)), some, cast(Goal, None)),
        refine=lambda *_: some,
        **{"failed": {}, "seconds": {}, "budget": 20.0, "log": None},
    )
    return InTurn(cast(Search, search), twice=True)


def test_where_it_objects_another_decision_is_sought(in_the_way: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    good = decided(in_the_way, touched=frozenset({"jug"}))
    twice = mind(monkeypatch, decided(in_the_way), good)
    assert twice.decide(cast(Goal, None), cast(WorldState, None), Situation(in_the_way)).result() is good
    assert twice.search.failed == {PICK: [{"way": "across"}]} and twice.seconds["second_look"] > 0.0


def test_where_it_objects_to_everything_the_reason_is_reported(
    in_the_way: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    twice = mind(monkeypatch, *[decided(in_the_way)] * (2 * TRIES))
    found = twice.decide(cast(Goal, None), cast(WorldState, None), Situation(in_the_way)).result()
    assert isinstance(found, NoSolution) and found.stage == "refinement"
    assert found.reason.startswith("(pick cup desk): the second look sees ")
    failed = twice.refine(Plan((PICK,)), Situation(in_the_way)).result()
    assert isinstance(failed, Failure) and failed.action == PICK and failed.cause.blockers == ("jug",)
