"""`make bench-arms`: the arms' kinematics as a table, each with what is due.

10,000 random configurations within limits for each arm, from chance with the seed 0. Forward: the flange by `Arm`
against the product of the elementary turns of the manual's table, MuJoCo's model and PyBullet's. Inverse: the
flange's pose is given, and where the search starts is another random configuration. `--count N` takes as many.
"""

from __future__ import annotations

import argparse
import os
import sys
import time

import numpy as np

from motion import kinematics
from motion.arm_model import arm_world, robot_model
from motion.arms import ARMS, Arm
from motion.bullet import Bullet
from motion.poses import Array, error
from motion.robot_parts import parts_of
from motion.urdf import WORLD, written
from tests.arm_cases import TABLES

FOUND, MEDIAN, EXACT = 0.995, 5e-3, 1e-6
"""What is due: the share found, seconds, metres and radians."""


def elementary(arm: Arm, q: Array) -> Array:
    """Positions (k, 3) of the flange for configurations (k, n), as a product of turns and shifts of homogeneous
    points, by the manual's table."""
    p, table = np.zeros((len(q), 3)), TABLES[arm.name]
    for i in reversed(range(arm.joints)):
        p = turned(p, 1, 2, np.full(len(q), np.radians(table.alpha[i])))
        p += np.array([table.a[i], 0.0, table.d[i]]) / 1000
        p = turned(p, 0, 1, q[:, i] + table.offset.get(i + 1, 0.0))
    return p


def turned(p: Array, first: int, second: int, angle: Array) -> Array:
    """Points (k, 3) turned by angles (k,) from one axis towards another."""
    out, z = p.copy(), (p[:, first] + 1j * p[:, second]) * np.exp(1j * angle)
    out[:, first], out[:, second] = z.real, z.imag
    return out


def by_pybullet(arm: Arm, q: Array) -> Array:
    """Positions (k, 3) of the flange as PyBullet has them."""
    bullet, robot = Bullet(), robot_model(arm)
    try:
        body = bullet.load(lambda folder: written(arm.name, [WORLD, *parts_of(robot)], folder), np.eye(4), fixed=True)
        infos = [bullet.getJointInfo(body, i) for i in range(bullet.getNumJoints(body))]
        joints = [i for i, info in enumerate(infos) if info[2] == bullet.JOINT_REVOLUTE]
        flange = next(i for i, info in enumerate(infos) if info[12].decode() == "tool")
        found = []
        for row in q.tolist():
            for joint, value in zip(joints, row, strict=True):
                bullet.resetJointState(body, joint, value)
            found.append(bullet.getLinkState(body, flange, computeForwardKinematics=True)[4])
        return np.array(found)
    finally:
        bullet.close()


def forward(arm: Arm, q: Array) -> tuple[list[float], Array]:
    """Largest error in metres by each of three ways, and the flange's poses (k, 4, 4) by the table."""
    poses = np.array([arm.forward(row) for row in q])
    world = arm_world(arm)
    others = (elementary(arm, q), np.array([world.forward(row)[:3, 3] for row in q]), by_pybullet(arm, q))
    return [float(np.linalg.norm(poses[:, :3, 3] - other, axis=1).max()) for other in others], poses


def inverse(arm: Arm, poses: Array, starts: Array) -> tuple[int, Array, Array]:
    """How many are found within limits, seconds (k,) of each search, and the largest error (2,) [metres, radians]."""
    world = arm_world(arm)
    seconds, worst, found = np.empty(len(poses)), np.zeros(2), 0
    for i, (T, start) in enumerate(zip(poses, starts, strict=True)):
        begun = time.perf_counter()
        q = kinematics.solve_near(world, T, start)
        seconds[i] = time.perf_counter() - begun
        if q is not None and arm.within(q):
            found += 1
            e = error(arm.forward(q), T)
            worst = np.maximum(worst, [np.linalg.norm(e[:3]), np.linalg.norm(e[3:])])
    return found, seconds, worst


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    count = parser.parse_args().count
    sys.stdout.write(f"{count} configurations an arm; load of {os.cpu_count()} processors {os.getloadavg()[0]:.1f}\n\n")
    sys.stdout.write("| arm | forward: table, MuJoCo, PyBullet (m) | found | median, 95 %, longest (ms) |")
    sys.stdout.write(" error (m, rad) | kept |\n|---|---|---|---|---|---|\n")
    kept = []
    for arm in ARMS.values():
        rng = np.random.default_rng(0)
        q, starts = rng.uniform(arm.lower, arm.upper, (2, count, arm.joints))
        off, poses = forward(arm, q)
        found, seconds, worst = inverse(arm, poses, starts)
        median, most, longest = np.percentile(seconds, [50, 95, 100])
        kept.append(max(off) < EXACT and found >= FOUND * count and median < MEDIAN and worst.max() < EXACT)
        times = ", ".join(f"{1e3 * v:.2f}" for v in (median, most, longest))
        cells = [arm.name, ", ".join(f"{v:.0e}" for v in off), f"{found} ({100 * found / count:.2f} %)", times]
        cells += [f"{worst[0]:.0e}, {worst[1]:.0e}", "yes" if kept[-1] else "NO"]
        sys.stdout.write(f"| {' | '.join(cells)} |\n")
        sys.stdout.flush()
    sys.stdout.write(f"\ndue: {EXACT} m and rad, {100 * FOUND} % found, median {1e3 * MEDIAN:.0f} ms; ")
    sys.stdout.write(f"load at the end {os.getloadavg()[0]:.1f}\n")
    return int(not all(kept))


if __name__ == "__main__":
    raise SystemExit(main())
