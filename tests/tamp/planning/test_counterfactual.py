"""What is blamed for an action without a motion: what a motion would touch were it free, and nothing where none is."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from motion.poses import pose
from motion.shapes import Shape
from tamp.backends.libero.panda import panda
from tamp.model.bodies import world_of
from tamp.model.motions import Move
from tamp.model.scene import Joint, Part, Region, RobotState, Scene, SceneObject
from tamp.model.situation import Situation
from tamp.planning.counterfactual import needed
from tamp.skills.base import Infeasible, Refinement, Skill, Tools
from tamp.skills.builtin_specs import PICK

CUBE = (Shape("box", np.full(3, 0.06), np.eye(4)),)
Q = panda().posture
DRAWER = "chest_region"


def situation() -> Situation:
    """A box in the hand's place, a can far away, and an open drawer far away, with a pea in it."""
    nowhere = world_of(Scene((), RobotState(Q, 0.08, np.eye(4))), panda())
    at_hand, far = nowhere.forward(Q)[:3, 3], np.array([0.0, 3.0, 0.0])
    box, can, pea = (
        SceneObject(name, name, True, (Part(name, "body", pose(p), CUBE),))
        for name, p in (("box", at_hand), ("can", -far), ("pea", far))
    )
    joint = Joint("slide", np.array([1.0, 0.0, 0.0]), far, (0.0, 0.3), 0.25, active=0.2, rest=0.01)
    region = Region(DRAWER, "interior", pose(far), np.full(3, 0.1), "low", "low")
    chest = SceneObject("chest", "chest", False, (Part("low", "drawer", pose(far), CUBE, joint),), (region,))
    return Situation(Scene((box, can, pea, chest), RobotState(Q, 0.08, np.eye(4))))


class Reaching(Skill):
    """Moves where the arm is already; not at all where it is `lame`."""

    spec = PICK

    def __init__(self, lame: bool) -> None:
        self.lame = lame

    def refine(self, args: tuple[str, ...], situation: Situation, tools: Tools) -> Iterator[Refinement | Infeasible]:
        move = Move(np.array([Q]), situation.state())
        yield Infeasible("unreachable") if self.lame else Refinement((move,), situation)


def blamed(lame: bool, about: str = "pan") -> list[tuple[str, ...]]:
    here = situation()
    causes = [Infeasible("collision", (b,), message=b) for b in ("can", "can", "box", DRAWER, "chest")]
    tools = Tools(world_of(here.scene, panda()), np.random.default_rng(0))
    return [c.blockers for c in needed(Reaching(lame), (about,), causes, here, tools, 5)]


def test_what_a_motion_would_touch_is_to_blame_however_seldom_it_was_met() -> None:
    assert blamed(lame=False) == [("box",)]


def test_nothing_that_could_be_moved_is_to_blame_where_there_is_no_motion_without_it() -> None:
    assert blamed(lame=True) == [("chest",)]
    assert (DRAWER,) in blamed(lame=True, about="pea"), "it cannot be shut over what is to be taken out of it"
