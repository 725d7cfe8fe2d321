"""Policies that know nothing, for tests of what carries observations to them. Imported in the policy's process."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from motion.poses import Array, pose
from motion.robot import RobotDescription
from tamp.agent.agent import AgentOutcome
from tamp.errors import InputError
from tamp.perception.camera_calibration import Calibration, Camera
from tamp.runs.policy.policy import Diary, Given, More

ROBOT = """<mujoco><worldbody><body name="arm"><joint name="j" axis="0 0 1" range="-3 3"/><geom size="0.01"/>
<site name="tool"/></body></worldbody></mujoco>"""


def calibration() -> Calibration:
    robot = RobotDescription(
        mjcf=ROBOT, arm_joints=("j",), tool_site="tool", posture=np.zeros(1), pinned_bodies=frozenset({"arm"})
    )
    cameras = (Camera("agentview", 0.8, pose([1, 0, 1]), near=0.1, far=9.0), Camera("eye", 1.3, np.eye(4), True))
    return Calibration(robot, cameras)


@dataclass
class Fake:
    """Says `act` times its number in the action; does what the observation's `do` says; the third is its last."""

    diary: Diary = field(default_factory=Diary)
    outcome: AgentOutcome | None = None
    acted: int = 0
    shown: list[Any] = field(default_factory=list)
    more: More | None = None
    given: Given | None = None

    def reset(
        self,
        instruction: str | None,
        calibration: Calibration,
        *,
        seed: int = 0,
        more: More | None = None,
        given: Given | None = None,
        names: Mapping[str, object] | None = None,
    ) -> None:
        self.shown.append((instruction, calibration.cameras[0].name, seed))
        self.outcome, self.acted, self.more, self.given = None, 0, more, given
        self.diary.event("began", instruction=instruction)

    def act(self, observation: Mapping[str, Any]) -> Array:
        match observation.get("do"):
            case "look":
                assert self.more is not None
                self.shown.append(sorted(self.more()))
            case "ask":
                assert self.given is not None
                self.shown.append(self.given({"objects": {"cup": "mug"}}))
            case "object":
                raise InputError("nothing to see here")
            case "break":
                raise ZeroDivisionError("by nothing")
            case "die":
                os._exit(3)
            case "hang":
                time.sleep(60)
            case "cheat":
                import sys
                import types

                sys.modules["robosuite"] = types.ModuleType("robosuite")
        self.acted += 1
        if self.acted == 3:
            self.outcome = AgentOutcome(done=True, goal=str(self.shown))
        return np.full(7, float(self.acted))

    def end(self) -> AgentOutcome | None:
        return self.outcome


def make(diary: Diary) -> Fake:
    return Fake(diary)


def make_none(diary: Diary) -> Fake:
    raise InputError("there is no library of objects; `tamp objects build` makes it")
