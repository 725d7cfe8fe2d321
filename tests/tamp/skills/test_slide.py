"""Among boxes on a table: what is too wide for the hand is pushed, and what another thing lies close around grasped."""

from __future__ import annotations

from itertools import islice

import numpy as np

from motion.grasps import hand_clear
from motion.poses import pose
from motion.shapes import Shape
from tamp.backends.libero.panda import panda
from tamp.model.atoms import Atom
from tamp.model.bodies import world_of
from tamp.model.scene import Part, RobotState, Scene, SceneObject
from tamp.model.situation import Situation
from tamp.perception import relations
from tamp.runs.bench.boxes import TABLE_TOP
from tamp.skills.base import Refinement, Skill, Tools
from tamp.skills.pick import SQUEEZE, Pick
from tamp.skills.reaching import boxes_of
from tamp.skills.slide import Slide
from tests.tamp.skills.test_place import box, table

WIDE = (0.045, 0.045, 0.05)
LOW = (0.05, 0.05, 0.02)


def first(skill: Skill, args: tuple[str, ...], *things: SceneObject, wanted: tuple[Atom, ...] = ()) -> Refinement:
    """The first refinement of an action with an empty hand, among things on a table."""
    robot = panda()
    world = world_of(Scene((*things, table()), RobotState(robot.posture, 0.08, np.eye(4))), robot)
    state = RobotState(np.array(robot.posture), 0.08, world.forward(robot.posture))
    situation = Situation(Scene((*things, table()), state))
    samples = skill.refine(args, situation, Tools(world, np.random.default_rng(0), wanted=wanted))
    return next(s for s in islice(samples, 300) if isinstance(s, Refinement))


def test_what_is_too_wide_is_pushed_to_the_other_side_of_a_thing_that_is_in_between() -> None:
    """The can is closed: it is pushed from behind on each leg of the way, never from inside."""
    can = box("can", [-0.1, -0.15, TABLE_TOP + WIDE[2]], WIDE)
    low = box("low", [-0.18, 0.05, TABLE_TOP + LOW[2]], LOW)
    wanted = Atom("right-of", ("can", "low"))
    found = first(Slide(), ("can", "table", "table"), can, low, wanted=(wanted,))
    assert relations.holds(wanted, found.after.scene)
    assert len(found.note["course"]) == 3 and not found.note["inside"]
    assert found.displaced == {"can"}


def test_the_fingers_close_above_what_lies_close_around_a_thing() -> None:
    """As a bowl lies in another one: what is between the fingers, too, would come along. It may be touched."""
    item = box("item", [-0.1, 0.0, TABLE_TOP + 0.03], (0.02, 0.02, 0.03))
    walls = [(x, y) for x in (-0.026, 0.026, 0.0) for y in (-0.026, 0.026, 0.0) if (x == 0) != (y == 0)]
    shapes = tuple(
        Shape("box", np.array([0.002 if x else 0.028, 0.002 if y else 0.028, 0.02]), pose([x, y, 0.0]))
        for x, y in walls
    )
    ring = SceneObject("ring", "box", True, (Part("ring", "body", pose([-0.1, 0.0, TABLE_TOP + 0.02]), shapes),))
    found = first(Pick(), ("item", "table"), item, ring)
    world = world_of(found.after.scene, panda())
    world.load(found.segments[0].state)  # type: ignore[union-attr]
    world.set_opening(found.note["width"])
    met = {c.other for c in world.contacts(found.segments[0].path[-1], SQUEEZE, frozenset({"item"}))}  # type: ignore[union-attr]
    assert "ring" not in met
    T_world_grasp, closed = np.array(found.note["grasp"]), np.array([found.note["width"]])
    assert hand_clear(T_world_grasp[None], closed, boxes_of(ring.parts), panda().gripper, graze=0.0).all()
