"""`make bench-arm-clutter`: random plans in cluttered worlds on the emulated arm, and nothing that touches anything.

Each world has random keep-out boxes, each plan random poses. What the emulated arm really did (its joints, every few
milliseconds, in the log) is looked at by MuJoCo and by PyBullet: neither may see a touch. A plan that cannot be done
must say which step, and what is in the way.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from motion.arm_model import robot_model
from motion.poses import Array
from motion.second_check import nearest
from motion.world import World
from tamp.backends.xarm.arm_steps import ApproachNamed, MoveToNamed, MoveToPose, RetreatZ, Step
from tamp.backends.xarm.motion_planner import MotionPlanner, obstacles, tool_of
from tamp.backends.xarm.workcell import Box, Workcell, read_workcell
from tamp.runs.episode_log import read
from tests.arm_runs import run_from
from tests.bench import ROOT, Row
from tests.emulated import running

DUE = 1.0
WORLD = ROOT / "problems" / "xarm" / "bench.toml"
BOXES, STEPS = (4, 9), 5
_WHY = r"\S.* is in the way|the tool point would leave|the arm does not reach|the straight line passes|a joint would"
REASON = re.compile(rf"step \d+, \w+: ({_WHY})")


def cluttered(cell: Workcell, rng: np.random.Generator) -> Workcell:
    """The world with other boxes in it, none of which touches the arm at home or its named poses."""
    while True:
        boxes = []
        for number in range(rng.integers(*BOXES)):
            size = rng.uniform([0.03, 0.03, 0.1], [0.12, 0.12, 0.45])
            low = np.array([*rng.uniform([0.2, -0.45], [0.6, 0.4]), 0.0])
            boxes.append(Box(f"box{number}", low, low + size))
        world = replace(cell, keep_out=tuple(boxes))
        if MotionPlanner(world).free(cell.poses["home"].q):
            return world


def plan(rng: np.random.Generator) -> list[Step]:
    """Random steps: some to named poses, most to poses anywhere in the workspace."""
    steps: list[Step] = []
    for _ in range(STEPS):
        x, y, z = rng.uniform([0.25, -0.4, 0.05], [0.6, 0.4, 0.45])
        tilt = rng.uniform(-0.4, 0.4, 2)
        pose = MoveToPose((x, y, z), (np.pi + tilt[0], tilt[1], float(rng.uniform(-1.5, 1.5))))
        steps.append([pose, pose, pose, MoveToNamed("above_table"), ApproachNamed("bin_drop")][rng.integers(5)])
        if rng.random() < 0.2:
            steps.append(RetreatZ(float(rng.uniform(0.02, 0.1))))
    return steps


def touched(cell: Workcell, q: Array) -> tuple[str, float]:
    """What MuJoCo or PyBullet sees touched on samples (k, n), and the nearest distance to a body that PyBullet saw."""
    robot, bodies = robot_model(cell.arm, tool_of(cell.T_flange_tool)), tuple(obstacles(cell))
    world = World(robot, bodies)
    for at in q:
        if contacts := world.contacts(at, 0.0):
            return f"MuJoCo: {contacts[0]}", contacts[0].distance
    report = nearest(robot, bodies, q, np.linspace(0.0, 1.0, len(q)))
    if near := report.touches():
        return f"PyBullet: {near}", near.distance
    return "", report.bodies.distance if report.bodies else np.inf


def bench(n: int = 200, seed: int = 0) -> Iterator[Row]:
    """A row a plan, in a world of its own."""
    cell = read_workcell(WORLD)
    rates = replace(cell.rates, joint_speed=2.5, joint_acceleration=12.0, tool_speed=0.8, tool_acceleration=4.0)
    cell, home = replace(cell, rates=rates), cell.poses["home"].q
    assert home is not None
    with running("xarm6", "--seconds", "7200") as emulator:
        for number in range(n):
            rng = np.random.default_rng((seed, number))
            world = cluttered(cell, rng)
            with tempfile.TemporaryDirectory() as folder:
                log = Path(folder) / "run"
                verdict = run_from(home, emulator, MotionPlanner(world), plan(rng), log)
                went = np.array([home, *(e["q"] for e in read(log / "episode.jsonl") if e["event"] == "at")])
            wrong, distance = touched(world, went)
            if verdict.kind == "infeasible" and not REASON.match(verdict.reason):
                wrong = wrong or f"the reason does not say what is in the way: {verdict.reason}"
            if verdict.kind not in ("", "infeasible"):
                wrong = wrong or f"{verdict.kind}: {verdict.reason}"
            values = {"distance, mm": 1000 * min(distance, 9.999)}
            yield Row(verdict.kind or "done", not wrong, values, wrong, case=str(number))


def summary(rows: Sequence[Row]) -> Iterator[str]:
    """The smallest distance that the arm kept."""
    yield f"{len(rows)} plans, smallest distance {min(row.values['distance, mm'] for row in rows):.1f} mm"
