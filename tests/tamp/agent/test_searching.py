"""Looking again before acting or refusing, with eyes that see a thing only once the hand has moved."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from motion.poses import Array, pose
from motion.robot import RobotDescription
from tamp.agent.camera_perceiver import Instruction, Observe, PerceiverFactory
from tamp.errors import Refusal
from tamp.model.backend import Observation
from tamp.model.events import Event, Searching
from tamp.model.goal import Goal, goals_in
from tamp.model.scene import Perceiver, Scene
from tamp.pddl.domain_file import load
from tamp.perception.camera_calibration import Calibration, Camera
from tamp.runs.policy.policy import Policy
from tests.live_sessions import a_panda
from tests.tamp.runs.policy.test_policy import GOAL, World, run

PLACES = np.array([[-0.1 + 0.02 * i, 0.02 * j, 0.92] for i in range(10) for j in range(10)])


class Hiding(World):
    """The fake table with a camera in the hand too, which sees `missing` only once the hand is elsewhere."""

    def __init__(self, missing: str = "box_1", for_ever: bool = False, doubtful: str = "") -> None:
        super().__init__()
        self.missing, self.for_ever, self.doubtful = missing, for_ever, doubtful
        self.clear = True
        self.start = self.table.observe().T_world_tool[:3, 3]
        self.reconsidered: list[tuple[str, ...]] = []

    @property
    def moved(self) -> bool:
        return float(np.linalg.norm(self.table.observe().T_world_tool[:3, 3] - self.start)) > 0.03

    def pictures(self) -> dict[str, Any]:
        shown = super().pictures()
        return shown | {name.replace("agentview", "hand"): value for name, value in shown.items()}

    def seen(self, scene: Scene) -> Scene:
        left = [o for o in scene if o.name != self.missing or (self.moved and not self.for_ever)]
        sure = {o.name: 0.5 if o.name == self.doubtful and not self.reconsidered else 1.0 for o in left if o.movable}
        return replace(scene, objects=tuple(left), confidence=sure)

    def eyes(self) -> PerceiverFactory:
        world = self

        class Seeing:
            def __init__(self, look: Observe) -> None:
                self._look = look

            def perceive(self) -> Scene:
                seen = self._look()
                return world.seen(replace(world.table.perceive(), robot=seen.robot, time=seen.time))

            def felt(self, observation: Observation) -> None:
                pass

            def hidden(self, scene: Scene) -> Array:
                return np.zeros((0, 3)) if world.moved else PLACES

            def forget(self) -> None:
                pass

            def shows(self, points: Array) -> Array:
                return np.full(len(points), world.clear)

            def reconsider(self, names: Iterable[str]) -> None:
                world.reconsidered += [shown] if (shown := tuple(names)) else []

        def made(look: Observe, robot: RobotDescription) -> Perceiver:
            return Seeing(look)

        return made


def calibrated() -> Calibration:
    T_tool_camera = pose([0.0, -0.07, -0.09])  # beside the fingers, which close along x
    return Calibration(
        a_panda(), (Camera("agentview", 0.8, np.eye(4)), Camera("hand", 1.3, T_tool_camera, on_hand=True))
    )


def reads(said: Instruction) -> tuple[Goal, ...]:
    if "box_1" not in said.state.symbols:
        raise Refusal("the scene has no first box", "absent", ("first box",))
    return goals_in(said.state, said.domain, [said.text])


def tried(world: Hiding, searches: bool = True, steps: int = 400) -> tuple[Policy, list[Event]]:
    shown: list[Event] = []
    policy = Policy(load("tabletop"), world.eyes(), reads, publish=shown.append, searches=searches)
    policy.reset(GOAL, calibrated(), more=world.pictures)
    run(world, policy, steps)
    return policy, shown


def test_what_is_not_seen_is_looked_for_and_then_acted_on() -> None:
    policy, shown = tried(Hiding())
    out = policy.outcome
    assert out is not None and out.done, out
    assert out.executed[0] == "(look)" and out.executed[-1].startswith("(pick box_1")
    assert [(e.what, e.how) for e in shown if isinstance(e, Searching)] == [("for the first box", "looking around")]
    assert out.steps > len([e for e in shown if e.kind == "command" and e.stage == "grip"]), "looking counts"
    assert out.steps <= out.total_steps


def test_what_is_nowhere_is_refused_with_where_one_has_looked() -> None:
    policy, _ = tried(Hiding(for_ever=True))
    out = policy.outcome
    assert out is not None and not out.done
    assert (out.stage, out.reason) == ("goal", "the scene has no first box; looked around")
    assert 0 < out.total_steps < 150


def test_what_is_doubtful_is_looked_at_from_nearby_before_it_is_acted_on() -> None:
    world = Hiding(missing="", doubtful="box_1")
    policy, shown = tried(world)
    out = policy.outcome
    assert out is not None and out.done, out
    assert world.reconsidered == [("box_1",)] and out.executed[0] == "(look)"
    assert sum(isinstance(e, Searching) for e in shown) == 1


@pytest.mark.parametrize("clear", [True, False])
def test_what_seems_to_have_failed_is_looked_at_from_elsewhere_where_little_of_it_is_seen(clear: bool) -> None:
    world = Hiding(missing="")
    world.clear, world.table.faults.fingers_stop_at = clear, 0.08
    policy, shown = tried(world, steps=800)
    out = policy.outcome
    assert out is not None and not out.done and "box_1 is not in the hand" in str(out.reason)
    unclear = [e for e in shown if isinstance(e, Searching) and e.how == "it is not clear what became of it"]
    assert len(unclear) == (0 if clear else 3), "once for each attempt"
