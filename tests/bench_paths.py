"""`make bench-paths`: paths as skills plan them, looked at again by another engine: does any of them touch anything?

    python tests/bench_paths.py [--robots NAME ...] [--scenes 20] [--pairs 500] [--anyhow] [--seed 0] [--out DIR]

Each robot stands among 6 to 12 boxes, cylinders and spheres of 5 to 25 cm, on and above a table and within its reach;
so many scenes, and in each so many pairs of random configurations that keep the skills' clearance: as the controller
has them, whose null space rests at the posture, or any with --anyhow, from which most straight lines start with a leap
that skills refuse. The second one's tool pose is planned to from the first by `motion.paths.transit`, the path is
rounded and timed as every move is, and PyBullet looks at all of the trajectory, 1 cm of any part's travel apart. Due:
none in collision by more than the millimetre by which the engines' distances differ. Prints a table and what was in
collision; goes on where it was interrupted.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
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
from tests.bench import keep, machine, read, resumed, share

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
Record = dict[str, Any]


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


def clear(world: World, rng: np.random.Generator, anyhow: bool) -> Array:
    """A random configuration (n,) within limits that keeps the clearance: any, or the one that skills find for the
    tool's pose in it, near the robot's posture as its controller is."""
    while True:
        drawn = rng.uniform(*world.limits.T)
        q = drawn if anyhow else kinematics.solve_any(world, world.forward(drawn), [world.robot.posture], rng)
        if q is not None and not world.contacts(q, TRANSIT_CLEARANCE):
            return np.asarray(q)


def tried(world: World, engine: SecondEngine, rng: np.random.Generator, anyhow: bool) -> Record:
    """What comes of one pair: why there is no path, or the nearest that PyBullet saw."""
    q = clear(world, rng, anyhow)
    T_goal = world.forward(clear(world, rng, anyhow))
    begun = time.process_time()
    world.load(world.state)
    path = paths.transit(world, q, T_goal, paths.checker(world, TRANSIT_CLEARANCE), rng)
    told: Record = {"seconds": round(time.process_time() - begun, 4)}
    if isinstance(path, Blocked):
        return told | {"verdict": path.reason}
    (motion,) = timed([(Move(path, world.state),)], world).segments
    assert isinstance(motion, Motion)
    report = engine.nearest(motion.trajectory.q, motion.trajectory.times)
    near = min(filter(None, (report.bodies, report.itself)), key=lambda n: n.distance, default=None)
    if near is None:
        return told | {"verdict": "path", "distance": None}
    met = {"distance": round(near.distance, 6), "time": round(near.time, 3), "link": near.link, "other": near.other}
    return told | {"verdict": "path", "of": round(motion.trajectory.duration, 3), **met}


def run(
    robots: Iterable[str], scenes: int, pairs: int, seed: int, anyhow: bool, done: set[tuple[str, int, int]]
) -> Iterator[Record]:
    """The records of the pairs that are not done yet."""
    for name in robots:
        robot, reach = described(name)
        for number in range(scenes):
            due = [pair for pair in range(pairs) if (name, number, pair) not in done]
            if not due:
                continue
            things = scene(BASE.get(name, np.zeros(3)), reach, np.random.default_rng((seed, number)))
            world = World(robot, things)
            with second_engine(robot, things) as engine:
                for pair in due:
                    rng = np.random.default_rng((seed, ROBOTS.index(name), number, pair))
                    told = {"robot": name, "scene": number, "pair": pair}
                    yield told | tried(world, engine, rng, anyhow)
            sys.stderr.write(f"{name}: scene {number + 1}/{scenes}\n")


def table(records: list[Record]) -> Iterator[str]:
    """What came of them, a robot a row, and the paths in collision."""
    yield "| robot | pairs | path found, % | why none | in collision, % | by more than 1 mm, % | nearest, mm |"
    yield "  planning, median and 95 %, ms |\n|---|---|---|---|---|---|---|---|\n"
    for name in ROBOTS:
        of = [r for r in records if r["robot"] == name]
        if not of:
            continue
        found = [r for r in of if r["verdict"] == "path"]
        why = Counter(r["verdict"] for r in of if r["verdict"] != "path")
        distances = np.array([np.inf if r["distance"] is None else r["distance"] for r in found])
        inside = [share(int((distances < limit).sum()), len(found)) for limit in (0.0, -APART)]
        median, most = np.percentile([1000 * r["seconds"] for r in of], [50, 95])
        told = ", ".join(f"{n} {reason}" for reason, n in why.most_common())
        nearest = f"{1000 * distances.min(initial=np.inf):.2f}"
        row = [name, str(len(of)), share(len(found), len(of)), told, *inside, nearest, f"{median:.0f}, {most:.0f}"]
        yield f"| {' | '.join(row)} |\n"


def collisions(records: list[Record]) -> list[Record]:
    """Those that touch by more than what the engines differ by."""
    return [r for r in records if r["verdict"] == "path" and (r["distance"] or 0.0) < -APART]


def main() -> int:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--robots", nargs="+", choices=ROBOTS, default=ROBOTS)
    parser.add_argument("--scenes", type=int, default=20)
    parser.add_argument("--pairs", type=int, default=500, help="in each scene")
    parser.add_argument("--anyhow", action="store_true", help="configurations that no controller would rest in, too")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("results/paths"))
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    results = asked.out / f"seed-{asked.seed}{'-anyhow' * asked.anyhow}.jsonl"
    done = {(r["robot"], r["scene"], r["pair"]) for r in resumed(results)}
    for record in run(asked.robots, asked.scenes, asked.pairs, asked.seed, asked.anyhow, done):
        keep(results, record)
    chosen = [
        r for r in read(results) if r["robot"] in asked.robots and r["scene"] < asked.scenes and r["pair"] < asked.pairs
    ]
    sys.stdout.write(f"{machine()}; seed {asked.seed}, {asked.scenes} scenes, {asked.pairs} pairs in each\n")
    sys.stdout.writelines(table(chosen))
    wrong = collisions(chosen)
    sys.stdout.writelines(f"    {json.dumps(r)}\n" for r in wrong)
    return int(bool(wrong))


if __name__ == "__main__":
    rendering.prepare(video=False)
    raise SystemExit(main())
