"""What is in the way only while it is open: told to the planner so, and in the scene's names."""

from __future__ import annotations

import numpy as np

from motion.poses import pose
from motion.shapes import Shape
from tamp.backends.libero.panda import panda
from tamp.model.atoms import Atom
from tamp.model.scene import Joint, Part, Region, RobotState, Scene, SceneObject
from tamp.skills.base import Infeasible
from tamp.skills.open_parts import in_symbols, while_open

PICK = ("box", "desk")
TOUCHED = Infeasible("collision", ("chest_low",), message="pick: chest_low is in the way")
IF_OPEN, NOW = (Atom(p, ("box", "chest_bottom_region")) for p in ("in-way-if-open", "in-way"))


def cube(half: float) -> tuple[Shape, ...]:
    return (Shape("box", np.full(3, half), np.eye(4)),)


def scene(value: float, at: float = 1.0) -> Scene:
    """A box that is 4 cm wide, `at` metres before the middle of a drawer, which is open from 0.2 m on."""
    T = pose([0.0, 0.0, 0.9])
    joint = Joint("slide", np.array([1.0, 0.0, 0.0]), T[:3, 3], (0.0, 0.3), value, active=0.2, rest=0.01)
    parts = (
        Part("chest_frame", "body", pose([0.0, 1.0, 0.9]), cube(0.1)),
        Part("chest_low", "drawer", T, cube(0.1), joint),
    )
    inside = Region("chest_bottom_region", "interior", T, np.full(3, 0.05), "chest_low", "chest_low")
    box = SceneObject("box", "box", True, (Part("box", "body", pose([at, 0.0, 0.9]), cube(0.02)),))
    chest = SceneObject("chest", "chest", False, parts, (inside,))
    return Scene((chest, box), RobotState(panda().posture, 0.08, np.eye(4)))


def test_parts_go_by_the_names_that_goals_have_for_them() -> None:
    shown = in_symbols(TOUCHED, scene(0.25))
    assert shown.blockers == ("chest_bottom_region",)
    assert shown.message == "pick: chest_bottom_region, while it is open, is in the way"
    assert in_symbols(TOUCHED, scene(0.0)).message == "pick: chest_bottom_region is in the way"
    frame = in_symbols(Infeasible("collision", ("chest_frame",), message="pick: chest_frame is in the way"), scene(0.0))
    assert (frame.blockers, frame.message) == (("chest",), "pick: chest is in the way")


def test_what_an_open_drawer_blocks_is_blocked_while_it_is_open() -> None:
    open_, shut = scene(0.25), scene(0.0)
    touched = [in_symbols(TOUCHED, open_)]
    assert while_open("box", PICK, touched, open_, shut) == {IF_OPEN}, "the plan has opened it"
    assert while_open("box", PICK, touched, open_, open_) == {IF_OPEN, NOW}
    assert not while_open("box", PICK, touched, shut, shut), "shut, it will not be otherwise when it is shut"
    assert not while_open("box", ("box", "chest_bottom_region"), touched, open_, open_), "taken out of it"
    wall = Infeasible("collision", ("chest",))
    assert not while_open("box", PICK, [*touched, wall, wall], open_, open_), "mostly it is the frame"
