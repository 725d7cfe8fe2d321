"""Symbols from geometry, and frames that agree, in a real simulation that is built once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pytest

from motion.poses import pose
from motion.world import World
from tamp.backends.libero import tasks
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.oracle import OraclePerceiver
from tamp.model.atoms import Atom
from tamp.model.bodies import world_of
from tamp.model.scene import Scene, with_joint_at, with_object_at
from tamp.model.state import WorldState
from tamp.perception.predicates import observe

pytestmark = pytest.mark.episode
MUG, PLATE, CABINET, DRAWER = "mug_1", "plate_1", "cabinet_1", "cabinet_1_top_region"


@dataclass
class Built:
    environment: LiberoEnvironment
    scene: Scene
    world: World

    def observe(self, scene: Scene) -> WorldState:
        return observe(scene, self.world)


@pytest.fixture(scope="module")
def built() -> Iterator[Built]:
    environment = LiberoEnvironment(tasks.find("mug_in_drawer"), seed=3)
    scene = OraclePerceiver(environment).perceive()
    yield Built(environment, scene, world_of(scene, environment.robot_model()))
    environment.close()


def moved(scene: Scene, name: str, p_world: np.ndarray) -> Scene:
    """The scene with an object turned as it is and its origin elsewhere."""
    return with_object_at(scene, name, pose(p_world, scene.object(name).T_world_object[:3, :3]))


def up(metres: float) -> np.ndarray:
    return np.array([0.0, 0.0, metres])


def drawn(scene: Scene, value: float) -> Scene:
    _, region = scene.region(DRAWER)
    assert region.door is not None
    return with_joint_at(scene, CABINET, region.door, value)


def test_the_scene_starts_as_it_was_drawn_up(built: Built) -> None:
    state = built.observe(built.scene)
    assert state.symbols[MUG] == "item"
    assert state.symbols[DRAWER] == "drawer"
    expected = {"(hand-empty)", f"(on {MUG} main_table)", f"(closed {DRAWER})", f"(clear {MUG})"}
    assert expected <= {str(a) for a in state.atoms}
    assert not any(a.predicate in ("open", "in", "holding") for a in state.atoms)


@pytest.mark.parametrize(
    ("value", "atoms"),
    [(0.0, {"closed"}), (-0.01, {"closed"}), (-0.07, set()), (-0.139, set()), (-0.141, {"open"})],
)
def test_a_half_open_drawer_is_neither_open_nor_closed(built: Built, value: float, atoms: set[str]) -> None:
    state = built.observe(drawn(built.scene, value))
    assert {a.predicate for a in state.atoms if a.args == (DRAWER,)} == atoms


@pytest.mark.parametrize(("beyond", "inside"), [(-0.02, True), (0.02, False)])
def test_in_is_the_origin_within_the_box_of_the_region(built: Built, beyond: float, inside: bool) -> None:
    scene = drawn(built.scene, -0.16)
    _, region = scene.region(DRAWER)
    side = np.array([region.world_half_extent()[0] + beyond, 0.0, 0.0])
    state = built.observe(moved(scene, MUG, region.T_world_region[:3, 3] + side))
    assert state.holds(Atom("in", (MUG, DRAWER))) == inside


def test_on_an_item_is_contact_from_above(built: Built) -> None:
    plate, mug = built.scene.object(PLATE), built.scene.object(MUG)
    foot = mug.position[2] - mug.bounds()[0][2]
    p = np.array([*plate.position[:2], plate.bounds()[1][2] + foot])
    states = {h: built.observe(moved(built.scene, MUG, p + up(h))) for h in (-0.02, -0.01, 0.0, 0.02)}
    on = [h for h, state in states.items() if state.holds(Atom("on", (MUG, PLATE)))]
    assert on and 0.02 not in on
    for state in states.values():
        assert state.holds(Atom("clear", (PLATE,))) != state.holds(Atom("on", (MUG, PLATE)))


def test_what_is_doubted_is_left_out_and_the_item_still_somewhere(built: Built) -> None:
    plate, mug = built.scene.object(PLATE), built.scene.object(MUG)
    foot = mug.position[2] - mug.bounds()[0][2]
    scene = moved(built.scene, MUG, np.array([*plate.position[:2], plate.bounds()[1][2] + foot - 0.01]))
    seen = Atom("on", (MUG, PLATE))
    assert built.observe(scene).holds(seen)
    doubting = observe(scene, built.world, frozenset({seen}))
    assert not doubting.holds(seen) and doubting.holds(Atom("clear", (PLATE,)))
    assert doubting.holds(Atom("on", (MUG, "main_table"))), "or nothing could be done about it"


def test_what_perception_knows_to_be_held_is(built: Built) -> None:
    assert built.observe(replace(built.scene, in_hand=(MUG,))).holds(Atom("holding", (MUG,)))
    held = moved(built.scene, MUG, built.scene.robot.T_world_tool[:3, 3])
    assert not built.observe(replace(held, in_hand=())).holds(Atom("holding", (MUG,)))
