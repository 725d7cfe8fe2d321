"""The forward model, and what it vetoes, on an arm that answers as modelled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from motion import kinematics, paths, servo, timing
from motion.lookahead import Lookahead, Veto
from motion.poses import Array, pose, rotation_vector_to_matrix
from motion.robot import Limits, Response, ServoGains
from motion.shapes import Body, Shape
from motion.timing import Trajectory
from motion.world import State, World

PERIOD = 0.05
WALL = np.array([0.01, 0.3, 0.2])
FAR = pose([0.9, 0.0, 0.3])
"""Where things wait that are not in the way."""
RESPONSE, GAINS = Response(), ServoGains()


@dataclass
class IdealArm:
    """Answers as the response says. Its joints follow its tool."""

    world: World
    q: Array
    opening: float = 0.08
    twist: Array = field(default_factory=lambda: np.zeros(6))
    T_world_tool: Array = field(init=False)

    def __post_init__(self) -> None:
        self.T_world_tool = self.world.forward(self.q)

    def command(self, displacement: Array) -> None:
        moved, self.twist = RESPONSE.after(self.twist, displacement, PERIOD)
        R = rotation_vector_to_matrix(moved[3:]) @ self.T_world_tool[:3, :3]
        self.jump(pose(self.T_world_tool[:3, 3] + moved[:3], R))

    def jump(self, T_world_tool: Array) -> None:
        q = kinematics.solve(self.world, T_world_tool, self.q)
        assert q is not None
        self.q, self.T_world_tool = q, T_world_tool


@dataclass
class Ride:
    """What became of following a trajectory: vetoes, and how deep the arm ever was in anything (m)."""

    vetoes: list[Veto] = field(default_factory=list)
    deepest: float = 0.0
    arrived: bool = False


@pytest.fixture(scope="module")
def world(build: Callable[..., World], table: Body) -> World:
    wall = Body("wall", (Shape("box", WALL, np.eye(4)),), FAR)
    post = Body("post", (Shape("box", np.array([0.02, 0.02, 0.2]), np.eye(4)),), pose([0.9, 0.5, 0.3]))
    return build(table, wall, post)


@pytest.fixture
def state(world: World) -> State:
    start = State(world.robot.posture, 0.08, {name: b.T_world_body for name, b in world.bodies.items()})
    world.load(start)
    return start


def line(world: World, state: State, way: list[float], pace: float = 1.0) -> Trajectory:
    """Straight by `way` (3,) metres from the arm's posture, whatever is in between."""
    world.load(state)
    T = world.forward(state.q)
    path = paths.straight(world, state.q, pose(T[:3, 3] + way, T[:3, :3]), None)
    assert isinstance(path, np.ndarray)
    return timing.parameterise(world, path, Limits().scaled(pace))


def ride(
    watch: Lookahead, state: State, trajectory: Trajectory, push: Callable[[IdealArm, int], None] | None = None
) -> Ride:
    """Follow a trajectory for twice its time, heeding vetoes; `push` may disturb the arm before each step."""
    world, out, t = watch.world, Ride(), 0.0
    world.load(state)
    arm, before = IdealArm(world, state.q), None
    for step in range(2 * len(trajectory.times) + 10):
        if push is not None:
            push(arm, step)
        now = replace(arm, twist=arm.twist.copy())
        asked = servo.displacement(now.T_world_tool, trajectory, t, GAINS)
        found = watch.veto(before, now, asked, trajectory, t, 1.0, state)
        if found is not None:
            out.vetoes.append(found[0])
        t += PERIOD if found is None else 0.0
        before = now
        arm.command(asked if found is None else found[1])
        world.load(replace(state, poses={**state.poses, **watch.seen}, opening=0.08))
        out.deepest = max([out.deepest, *(-c.distance for c in world.contacts(arm.q))])
    out.arrived = servo.arrived(arm.T_world_tool, trajectory.T_world_tool[-1], (0.005, 0.05))
    return out


def test_a_command_towards_a_wall_is_vetoed_and_the_arm_stops_before_it(world: World, state: State) -> None:
    """The wall came after planning."""
    T = world.forward(state.q)
    at = pose(T[:3, 3] + [0.17, 0.0, 0.0])
    done = ride(Lookahead(world, seen={"wall": at}), state, line(world, state, [0.25, 0.0, 0.0]))
    assert done.vetoes and done.vetoes[0].other == "wall" and done.vetoes[0].ahead >= 2
    assert done.deepest == 0.0 and not done.arrived


def test_pressing_down_as_planned_is_not_vetoed_and_deeper_is(world: World, state: State) -> None:
    """A plan that goes 4 mm into the table, as a placement may, is let do it; an arm that is thrown down is not."""
    T = world.forward(state.q)
    tip = next(d for d in np.arange(0.0, 0.4, 0.001) if _deep(world, state, T, d) > 0.004)
    trajectory = line(world, state, [0.0, 0.0, -float(tip)], 0.5)
    done = ride(Lookahead(world), state, trajectory)
    assert not done.vetoes and done.arrived and 0.002 < done.deepest < 0.006
    short = line(world, state, [0.0, 0.0, -float(tip) + 0.02], 0.5)
    arm = IdealArm(world, state.q)
    arm.jump(short.T_world_tool[-1])
    found = Lookahead(world).veto(None, arm, np.array([0, 0, -0.05, 0, 0, 0.0]), short, short.duration, 1.0, state)
    assert found is None, "one command is taken back in time by the next"
    arm.twist[2] = -0.4
    above = replace(arm)
    above.T_world_tool = pose(arm.T_world_tool[:3, 3] + [0.0, 0.0, 0.02], arm.T_world_tool[:3, :3])
    found = Lookahead(world).veto(above, arm, np.array([0, 0, -0.05, 0, 0, 0.0]), short, short.duration, 1.0, state)
    assert found is not None and found[0].other == "table"


def _deep(world: World, state: State, T: Array, down: float) -> float:
    q = kinematics.solve(world, pose(T[:3, 3] - [0.0, 0.0, down], T[:3, :3]), state.q)
    assert q is not None
    world.load(state)
    return max([0.0, *(-c.distance for c in world.contacts(q))])


def test_a_joint_is_kept_from_its_limit(world: World, state: State) -> None:
    """An elbow 0.03 rad before its limit, on its way there."""
    q = state.q.copy()
    q[3] = world.limits[3, 1] - 0.03
    before, now = IdealArm(world, q - np.eye(7)[3] * 0.05), IdealArm(world, q)
    trajectory = line(world, state, [0.1, 0.0, 0.0])
    found = Lookahead(world).veto(before, now, 0.05 * np.eye(6)[0], trajectory, 0.0, 1.0, state)
    assert found is not None and found[0].body == world.robot.arm_joints[3] and found[0].other is None
    assert "limit" in str(found[0])
