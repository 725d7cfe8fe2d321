"""`make bench-paths`: paths as skills plan them, looked at again by another engine: does any of them touch anything?

Each robot stands among 6 to 12 boxes, cylinders and spheres of 5 to 25 cm, on and above a table and within its reach;
so many scenes, and in each so many pairs of random configurations that keep the skills' clearance, as the controller
has them, whose null space rests at the posture. The second one's tool pose is planned to from the first by
`motion.paths.transit`, rounded and timed as every move is, and PyBullet looks at all of the trajectory, 1 cm of any
part's travel apart. `ok`: not in collision by more than the millimetre by which the engines' distances differ.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from motion import kinematics, paths
from motion.paths import Blocked
from motion.poses import Array, pose, rotation_about, rotation_vector_to_matrix
from motion.robot import RobotDescription
from motion.second_check import SecondEngine, second_engine
from motion.shapes import Body, Kind, Shape
from motion.world import World
from tamp.backends import bodies
from tamp.backends.bodies import PANDA_REACH
from tamp.backends.libero import rendering
from tamp.model.motions import Motion, Move, timed
from tamp.quiet import hush_simulator
from tamp.skills.reaching import TRANSIT_CLEARANCE
from tests.bench import Row

ROBOTS = ("xarm6", "xarm7", "panda")
BASE = {"panda": np.array([-0.66, 0.0, 0.912])}
"""Where a robot's mount puts its base (m), if not at the origin."""
APART = 0.001
"""Metres by which the engines' distances differ."""
BODIES, SIZE = (6, 13), (0.05, 0.25)
"""How many bodies a scene has, the second number not included, and how large they are (m)."""
NEAREST, HIGHEST = 0.3, 0.7
"""Metres from the base's axis to the middle of a body at least, and its height at most."""
STANDING = 0.5
"""Share of the bodies that stand on the table."""
DUE = 1.0


def described(name: str) -> tuple[RobotDescription, float]:
    """A robot, and how far it reaches (m)."""
    if name == "panda":
        from tamp.backends.libero.panda import panda

        with hush_simulator():
            return panda(), PANDA_REACH
    found = bodies.find(name)
    return found.at(np.eye(4)), found.reach


def scene(p_base: Array, reach: float, rng: np.random.Generator) -> list[Body]:
    """A table whose top is a centimetre below the robot's base at a point (3,), and bodies on and above it."""
    half = np.array([1.0, 1.0, 0.02])
    table = Body("table", (Shape("box", half, np.eye(4)),), pose(p_base - [0.0, 0.0, 0.01 + half[2]]))
    return [table, *(_body(number, p_base, reach, rng) for number in range(rng.integers(*BODIES)))]


def _body(number: int, p_base: Array, reach: float, rng: np.random.Generator) -> Body:
    kind: Kind = ("box", "cylinder", "sphere")[rng.integers(3)]
    a, b, c = rng.uniform(*SIZE, 3) / 2
    size = {"box": np.array([a, b, c]), "cylinder": np.array([a, b, 0.0]), "sphere": np.array([a, 0.0, 0.0])}[kind]
    shape = Shape(kind, size, np.eye(4))
    far, side = rng.uniform(NEAREST, reach), rng.uniform(-np.pi, np.pi)
    at = p_base + np.array([far * np.cos(side), far * np.sin(side), rng.uniform(0.0, HIGHEST)])
    turned = rotation_vector_to_matrix(rng.uniform(-2.0, 2.0, 3))
    if rng.random() < STANDING:
        turned = rotation_about(np.array([0.0, 0.0, 1.0]), side)
        at[2] = p_base[2] - 0.01 + shape.half_extent[2]
    return Body(f"{kind}{number}", (shape,), pose(at, turned))


def clear(world: World, rng: np.random.Generator) -> Array:
    """A random configuration (n,) within limits that keeps the clearance: the one that skills find for its tool's pose,
    near the robot's posture as its controller is."""
    while True:
        T = world.forward(rng.uniform(*world.limits.T))
        q = kinematics.solve_any(world, T, [world.robot.posture], rng)
        if q is not None and not world.contacts(q, TRANSIT_CLEARANCE):
            return np.asarray(q)


def tried(world: World, engine: SecondEngine, rng: np.random.Generator) -> tuple[str, bool | None, Any]:
    """What comes of one pair: why there is no path, or whether PyBullet finds it free; and the values of the row."""
    q = clear(world, rng)
    T_goal = world.forward(clear(world, rng))
    begun = time.process_time()
    world.load(world.state)
    path = paths.transit(world, q, T_goal, paths.checker(world, TRANSIT_CLEARANCE), rng)
    values = {"planning, ms": 1000 * (time.process_time() - begun)}
    if isinstance(path, Blocked):
        return path.reason, None, values
    (motion,) = timed([(Move(path, world.state),)], world).segments
    assert isinstance(motion, Motion)
    report = engine.nearest(motion.trajectory.q, motion.trajectory.times)
    near = min(filter(None, (report.bodies, report.itself)), key=lambda n: n.distance, default=None)
    if near is None:
        return "", True, values
    why = f"{near.link} and {near.other} at {near.time:.2f} s of {motion.trajectory.duration:.2f}"
    return why, near.distance >= -APART, values | {"inside, mm": max(0.0, -1000 * near.distance)}


def bench(robots: tuple[str, ...] = ROBOTS, scenes: int = 20, pairs: int = 500, seed: int = 0) -> Iterator[Row]:
    """A row a pair; those without a path on lines of their own."""
    rendering.prepare(video=False)
    for name in robots:
        robot, reach = described(name)
        for number in range(scenes):
            things = scene(BASE.get(name, np.zeros(3)), reach, np.random.default_rng((seed, number)))
            world = World(robot, things)
            with second_engine(robot, things) as engine:
                for pair in range(pairs):
                    rng = np.random.default_rng((seed, ROBOTS.index(name), number, pair))
                    why, ok, values = tried(world, engine, rng)
                    line = f"{name}: {why}" if ok is None else name
                    yield Row(line, ok, values, f"scene {number}, pair {pair}: {why}")
