"""Where bodies come to rest: lowered until they touch, and between fingers that close."""

from __future__ import annotations

from collections.abc import Callable

import coal  # type: ignore[import-untyped]
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from motion import placements
from motion.placements import settled
from motion.poses import Array, error, pose, rotation_about
from motion.shapes import Body, Shape
from motion.world import State, World

HALF = {"crate": [0.03, 0.04, 0.02], "step": [0.06, 0.06, 0.03], "tile": [0.05, 0.05, 0.002]}
STEP_AT = [0.1, 0.3, 0.93]


def box(name: str, centre: list[float]) -> Body:
    return Body(name, (Shape("box", np.array(HALF[name]), np.eye(4)),), pose(centre))


@pytest.fixture(scope="module")
def world(build: Callable[..., World], table: Body) -> World:
    return build(table, box("crate", [0.1, -0.4, 1.0]), box("step", STEP_AT), box("tile", [0.3, -0.4, 1.0]))


def exact(world: World, name: str, T: Array, other: str) -> float:
    """Signed distance by coal between body `name` at `T` and another where it is."""
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    request.enable_signed_distance = True
    poses = (T, world.bodies[other].T_world_body)
    frames = [coal.Transform3s(P[:3, :3], P[:3, 3]) for P in poses]
    shapes = [coal.Box(*(2 * world.bodies[n].shapes[0].size)) for n in (name, other)]
    return float(coal.distance(shapes[0], frames[0], shapes[1], frames[1], request, result))


TURN = st.tuples(*[st.floats(-3.0, 3.0)] * 3).map(lambda w: Rotation.from_rotvec(w).as_matrix())


@pytest.mark.parametrize("name", ["crate", "tile"])
@given(x=st.floats(-0.1, 0.3), y=st.floats(0.1, 0.5), height=st.floats(1.1, 1.2), turn=TURN)
def test_it_rests_a_hair_above_what_it_met(
    world: World, name: str, x: float, y: float, height: float, turn: Array
) -> None:
    start = pose([x, y, height], turn)
    dropped = placements.drop(world, name, start, depth=0.4)
    assert dropped is not None
    T, under = dropped
    assert np.allclose(T[:3, :3], turn) and np.allclose(T[:2, 3], [x, y]) and T[2, 3] < height
    gaps = {other: exact(world, name, T, other) for other in ("table", "step")}
    assert min(gaps.values()) > -1e-6, f"penetrates: {gaps}"
    assert under and under <= set(gaps)
    lowered = pose(T[:3, 3] - [0.0, 0.0, 5e-4], turn)
    assert min(exact(world, name, lowered, other) for other in gaps) < 1e-6, f"hangs in the air: {gaps}"
    assert min(gaps, key=lambda other: gaps[other]) in under


def test_what_hangs_over_an_edge_by_more_than_half_does_not_stand(build: Callable[..., World]) -> None:
    """A box of 10 cm on a block of 10 cm: with its middle over the block it stands, beyond the edge it does not."""
    cube = Shape("box", np.full(3, 0.05), pose([0.0, 0.0, 0.0]))
    world = build(Body("block", (cube,), pose([0.6, 0.0, 0.05])), Body("box", (cube,), pose([0.6, 0.0, 0.5])))
    for beyond, stands in ((0.0, True), (0.04, True), (0.06, False)):
        T = pose([0.6, beyond, 0.1501])
        assert placements.stands(world, "box", T, T[:3, 3]) is stands, beyond


BOARD = np.array([0.002, 0.03, 0.04])
"""A board, 4 mm thick across the fingers."""


@pytest.fixture(scope="module")
def board_world(build: Callable[..., World]) -> World:
    return build(Body("board", (Shape("box", BOARD, np.eye(4)),), pose([0.8, 0.0, 0.5])))


def holding(board_world: World, angle: float, off: float = 0.0) -> State:
    """The board in the hand, turned by `angle` about the axis across the approach, `off` metres along the fingers."""
    T_tool_item = pose([0.0, 0.0, off], rotation_about(np.array([0.0, 1.0, 0.0]), angle))
    poses = {name: body.T_world_body for name, body in board_world.bodies.items()}
    return State(board_world.robot.posture, board_world.robot.gripper.opening, poses, "board", T_tool_item)


@given(angle=st.floats(-0.3, 0.3), off=st.floats(-0.02, 0.02))
def test_a_board_that_is_gripped_askew_turns_until_it_lies_flat_between_the_pads(
    board_world: World, angle: float, off: float
) -> None:
    T, opening = settled(board_world, holding(board_world, angle, off), 0.03)
    left = float(error(np.eye(4), T)[4])
    if abs(angle) > np.radians(4.0):
        assert abs(left) < np.radians(1.5)
        assert opening == pytest.approx(2 * BOARD[0], abs=2e-3)
    else:
        assert abs(left) <= abs(angle) + 1e-6, "never further askew"


@given(x=st.floats(-0.1, 0.3), y=st.floats(0.1, 0.2), yaw=st.floats(-np.pi, np.pi))
def test_a_box_stands_flat_on_the_table_however_it_is_turned(world: World, x: float, y: float, yaw: float) -> None:
    found = placements.drop(world, "crate", placements.turned(pose([x, y, 1.1]), yaw), 0.4)
    assert found is not None
    assert placements.stands(world, "crate", found[0], found[0][:3, 3])
    tipped = found[0] @ pose(np.zeros(3), rotation_about(np.array([1.0, 0.0, 0.0]), 0.3))
    assert not placements.stands(world, "crate", tipped, tipped[:3, 3])
