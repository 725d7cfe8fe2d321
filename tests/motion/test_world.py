"""The kinematic copy: where the hand is, and what is near it, judged by the simulator and by coal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import coal  # type: ignore[import-untyped]
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from motion.poses import Array, pose
from motion.shapes import Body, Shape
from motion.world import OutOfBudget, State, World
from tamp.backends.libero.environment import LiberoEnvironment

SIZES = {
    "cube": np.array([0.03, 0.03, 0.03]),
    "board": np.array([0.1, 0.08, 0.003]),
    "bar": np.array([0.012, 0.15, 0.012]),
    "block": np.array([0.06, 0.02, 0.09]),
}
PAIRS = [(a, b) for a in SIZES for b in SIZES if a < b]
PARKING = np.array([0.8, 0.0, 0.5])
"""Far from the arm; bodies wait here, a metre apart."""
APART = PARKING + np.array([0.5, 0.0, 0.5])
"""Nothing is near here unless it is put here."""


@pytest.fixture(scope="module")
def world(build: Callable[..., World], table: Body) -> World:
    parked = [
        Body(name, (Shape("box", size, np.eye(4)),), pose(PARKING + np.array([0.0, i, 0.0])))
        for i, (name, size) in enumerate(SIZES.items())
    ]
    return build(table, *parked)


@pytest.fixture
def state(world: World) -> State:
    """The world's first state, loaded."""
    return parked(world)


def parked(world: World) -> State:
    """Every body back where it started, the arm at its posture: loaded and returned."""
    poses = {name: body.T_world_body for name, body in world.bodies.items()}
    fresh = State(world.robot.posture, world.robot.gripper.opening, poses)
    world.load(fresh)
    return fresh


def test_a_body_of_which_nothing_collides_is_there_and_in_no_way(build: Callable[..., World], table: Body) -> None:
    world = build(table, Body("switch", (), pose(PARKING)))
    assert not any(c.other == "switch" for c in world.contacts(world.robot.posture, 0.1))
    assert world.state.poses["switch"] == pytest.approx(pose(PARKING))


def box_distance(size_a: Array, T_a: Array, size_b: Array, T_b: Array) -> float:
    """Signed distance of two boxes by coal, which shares no code with MuJoCo."""
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    request.enable_signed_distance = True
    frames = [coal.Transform3s(T[:3, :3], T[:3, 3]) for T in (T_a, T_b)]
    shapes = [coal.Box(*(2 * s)) for s in (size_a, size_b)]
    return float(coal.distance(shapes[0], frames[0], shapes[1], frames[1], request, result))


OFFSET = st.tuples(*[st.floats(-0.15, 0.15)] * 3).map(np.array).filter(lambda p: np.abs(p).max() > 1e-6)
"""Between the centres of two boxes; the same centre is a case of its own, below."""
TURN = st.tuples(*[st.floats(-3.0, 3.0)] * 3).map(lambda w: Rotation.from_rotvec(w).as_matrix())


@pytest.mark.episode
def test_forward_kinematics_is_the_simulators(world: World, state: State, environment: LiberoEnvironment) -> None:
    sim, robot = environment.sim, environment.domain.robots[0]
    addresses, rng = robot._ref_joint_pos_indexes, np.random.default_rng(1)
    before = sim.get_state()
    worst = 0.0
    for _ in range(50):
        q = rng.uniform(world.limits[:, 0], world.limits[:, 1])
        sim.data.qpos[addresses] = q
        sim.forward()
        worst = max(worst, float(np.abs(world.forward(q) - environment.observe().T_world_tool).max()))
    sim.set_state(before)
    sim.forward()
    assert worst < 1e-6, worst


@pytest.mark.parametrize("pair", PAIRS)
@given(offset=OFFSET, turn_a=TURN, turn_b=TURN, clearance=st.sampled_from([0.0, 0.002, 0.01]))
def test_boxes_touch_when_their_exact_distance_says_so(
    world: World, pair: tuple[str, str], offset: Array, turn_a: Array, turn_b: Array, clearance: float
) -> None:
    a, b = pair
    T_a, T_b = pose(APART, turn_a), pose(APART + offset, turn_b)
    world.load(parked(world).moved(b, T_b))
    found = {c.other: c.distance for c in world.body_contacts(a, T_a, clearance)}
    exact = box_distance(SIZES[a], T_a, SIZES[b], T_b)
    if exact > clearance + 1e-4:
        assert b not in found, (found, exact)
    if exact < clearance - 1e-4:
        assert b in found, exact
    if b in found and exact > 1e-4:
        assert found[b] == pytest.approx(exact, abs=1e-4)


def test_a_held_body_moves_with_the_tool(world: World, state: State) -> None:
    q, T_tool_cube = world.robot.posture, pose([0.0, 0.0, 0.1])
    T = world.forward(q) @ T_tool_cube
    world.load(replace(state.moved("cube", T), held="cube", T_tool_held=T_tool_cube))
    moved = q + np.array([0.3, 0.1, 0.0, 0.2, 0.0, 0.1, 0.5])
    T_cube = world.forward(moved) @ T_tool_cube @ pose([0.0, 0.0, 0.02])
    world.load(replace(world.state.moved("board", T_cube), q=moved))
    contacts = world.contacts(moved)
    assert {(c.robot, c.other) for c in contacts} == {("cube", "board")}
    assert world.distance("cube", "board") < 0
    assert world.contacts(q) == []


def test_what_is_held_touches_neither_the_hand_nor_what_is_allowed(world: World, state: State) -> None:
    q = world.robot.posture
    T = world.forward(q)
    held = replace(state.moved("cube", T), held="cube", T_tool_held=np.eye(4))
    world.load(held)
    assert world.contacts(q, 0.005) == []
    world.load(replace(held, poses={**held.poses, "board": T @ pose([0.0, 0.0, 0.035])}))
    near = world.contacts(q, 0.01)
    assert ("cube", "board") in {(c.robot, c.other) for c in near}
    allowed = world.contacts(q, 0.01, held_ignore=frozenset({"board"}))
    assert ("cube", "board") not in {(c.robot, c.other) for c in allowed}
    lenient = world.contacts(q, 0.01, held_clearance=0.001)
    assert ("cube", "board") not in {(c.robot, c.other) for c in lenient}
    world.load(state)
    assert {c.other for c in world.contacts(q)} == set()


def test_sync_takes_up_what_is_new_and_drops_what_is_gone(build: Callable[..., World], table: Body) -> None:
    cube = (Shape("box", SIZES["cube"], np.eye(4)),)
    old = build(table, Body("old", cube, pose(APART)))
    at_tool = old.forward(old.robot.posture) @ pose([0.0, 0.0, -0.06])
    model = old.model
    old.sync([table, Body("old", cube, pose(PARKING))])
    assert old.model is model, "nothing but a pose changed"
    old.sync([table, Body("new", cube, at_tool)])
    old.load(State(old.robot.posture, old.robot.gripper.opening, {"new": at_tool, table.name: table.T_world_body}))
    assert {c.other for c in old.contacts(old.robot.posture)} == {"new"}, "it is in the hand's palm"
    old.sync([table, Body("new", (Shape("box", SIZES["cube"] * 0.01, np.eye(4)),), pose(PARKING))])
    assert old.contacts(old.robot.posture) == [], "it is as small as it is seen to be now"


def test_work_ends_in_the_middle_where_it_is_limited(world: World, state: State) -> None:
    before = world.effort
    with pytest.raises(OutOfBudget), world.limited(lambda: world.effort >= before + 100):
        while True:
            world.jacobian(state.q)
    assert before + 100 <= world.effort < before + 120
    assert world.jacobian(state.q)[1].shape == (6, 7), "no limit is left"
