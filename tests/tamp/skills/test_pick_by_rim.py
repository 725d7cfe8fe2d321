"""A plate on a table, as boxes: taken by its rim, and laid down somewhere else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from motion.poses import pose, rotation_about
from motion.shapes import Shape
from motion.world import World
from tamp.backends.libero.panda import panda
from tamp.model.atoms import Atom
from tamp.model.bodies import world_of
from tamp.model.scene import Part, RobotState, Scene, SceneObject
from tamp.model.situation import Situation
from tamp.runs.bench.boxes import TABLE_TOP
from tamp.skills.base import Infeasible, Refinement, Tools
from tamp.skills.pick import Pick, PickByRim
from tamp.skills.place import Place
from tests.tamp.skills.test_place import AT, box, spot, table

SLOPE = np.radians(20)
UP = np.array([0.0, 0.0, 1.0])


def plate() -> SceneObject:
    """14 cm wide and 2 cm high: a disc, and around it walls that slope up at 20°."""
    half = np.array([0.02, 0.028, 0.0025])
    p = np.array([0.03 + half[0] * np.cos(SLOPE), 0.0, half[0] * np.sin(SLOPE)])
    R = rotation_about(np.array([0.0, 1.0, 0.0]), -SLOPE)
    turns = (pose(np.zeros(3), rotation_about(UP, a)) for a in np.arange(8) * np.pi / 4)
    floor = Shape("box", np.array([0.03, 0.03, 0.0025]), np.eye(4))
    shapes = (floor, *(Shape("box", half, turn @ pose(p, R)) for turn in turns))
    return SceneObject("plate", "plate", True, (Part("plate", "body", pose([-0.1, -0.25, TABLE_TOP + 0.003]), shapes),))


def laid(*others: SceneObject) -> tuple[Situation, Tools]:
    robot = panda()
    state = RobotState(np.array(robot.posture), 0.08, World(robot, []).forward(robot.posture))
    scene = Scene((plate(), table(spot("board", 0.1)), *others), state)
    return Situation(scene), Tools(world_of(scene, robot), np.random.default_rng(0), following=(("plate", "board"),))


def test_a_plate_is_taken_by_its_rim_and_tips_over_onto_its_underside() -> None:
    situation, tools = laid()
    no = next(Pick().refine(("plate", "table"), situation, tools))
    assert isinstance(no, Infeasible) and no.facts == {Atom("no-grasp", ("plate",))}
    taken = next(s for s in PickByRim().refine(("plate", "table"), situation, tools) if isinstance(s, Refinement))
    held = taken.after.scene.object("plate")
    assert 50 < np.degrees(np.arccos(held.T_world_object[2, 2])) < 75  # it hangs from the hand
    assert held.bounds()[0][2] > TABLE_TOP + 0.02
    tools = replace(tools, following=())
    put = next(s for s in Place().refine(("plate", "board"), taken.after, tools) if isinstance(s, Refinement))
    lies = put.after.scene.object("plate")
    assert np.allclose(lies.T_world_object[:3, 2], UP) and np.linalg.norm(lies.position[:2] - AT) < 0.1


def test_what_has_no_rim_and_a_rim_that_is_hemmed_in_are_told_apart() -> None:
    situation, tools = laid(box("slab", [0.0, 0.2, TABLE_TOP + 0.005], (0.08, 0.08, 0.005)))
    no = next(PickByRim().refine(("slab", "table"), situation, tools))
    assert isinstance(no, Infeasible) and no.facts == {Atom("no-rim", ("slab",))} and "thin rim" in no.message
    x, y = plate().position[:2]
    walls = [
        box(f"wall_{i}", [x + dx, y + dy, TABLE_TOP + 0.05], (0.03, 0.03, 0.05)) for i, (dx, dy) in enumerate(RING)
    ]
    situation, tools = laid(*walls)
    causes = [s for s in PickByRim().refine(("plate", "table"), situation, tools) if isinstance(s, Infeasible)]
    blocking = PickByRim().facts(("plate", "table"), causes, situation.scene)
    assert {a.predicate for a in blocking} == {"obstructed"}


RING = [(0.105 * np.cos(a), 0.105 * np.sin(a)) for a in np.arange(8) * np.pi / 4]
