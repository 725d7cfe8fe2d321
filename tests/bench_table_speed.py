"""`make bench-table-speed`: a pick and place through the SDK as a stream of targets, and as movements that stop.

    python -m tests.bench_table_speed [--repeat N] [--body NAME]

The same bowl goes onto the same plate on the same emulated arm, with the same limits of the joints and the tool: once
as every tabletop task is done, and once as steps of the movement contract to the poses that the first way took, each of
which ends at rest, with the gripper waited for. Seconds from the first command to the last; planning and checks before
a motion count in neither.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from motion.poses import Array, inverse, to_rpy
from motion.robot import Limits
from motion.world import World
from tamp.backends.libero import rendering
from tamp.backends.xarm.arm_steps import MoveToPose, Step
from tamp.backends.xarm.arm_stop import ArmStop
from tamp.backends.xarm.arm_table import ArmTable
from tamp.backends.xarm.driver import Driver
from tamp.backends.xarm.emulated_perception import EmulatedOracle
from tamp.backends.xarm.executor import Executor
from tamp.backends.xarm.motion_planner import MotionPlanner
from tamp.backends.xarm.step_targets import StepTargets
from tamp.backends.xarm.workcell import Box, Load, Rates, read_workcell
from tamp.data import data_dir
from tamp.model.goal import Goal
from tamp.runs.episode_log import EpisodeLog
from tests.bench import machine
from tests.bench_table_faults import GOAL, Bench
from tests.places import at_table

ABOVE = 0.1
"""Metres over a pose at which a movement ends before it and after it."""
FINGERS = 0.02
"""Share of the opening in 50 ms below which fingers count as arrived."""


class Noted(ArmTable):
    """Keeps where the tool was whenever the fingers were told something else."""

    poses: list[Array]

    def command(self, displacement: Array, opening: float) -> None:
        self.poses = getattr(self, "poses", [])
        before = self._told
        super().command(displacement, opening)
        if self._told != before:
            self.poses.append(self.observe().T_world_tool)


def streamed(bench: Bench) -> tuple[float, Array, Array]:
    """Seconds of the task as a stream; `T_base_tool` where the bowl was gripped, and let go of."""
    bench.put_back()
    hand = bench.hand
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        log = stack.enter_context(EpisodeLog(Path(folder) / "run"))
        driver = stack.enter_context(contextlib.closing(bench.connected()))
        driver.prepare(hand.T_flange_tool, Load(hand.mass, hand.T_flange_tool[:3, 3] / 2))
        table = stack.enter_context(contextlib.closing(Noted(driver, bench.robot)))
        eyes = EmulatedOracle(bench.emulator.host, bench.emulator.told["fault_port"], bench.start, table.observe)
        stack.enter_context(contextlib.closing(eyes))
        goal = Goal(GOAL)
        result = at_table(table, eyes, eyes, lambda *_: (goal,), bench.settings, log)
    assert result.success, result.reason
    world = World(bench.robot, [])
    T_base_world = inverse(_base(world))
    closing, opening = table.poses[-2], table.poses[-1]
    return result.seconds["execute"], T_base_world @ closing, T_base_world @ opening


def _base(world: World) -> Array:
    body = world.model.body("base").id
    T = np.eye(4)
    T[:3, 3], T[:3, :3] = world.data.xpos[body], world.data.xmat[body].reshape(3, 3)
    return T


def stopped(bench: Bench, T_base_grasp: Array, T_base_place: Array) -> float:
    """Seconds of the same as movements that stop."""
    bench.put_back()
    limits, hand = Limits(), bench.hand
    cell = read_workcell(data_dir("problems") / "xarm" / "bench.toml")
    rates = Rates(limits.joint_velocity, limits.joint_acceleration, limits.tool_velocity, limits.tool_acceleration)
    room = Box("workspace", np.array([-1.0, -1.0, -0.2]), np.array([1.0, 1.0, 1.5]))
    cell = replace(cell, arm=bench.arm, rates=rates, T_flange_tool=hand.T_flange_tool, keep_out=(), table=None)
    cell = replace(cell, workspace=room)
    driver, ways, seconds = bench.connected(), MotionPlanner(cell), 0.0
    try:
        for T, share in ((T_base_grasp, 0.0), (T_base_place, 1.0)):
            steps = [_to(_over(T)), _to(T)]
            seconds += _moved(driver, ways, steps) + _gripped(driver, share) + _moved(driver, ways, [_to(_over(T))])
    finally:
        driver.close()
    return seconds


def _over(T: Array) -> Array:
    up = T.copy()
    up[2, 3] += ABOVE
    return up


def _to(T: Array) -> Step:
    return MoveToPose(tuple(T[:3, 3].tolist()), tuple(to_rpy(T[:3, :3]).tolist()))


def _moved(driver: Driver, ways: MotionPlanner, steps: list[Step]) -> float:
    verdict = Executor(driver, ways, StepTargets(ways.cell, None), ArmStop(), lambda *_, **__: None).run(steps)
    assert verdict.success, verdict.reason
    return sum(done.seconds for done in verdict.done)


def _gripped(driver: Driver, share: float) -> float:
    start = time.monotonic()
    driver.grip(share)
    before = -1.0
    while abs((now := driver.gripped()) - before) > FINGERS:
        before = now
        time.sleep(0.05)
    return time.monotonic() - start


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--body", default="xarm7")
    asked = parser.parse_args()
    rendering.prepare(video=False, may=True)
    sys.stdout.write(f"{machine()}\n")
    bench = Bench(asked.body)
    try:
        pairs = []
        for _ in range(asked.repeat):
            seconds, grasp, place = streamed(bench)
            pairs.append((seconds, stopped(bench, grasp, place)))
    finally:
        bench.emulator.end()
    stream, stop = np.median(np.array(pairs), axis=0)
    sys.stdout.write(f"{asked.body}: streamed {stream:.2f} s, stopping {stop:.2f} s, median of {len(pairs)}: ")
    sys.stdout.write(f"{stream / stop:.2f} of the time\n")


if __name__ == "__main__":
    main()
