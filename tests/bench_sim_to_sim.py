"""`make bench-sim-to-sim`: what was done in MuJoCo, done again in PyBullet without looking, and there with looking.

    python -m tests.bench_sim_to_sim [--suites NAME ...] [--tasks N ...] [--states N] [--out DIR]

An episode of LIBERO's Panda in MuJoCo leaves where the tool was and what was asked of it, period by period. In PyBullet
the same is asked again of the same scene, the arm's own deviations corrected and nothing else: open loop. Beside it the
whole of it is planned, looked at and repaired in PyBullet: closed loop. The goal's formula on PyBullet's state judges
both. Goes on where it was interrupted.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from motion.poses import Array, error
from tamp.backends.libero import rendering, tasks
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.goals import goal_regions, task_goal
from tamp.backends.libero.oracle import OraclePerceiver
from tamp.backends.physics.table import PhysicsTable
from tamp.backends.pybullet.bullet_world import BulletWorld
from tamp.model.bodies import world_of
from tamp.pddl.domain_file import load
from tamp.perception.predicates import observe
from tamp.runs.episode import Settings
from tests.bench import machine, share
from tests.places import in_libero as in_mujoco
from tests.places import in_physics

SUITES = ("libero_spatial", "libero_object", "libero_goal", "libero_10")
AFTER = 20
"""Control periods that it stands still at the end."""


class Recorded(LiberoEnvironment):
    """Keeps where the tool was and what was asked of it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.asked: list[tuple[Array, Array, float]] = []

    def command(self, displacement: Array, opening: float) -> None:
        self.asked.append((self.robot_state().T_world_tool, displacement.copy(), opening))
        super().command(displacement, opening)


def again(table: PhysicsTable, asked: list[tuple[Array, Array, float]]) -> None:
    """Ask the same once more, wherever the things are now."""
    for T_world_tool, displacement, opening in asked:
        table.command(displacement + error(table.observe().T_world_tool, T_world_tool), opening)
    for _ in range(AFTER):
        table.stop()


def episode(suite: str, number: int, state: int, folder: Path) -> dict[str, Any]:
    """What came of a task in a state, three times."""
    task, settings = tasks.find(f"{suite}/{number}"), Settings(load("tabletop"), seed=0, init_state=state)
    environment = Recorded(task, seed=0, init_state=state)
    try:
        eyes = OraclePerceiver(environment, goal_regions(environment))
        scene, robot = eyes.perceive(), environment.robot_model()
        goal = task_goal(environment, scene)
        mujoco = in_mujoco(task, None, settings, folder / "mujoco", lambda line: None, environment)
        table = PhysicsTable(BulletWorld(scene, robot), robot)
        again(table, environment.asked)
        open_loop = not goal.missing(observe(table.perceive(), world_of(scene, robot)))
        table.close()
        environment.reset(seed=0, init_state=state)
        closed = in_physics("pybullet", task, None, settings, folder / "bullet", lambda line: None, environment)
    finally:
        environment.close()
    return {"mujoco": mujoco.success, "open": open_loop, "closed": closed.success, "why": closed.reason}


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--suites", nargs="+", default=SUITES)
    parser.add_argument("--tasks", nargs="+", type=int, default=range(10))
    parser.add_argument("--states", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("results/sim-to-sim"))
    asked = parser.parse_args()
    sys.stdout.write(f"{machine()}\n")
    for suite in asked.suites:
        every = []
        for number, state in [(n, s) for s in range(asked.states) for n in asked.tasks]:
            kept = asked.out / f"{suite}-{number}-{state}.json"
            if not kept.exists():
                kept.parent.mkdir(parents=True, exist_ok=True)
                kept.write_text(json.dumps(episode(suite, number, state, kept.with_suffix(""))))
            every.append(json.loads(kept.read_text()))
        rates = (f"{name} {share(sum(e[name] for e in every), len(every))}" for name in ("mujoco", "open", "closed"))
        sys.stdout.write(f"{suite:15} succeed, %: {'; '.join(rates)} of {len(every)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    np.set_printoptions(precision=4)
    rendering.prepare(video=False, may=True)
    main()
