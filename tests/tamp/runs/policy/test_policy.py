"""The policy on a robot that needs no physics: what it asks for, what it refuses, how it ends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from motion.poses import Array
from motion.robot import RobotDescription
from tamp.agent.camera_perceiver import Instruction, Observe, PerceiverFactory
from tamp.agent.monitor import SELDOM
from tamp.backends.fake_table import FakeTable
from tamp.errors import InputError, Refusal
from tamp.model.backend import Observation
from tamp.model.goal import Goal, goals_in
from tamp.model.scene import Perceiver, Scene
from tamp.pddl.domain_file import load
from tamp.perception.camera_calibration import Calibration, Camera
from tamp.runs.bench.boxes import make
from tamp.runs.policy.policy import Policy
from tests.live_sessions import a_panda

GOAL = "(holding box_1)"


@cache
def calibrated() -> Calibration:
    return Calibration(a_panda(), (Camera("agentview", 0.8, np.eye(4)),))


class World:
    """A fake table with a camera: `frozen`, it shows one picture for ever. It takes the policy's intent: the fake has
    no controller to undo."""

    def __init__(self) -> None:
        self.table = FakeTable(make("packed", 3, 0, a_panda()).scene, a_panda())
        self.looks, self.frozen, self.taken = 0, False, 0

    def encoders(self) -> dict[str, Array]:
        robot = self.table.observe()
        half = 0.5 * robot.opening
        return {
            "robot0_joint_pos": robot.q,
            "robot0_joint_vel": np.zeros(7),
            "robot0_gripper_qpos": np.array([half, -half]),
        }

    def pictures(self) -> dict[str, Any]:
        self.taken += 1
        shade = 7 if self.frozen else self.taken % 250
        return {
            "agentview_image": np.full((48, 48, 3), shade, dtype=np.uint8),
            "agentview_depth": np.full((48, 48, 1), 1.0),
        }

    def eyes(self) -> PerceiverFactory:
        world = self

        class Seeing:
            def __init__(self, look: Observe) -> None:
                self._look = look

            def perceive(self) -> Scene:
                world.looks += 1
                seen = self._look()
                return replace(world.table.perceive(), robot=seen.robot, time=seen.time)

            def felt(self, observation: Observation) -> None:
                pass

        def made(look: Observe, robot: RobotDescription) -> Perceiver:
            return Seeing(look)

        return made


def reads(said: Instruction) -> tuple[Goal, ...]:
    if not said.text.startswith("("):
        raise Refusal(f"there is no {said.text}", "absent")
    return goals_in(said.state, said.domain, [said.text])


def run(world: World, policy: Policy, steps: int = 200, pictures: bool = False) -> list[Array]:
    """Steps with what the session commanded, which the fake understands; the actions."""
    actions = []
    for _ in range(steps):
        action = policy.act({**world.encoders(), **(world.pictures() if pictures else {})})
        if policy.outcome is not None:
            break
        actions.append(action)
        world.table.command(*commanded(policy))
    return actions


def commanded(policy: Policy) -> Any:
    return policy._now.commanded  # type: ignore[union-attr]


def test_it_asks_for_pictures_only_when_it_looks() -> None:
    world = World()
    policy = Policy(load("tabletop"), world.eyes(), reads)
    policy.reset(GOAL, calibrated(), more=world.pictures)
    actions = run(world, policy)
    assert policy.outcome is not None and policy.outcome.done and policy.outcome.goal == GOAL
    assert policy.outcome.looks == world.looks == world.taken and len(actions) > 20
    assert world.looks <= 5 + len(actions) * 0.05 / SELDOM
    assert all(a.shape == (7,) and np.abs(a).max() <= 1.0 for a in actions)
    assert np.array_equal(policy.act(world.encoders()), np.zeros(7)), "once it is done it holds still"


def test_without_any_pictures_it_says_what_is_missing() -> None:
    world = World()
    policy = Policy(load("tabletop"), world.eyes(), reads)
    with pytest.raises(InputError, match="reset comes first"):
        policy.act(world.encoders())
    policy.reset(GOAL, calibrated())
    with pytest.raises(InputError, match="the observation has no agentview_image"):
        policy.act(world.encoders())


def test_a_frozen_camera_is_noticed_when_the_arm_has_moved() -> None:
    world = World()
    world.frozen = True
    policy = Policy(load("tabletop"), world.eyes(), reads)
    policy.reset(GOAL, calibrated(), more=world.pictures)
    run(world, policy)
    assert policy.outcome is not None and not policy.outcome.done
    assert policy.outcome.stage == "perception" and "agentview shows the same picture" in str(policy.outcome.reason)


def test_words_that_come_to_nothing_end_it_quietly() -> None:
    world = World()
    policy = Policy(load("tabletop"), world.eyes(), reads)
    policy.reset("unicorn", calibrated(), more=world.pictures)
    assert np.array_equal(policy.act(world.encoders()), np.zeros(7))
    assert policy.outcome is not None
    assert (policy.outcome.stage, policy.outcome.reason) == ("goal", "there is no unicorn")


def test_who_gives_the_goal_is_told_what_is_seen() -> None:
    world, shown = World(), []

    def given(scene: Mapping[str, Any]) -> Mapping[str, Any]:
        shown.append(scene)
        return {"goals": [GOAL], "untouched": []}

    policy = Policy(load("tabletop"), world.eyes())
    policy.reset(None, calibrated(), more=world.pictures, given=given)
    run(world, policy)
    assert policy.outcome is not None and policy.outcome.done
    assert set(shown[0]["objects"]) >= {"box_1", "box_2", "box_3"} and len(shown[0]["poses"]["box_1"]) == 7
    with pytest.raises(InputError, match="say what to do"):
        policy.reset(None, calibrated())


def test_ended_from_outside_it_says_what_it_was_at() -> None:
    world = World()
    policy = Policy(load("tabletop"), world.eyes(), reads)
    policy.reset(GOAL, calibrated(), more=world.pictures)
    run(world, policy, steps=5)
    outcome = policy.end()
    assert outcome is not None and (outcome.done, outcome.stage, outcome.total_steps) == (False, "stopped", 5)
    assert outcome.plan == ["(pick box_1 table)"] and "plan" in outcome.seconds
