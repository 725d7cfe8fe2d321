"""Scenes of boxes: what their construction promises, and that they are solved."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from motion.robot import RobotDescription
from tamp.backends.libero.panda import panda
from tamp.model.atoms import GroundAction
from tamp.model.bodies import world_of
from tamp.model.domain import Domain
from tamp.model.scene import Scene
from tamp.model.situation import Situation
from tamp.pddl.domain_file import load
from tamp.pddl.planner import Plan
from tamp.perception.predicates import observe
from tamp.planning.refinement import Failure, SearchBudget, refine
from tamp.runs.bench import boxes
from tamp.skills.base import Tools
from tamp.skills.registry import bind
from tests.bench_scaling import measure

pytestmark = pytest.mark.slow

SIZES = range(1, boxes.CLOSE + 1)
MANY = (11, 20, boxes.LARGEST)


@pytest.fixture(scope="module")
def robot() -> RobotDescription:
    return panda()


@pytest.fixture(scope="module")
def domain() -> Domain:
    return load("tabletop")


def poses(scene: Scene) -> dict[str, list[float]]:
    return {o.name: [*o.T_world_object.ravel(), *o.extent] for o in scene}


@pytest.mark.parametrize("family", boxes.FAMILIES)
def test_a_seed_is_a_scene(robot: RobotDescription, family: boxes.Family) -> None:
    same, again, other = (poses(boxes.make(family, 5, seed, robot).scene) for seed in (7, 7, 8))
    assert same == again
    assert same != other


@pytest.mark.parametrize("n", SIZES)
def test_the_region_has_so_much_room(robot: RobotDescription, n: int) -> None:
    scene = boxes.make("packed", n, 0, robot).scene
    region = scene.region("tray")[1]
    assert all(np.abs(o.bounds()).min(axis=0)[1] > region.half_extent[1] for o in scene if o.movable), "elsewhere"
    halves = [o.parts[0].shapes[0].half_extent for o in scene if o.movable]
    assert len(halves) == n
    assert np.prod(region.half_extent[:2]) == pytest.approx(boxes.ROOM * sum(np.prod(h[:2]) for h in halves))
    assert 2 * max(h[:2].max() for h in halves) < robot.gripper.opening - 0.012


@pytest.mark.parametrize(("family", "n"), itertools.product(boxes.FAMILIES, (*SIZES, *MANY)))
def test_everything_stands_on_the_table_and_apart(robot: RobotDescription, family: boxes.Family, n: int) -> None:
    scene = boxes.make(family, n, 1, robot).scene
    world = world_of(scene, robot)
    for o in scene:
        if o.name != "table_body":
            met = world.body_contacts(o.name, o.T_world_object, 0.003)
            assert [c.other for c in met] == ["table_body"], o.name
    on = {a.args for a in observe(scene, world).atoms if a.predicate == "on"}
    assert on == {(o.name, "table") for o in scene if o.movable}


@pytest.mark.parametrize(("n", "seed"), itertools.product(SIZES, range(10)))
def test_what_is_blocked_cannot_be_grasped_first(robot: RobotDescription, domain: Domain, n: int, seed: int) -> None:
    """In every scene that counts, the wanted box has no grasp as things stand, because of what can be moved."""
    problem = boxes.make("blocked", n, seed, robot)
    world = world_of(problem.scene, robot)
    pick = GroundAction("pick", ("wanted", "table"))
    tools = Tools(world, np.random.default_rng(seed))
    found = refine(Plan((pick,)), Situation(problem.scene), bind(domain), tools, SearchBudget.of(world, 30.0))
    assert isinstance(found, Failure) and not found.timeout
    assert {f.predicate for f in found.cause.facts} == {"obstructed"}


@pytest.mark.parametrize(("family", "n", "skeletons"), [("packed", 2, 1), ("packed", 6, 1), ("blocked", 1, 2)])
def test_small_ones_are_solved(
    robot: RobotDescription, domain: Domain, family: boxes.Family, n: int, skeletons: int
) -> None:
    row = measure(boxes.make(family, n, 0, robot), robot, domain)
    assert row.ok and row.values["inside"], row.detail
    assert row.values["skeletons"] == skeletons
    assert row.values["actions"] >= 2 * n and row.values["samples"] >= row.values["actions"]


def test_a_seed_is_an_answer(robot: RobotDescription, domain: Domain) -> None:
    one, other = (measure(boxes.make("packed", 4, 2, robot), robot, domain).values for _ in range(2))
    assert all(one[name] == other[name] for name in ("skeletons", "samples", "actions"))
