"""Predicted moments: what a hand holds goes with it, what it lets go of stays."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from motion.poses import Array, inverse, pose, rotation_about
from motion.shapes import Shape
from tamp.model.atoms import Atom
from tamp.model.goal import Goal
from tamp.model.scene import Joint, Part, Region, RobotState, Scene, SceneObject, with_object_at
from tamp.model.situation import Situation
from tamp.model.state import WorldState

UP = np.array([0.0, 0.0, 1.0])
CUP_AT, TOOL_AT = np.array([0.1, 0.0, 0.95]), np.array([0.1, 0.01, 1.0])


def cube(half: float = 0.02) -> tuple[Shape, ...]:
    return (Shape("box", np.full(3, half), np.eye(4)),)


@pytest.fixture
def situation() -> Situation:
    cup = SceneObject("cup", "cup", True, (Part("cup", "body", pose(CUP_AT), cube()),))
    ball = SceneObject("ball", "ball", True, (Part("ball", "body", pose([0.5, 0.0, 0.93]), cube()),))
    slide = Joint("slide", np.array([0.0, 1.0, 0.0]), np.zeros(3), (-0.16, 0.0), 0.0, -0.14, 0.0)
    tray = Part("tray", "drawer", pose([0.5, 0.0, 0.93]), cube(0.1), slide)
    chest = SceneObject(
        "chest",
        "cabinet",
        False,
        (Part("chest", "body", pose([0.5, 0.0, 0.9]), cube(0.1)), tray),
        (Region("chest_inside", "interior", pose([0.5, 0.0, 0.93]), np.full(3, 0.05), "tray", "tray"),),
    )
    return Situation(Scene((cup, ball, chest), RobotState(np.zeros(7), 0.08, pose(TOOL_AT))))


def elsewhere() -> Array:
    return pose([0.3, 0.2, 1.3], rotation_about(UP, 1.0))


def test_what_is_held_goes_along_and_turns_along(situation: Situation) -> None:
    held = situation.grasping("cup")
    T_tool_cup = inverse(pose(TOOL_AT)) @ pose(CUP_AT)
    assert held.T_tool_held is not None and np.allclose(held.T_tool_held, T_tool_cup)
    moved = held.at(np.ones(7), 0.0, elsewhere())
    assert np.allclose(moved.scene.object("cup").T_world_object, elsewhere() @ T_tool_cup)
    assert moved.T_tool_held is not None and np.allclose(moved.T_tool_held, T_tool_cup)
    assert np.allclose(moved.scene.object("ball").position, [0.5, 0.0, 0.93])


def test_a_drawer_takes_its_contents_and_its_region_along(situation: Situation) -> None:
    opened = situation.with_joint("chest", "tray", -0.15)
    joint = opened.scene.object("chest").part("tray").joint
    assert joint is not None and joint.value == -0.15 and joint.is_active
    assert np.allclose(opened.scene.object("ball").position, [0.5, -0.15, 0.93])
    assert np.allclose(opened.scene.region("chest_inside")[1].T_world_region[:3, 3], [0.5, -0.15, 0.93])
    assert np.allclose(opened.scene.object("chest").position, [0.5, 0.0, 0.9])
    assert np.allclose(opened.scene.object("cup").position, CUP_AT)


def seen_off(situation: Situation, by: Array, blur: float = 0.0, turns: int = 1) -> str | None:
    """What is said of a ball that is seen moved by `by`, by eyes that exact."""
    ball = replace(situation.scene.object("ball"), turns=turns)
    before = Situation(replace(situation.scene, objects=(ball,)))
    scene = replace(with_object_at(before.scene, "ball", by), blur=blur)
    return before.difference(Situation(scene))


def test_eyes_that_are_not_exact_are_allowed_to_be_off(situation: Situation) -> None:
    near, far = pose([0.51, 0.0, 0.93]), pose([0.52, 0.0, 0.93])
    assert seen_off(situation, near) == "ball is 10 mm and 0° from where it should be"
    assert seen_off(situation, near, blur=0.004) is None
    assert seen_off(situation, far, blur=0.004) == "ball is 20 mm and 0° from where it should be"


@pytest.mark.parametrize(("turns", "degrees", "same"), [(1, 30, False), (0, 30, True), (4, 88, True), (4, 45, False)])
def test_what_looks_the_same_turned_is_the_same(situation: Situation, turns: int, degrees: int, same: bool) -> None:
    turned = pose([0.5, 0.0, 0.93], rotation_about(UP, np.radians(degrees)))
    assert (seen_off(situation, turned, turns=turns) is None) == same
    leaning = pose([0.5, 0.0, 0.93], rotation_about(np.array([1.0, 0.0, 0.0]), np.radians(degrees)))
    assert seen_off(situation, leaning, turns=turns) is not None, "it leans"


def test_what_comes_up_with_the_held_thing_is_named_unless_it_lies_on_it(situation: Situation) -> None:
    """The ball hangs on the cup that is lifted, as the lower of two nested bowls does; or lies in it."""
    planned = situation.grasping("cup").at(np.ones(7), 0.0, pose(TOOL_AT + 0.1 * UP))
    assert planned.come_along(planned) is None
    for rise, named in ((0.08, "ball"), (0.16, None)):
        raised = with_object_at(planned.scene, "ball", pose(CUP_AT + rise * UP))
        low = with_object_at(planned.scene, "ball", pose(CUP_AT))
        assert replace(planned, scene=low).come_along(replace(planned, scene=raised)) == named


def test_a_joint_at_its_threshold_is_at_rest_for_planning_only(situation: Situation) -> None:
    joint = situation.scene.object("chest").part("tray").joint
    assert joint is not None and joint.is_nearly_rest and not joint.at_rest(0.0) and joint.at_rest(0.001)
    shut = Atom("closed", ("chest_inside",))
    state = WorldState({"chest_inside": "drawer"}, frozenset({shut}), nearly=frozenset({shut}))
    assert Goal(shut).missing(state) == (shut,) and not Goal(shut).missing(replace(state, nearly=frozenset()))
