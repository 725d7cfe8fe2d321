"""Scenes of boxes: what their construction promises, that they are solved, and what is kept of it."""

from __future__ import annotations

import itertools
import json
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from motion.robot import RobotDescription
from tamp.backends.libero.panda import panda
from tamp.errors import InputError
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
from tests import scaling
from tests.scaling_plot import draw

pytestmark = pytest.mark.slow

RECORD = scaling.Record("packed", 3, 0, True, 0.5, 0.2, 0.3, 0.6, 1, 6, 6, True, None, "tree")
SIZES = range(1, boxes.LARGEST + 1)


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


@pytest.mark.parametrize(("family", "n"), itertools.product(boxes.FAMILIES, SIZES))
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
    record = scaling.measure(boxes.make(family, n, 0, robot), robot, domain, "fast-downward", 60.0)
    assert record.solved and record.inside, record.reason
    assert record.skeletons == skeletons
    assert record.actions >= 2 * n and record.samples >= record.actions
    assert record.seconds == pytest.approx(record.symbolic + record.geometric, abs=0.002)


def test_a_seed_is_an_answer(robot: RobotDescription, domain: Domain) -> None:
    def told() -> tuple[int, int, int]:
        r = scaling.measure(boxes.make("packed", 4, 2, robot), robot, domain, "fast-downward", 60.0)
        return r.skeletons, r.samples, r.actions

    assert told() == told()


def test_a_killed_run_goes_on(tmp_path: Path) -> None:
    folder = scaling.Folder(tmp_path / "out")
    assert folder.open(60.0, "fast-downward") == []
    folder.add(RECORD)
    with (tmp_path / "out" / "scaling.jsonl").open("a") as f:
        f.write(json.dumps(asdict(replace(RECORD, seed=1)))[:40])
    assert folder.open(60.0, "fast-downward") == [RECORD]
    folder.add(replace(RECORD, seed=2))
    assert [r.seed for r in folder.open(60.0, "fast-downward")] == [0, 2]


def test_other_settings_are_refused(tmp_path: Path) -> None:
    folder = scaling.Folder(tmp_path / "out")
    folder.open(60.0, "fast-downward")
    with pytest.raises(InputError, match="other limit"):
        folder.open(10.0, "fast-downward")


def test_what_is_no_record_is_named(tmp_path: Path) -> None:
    folder = scaling.Folder(tmp_path / "out")
    folder.open(60.0, "fast-downward")
    (tmp_path / "out" / "scaling.jsonl").write_text('{"family": "packed"}\n')
    with pytest.raises(InputError, match=r"scaling\.jsonl:1: not a record"):
        folder.read()


def test_rows_are_medians_over_all_and_count_what_is_solved() -> None:
    records = [
        replace(RECORD, seed=seed, seconds=s, symbolic=0.2, geometric=s - 0.2, solved=s < 9, inside=s < 1)
        for seed, s in enumerate((0.5, 1.5, 10.0))
    ]
    (row,) = scaling.rows(records)
    assert (row.scenes, row.solved, row.inside) == (3, 2, 1)
    assert row.seconds == (1.5, 0.5, 10.0)
    assert row.cells()[:2] == ("packed-3", "2 of 3")
    assert [r.n for r in scaling.rows([replace(RECORD, n=5), RECORD])] == [3, 5]


def test_the_plot_is_the_same_for_the_same_rows(tmp_path: Path) -> None:
    table = scaling.rows([RECORD, replace(RECORD, n=5, solved=False), replace(RECORD, family="blocked")])
    for name in ("a.svg", "b.svg"):
        draw(table, tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    assert b"<svg" in (tmp_path / "a.svg").read_bytes()
