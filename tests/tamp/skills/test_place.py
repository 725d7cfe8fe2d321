"""Placing among boxes on a table: where there is room, what falls, and fingers that need to open."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

import numpy as np
import pytest

from motion.falling import fallen
from motion.poses import pose, rotation_about
from motion.robot import RobotDescription
from motion.shapes import Shape
from motion.world import World
from tamp.backends.libero.panda import panda
from tamp.model.bodies import world_of
from tamp.model.motions import Move
from tamp.model.scene import Joint, Part, Region, RobotState, Scene, SceneObject
from tamp.model.situation import Situation
from tamp.runs.bench.boxes import TABLE, TABLE_TOP
from tamp.skills.base import Infeasible, Refinement, Tools
from tamp.skills.place import Place

HALF = 0.03
"""Half the side of the boxes, metres."""
DOWN = np.diag([1.0, -1.0, -1.0])
AT = np.array([-0.1, 0.0])


@pytest.fixture(scope="module")
def robot() -> RobotDescription:
    return panda()


def box(
    name: str, centre: Iterable[float], half: Iterable[float] = (HALF,) * 3, *, movable: bool = True
) -> SceneObject:
    T = pose(np.array(list(centre), dtype=float))
    part = Part(name, "body", T, (Shape("box", np.array(list(half)), np.eye(4)),))
    return SceneObject(name, "box", movable, (part,))


def table(*regions: Region) -> SceneObject:
    half = np.array(TABLE)
    part = Part("table_body", "body", pose([0.0, 0.0, TABLE_TOP - half[2]]), (Shape("box", half, np.eye(4)),))
    whole = Region("table", "surface", pose([0.0, 0.0, TABLE_TOP]), np.array([half[0], half[1], 0.001]), "table_body")
    return SceneObject("table_body", "table", False, (part,), (whole, *regions))


def spot(name: str, half: float, kind: str = "surface", height: float = 0.0) -> Region:
    """A level square on the table, or a box of the given height that stands on it."""
    centre = [*AT, TABLE_TOP + 0.5 * height]
    return Region(name, kind, pose(centre), np.array([half, half, 0.5 * height + 0.001]), "table_body")


def holding(robot: RobotDescription, *others: SceneObject) -> tuple[Situation, World]:
    """The arm at its posture with a box in its hand, among other things."""
    T_tool = World(robot, []).forward(robot.posture)
    item = box("item", T_tool[:3, 3])
    state = RobotState(np.array(robot.posture), 2 * HALF, T_tool)
    scene = Scene((item, *others), state)
    return Situation(scene, "item"), world_of(scene, robot)


def tools(world: World) -> Tools:
    return Tools(world, np.random.default_rng(0))


def test_nothing_is_let_fall_through_a_board(robot: RobotDescription) -> None:
    """A bin with a lid half-way up: what is let go of above the lid does not get to the floor."""
    lid = box("lid", [*AT, TABLE_TOP + 0.085], (0.1, 0.1, 0.004), movable=False)
    region = spot("bin", 0.1, "interior", 0.06)
    situation, world = holding(robot, lid, table(region))
    samples = islice(Place().refine(("item", "bin"), situation, tools(world)), 8)
    assert not [s for s in samples if isinstance(s, Refinement)]
    open_situation, open_world = holding(robot, table(region))
    assert isinstance(next(Place().refine(("item", "bin"), open_situation, tools(open_world))), Refinement)


def test_what_is_not_open_is_the_reason_and_not_the_size_of_the_thing(robot: RobotDescription) -> None:
    """A drawer that would take the box if it were open: nothing false is told to the planner."""
    for value, shown in ((0.0, "chest_drawer is closed"), (0.1, "chest_drawer is not open")):
        situation, world = holding(robot, chest(value))
        found = list(Place().refine(("item", "chest_drawer"), situation, tools(world)))
        assert [c.reason for c in found if isinstance(c, Infeasible)] == ["not-open"], found
        assert isinstance(found[0], Infeasible) and shown in found[0].message
        assert Place().facts(("item", "chest_drawer"), [found[0]], situation.scene) == frozenset()
    situation, world = holding(robot, chest(0.2))
    full = list(Place().refine(("item", "chest_drawer"), situation, tools(world)))[-1]
    assert isinstance(full, Infeasible) and full.reason == "does-not-fit"


def chest(value: float) -> SceneObject:
    """A chest with a drawer that is open from 0.2 m on on paper, but is solid."""
    T = pose([*AT, TABLE_TOP + 0.1])
    body = Part("chest", "body", T, (Shape("box", np.array([0.1, 0.1, 0.1]), np.eye(4)),))
    joint = Joint("slide", np.array([1.0, 0.0, 0.0]), T[:3, 3], (0.0, 0.3), value, active=0.2, rest=0.01)
    drawer = Part("drawer", "drawer", T, (Shape("box", np.full(3, 0.005), pose([0.11, 0.0, 0.0])),), joint)
    inside = Region("chest_drawer", "interior", T, np.array([0.08, 0.08, 0.05]), "drawer", "drawer")
    return SceneObject("chest", "chest", False, (body, drawer), (inside,))


def caddy_with_a_deep_slot() -> tuple[SceneObject, float]:
    """A caddy on the table with one compartment, a little wider than the item; how deep it is, metres."""
    deep, wall = 0.16, HALF + 0.006
    walls = tuple(
        Shape("box", np.array([0.005, wall, 0.5 * deep]), pose([s * (wall + 0.005), 0.0, 0.0])) for s in (-1, 1)
    )
    T = pose([*AT, TABLE_TOP + 0.5 * deep])
    region = Region("slot", "interior", T, np.array([wall, wall, 0.5 * deep]), "caddy")
    caddy = SceneObject("caddy", "caddy", False, (Part("caddy", "body", T, walls),), (region,))
    return caddy, deep


def test_what_goes_into_a_deep_compartment_goes_straight_down_from_above_its_rim(robot: RobotDescription) -> None:
    caddy, deep = caddy_with_a_deep_slot()
    situation, world = holding(robot, caddy, table())
    assert situation.T_tool_held is not None
    samples = Place().refine(("item", "slot"), situation, tools(world))
    found = next(s for s in islice(samples, 60) if isinstance(s, Refinement))
    over, down = (segment for segment in found.segments[:2] if isinstance(segment, Move))
    bottoms = [(world.forward(q) @ situation.T_tool_held)[2, 3] - HALF for q in (over.path[-1], down.path[-1])]
    assert bottoms[0] > TABLE_TOP + deep > bottoms[1]
    across = [(world.forward(q) @ situation.T_tool_held)[:2, 3] for q in down.path]
    assert np.ptp(across, axis=0).max() < 0.002


def test_what_is_let_go_of_over_a_ball_comes_to_rest_beside_it(robot: RobotDescription) -> None:
    shape = Shape("sphere", np.array([0.04, 0.0, 0.0]), np.eye(4))
    ball = Part("ball", "body", pose([*AT, TABLE_TOP + 0.04]), (shape,))
    _, world = holding(robot, SceneObject("ball", "ball", True, (ball,)), table())
    rest = fallen(world, "item", pose([AT[0] + 0.065, AT[1], TABLE_TOP + 0.11]))
    assert rest is not None
    assert rest[2, 3] == pytest.approx(TABLE_TOP + HALF, abs=0.005)
    assert np.linalg.norm(rest[:2, 3] - AT) > HALF + 0.03


def test_nothing_is_put_on_a_thing_from_which_it_falls(robot: RobotDescription) -> None:
    for radius, stays in ((0.025, False), (0.06, True)):
        shape = Shape("sphere", np.array([radius, 0.0, 0.0]), np.eye(4))
        flat = Shape("cylinder", np.array([radius, 0.02, 0.0]), np.eye(4))
        on = SceneObject(
            "on", "thing", True, (Part("on", "body", pose([*AT, TABLE_TOP + radius]), (flat if stays else shape,)),)
        )
        situation, world = holding(robot, on, table())
        samples = list(islice(Place().refine(("item", "on"), situation, tools(world)), 40))
        assert any(isinstance(s, Refinement) for s in samples) == stays, radius
        assert stays or any(isinstance(s, Infeasible) and s.reason == "falls" for s in samples)


@pytest.mark.parametrize(("degrees", "stays"), [(30, True), (60, False)])
def test_what_is_put_on_a_slope_stays_there_or_is_refused(robot: RobotDescription, degrees: float, stays: bool) -> None:
    """A coefficient of friction of 1 holds up to 45 degrees: said by physics before anything moves."""
    centre, half = np.array([-0.1, 0.0, TABLE_TOP + 0.15]), np.array([0.1, 0.1, 0.005])
    slope, mirrored = (rotation_about(np.array([0.0, 1.0, 0.0]), s * np.radians(degrees)) for s in (1, -1))
    board = Part("board", "body", pose(centre, slope), (Shape("box", half, np.eye(4)),))
    region = Region("slope", "surface", pose(centre, mirrored), np.array([0.1, 0.1, 0.005]), "board")
    rack = SceneObject("board", "rack", False, (board,), (region,))
    situation, world = holding(robot, rack, table())
    samples = islice(Place().refine(("item", "slope"), situation, tools(world)), 100)
    found = next((s for s in samples if isinstance(s, Refinement)), None)
    assert (found is not None) == stays
    if found is not None:
        T = found.after.scene.object("item").T_world_object
        world.load(found.after.released().state())
        rest = fallen(world, "item", T)
        assert rest is not None and np.abs(rest - T).max() < 0.01
