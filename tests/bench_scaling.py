"""`make bench-scaling`: how the cost of planning grows with the number of boxes.

Planning and refinement in the kinematic copy only, of scenes of `tamp/runs/bench/boxes.py`: nothing is executed. The
seconds are by the wall clock, from a scene to motions for a whole plan: `symbolic` of them for planning, `geometric`
for all else. `skeletons` are plans asked for, `samples` refinements of single actions tried, `actions` the plan's
length; `inside` is 1 where everything that belongs on a region stands wholly on it.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator

import numpy as np

from motion.poses import inverse
from motion.robot import RobotDescription
from motion.shapes import bounds
from tamp.model.bodies import world_of
from tamp.model.domain import Domain
from tamp.model.scene import Scene
from tamp.model.situation import Situation
from tamp.pddl.domain_file import load
from tamp.pddl.planner import Engine
from tamp.perception.predicates import observe
from tamp.planning.search import Search, Solution
from tamp.runs.bench.boxes import FAMILIES, LARGEST, BoxScene, make
from tamp.skills.registry import bind
from tests.bench import Kept, Row

DUE = 0.9
SIZES = (1, 3, 5, 8, 10, 15, 20, 25, LARGEST)
LIMIT = 60.0
"""Seconds that one scene may take."""
OVERHANG = 0.001
"""Metres by which a box may stand out over its region and still count as wholly on it."""


def bench(kept: Kept, only: tuple[str, ...] = FAMILIES, n: tuple[int, ...] = SIZES, seeds: int = 10) -> Iterator[Row]:
    """A row a scene, for the seeds 0 to one less than `seeds`."""
    from tamp.backends.libero import rendering
    from tamp.backends.libero.panda import panda

    rendering.prepare(video=False)
    robot, domain, warm = panda(), load("tabletop"), False
    for family, boxes, seed in itertools.product([f for f in FAMILIES if f in only], n, range(seeds)):
        case = f"{family}-{boxes} seed {seed}"
        if kept.has(case):
            continue
        if not warm:  # what is imported or compiled once is not a scene's cost
            measure(make("packed", 1, LARGEST, robot), robot, domain)
            warm = True
        yield measure(make(family, boxes, seed, robot), robot, domain, case)


def measure(problem: BoxScene, robot: RobotDescription, domain: Domain, case: str = "") -> Row:
    """Plan and refine one scene. Its seed seeds the search."""
    start = time.perf_counter()
    world = world_of(problem.scene, robot)
    search = Search(world, domain, bind(domain), Engine(), np.random.default_rng(problem.seed), budget=LIMIT)
    decided = search.decide(problem.goal, observe(problem.scene, world), Situation(problem.scene))
    seconds, symbolic = time.perf_counter() - start, search.seconds["plan"]
    values = {"s": seconds, "symbolic s": symbolic, "geometric s": seconds - symbolic}
    values |= {"skeletons": float(search.skeletons), "samples": float(search.samples)}
    if not isinstance(decided, Solution):
        return Row(f"{problem.family}-{problem.n}", False, values, str(decided.reason), case)
    inside = wholly_on(decided.refined.steps[-1].after.scene, problem)
    values |= {"actions": float(len(decided.plan.actions)), "inside": float(inside)}
    return Row(f"{problem.family}-{problem.n}", seconds <= LIMIT, values, "too late", case)


def wholly_on(scene: Scene, problem: BoxScene) -> bool:
    """Whether every box of the goal stands with all its footprint on its region."""
    for atom in problem.goal.atoms:
        if atom.args[1] in {o.name for o in scene}:
            continue
        o, (_, region) = scene.object(atom.args[0]), scene.region(atom.args[1])
        low, high = bounds(o.parts[0].shapes, inverse(region.T_world_region) @ o.T_world_object)
        if (np.maximum(-low, high)[:2] > region.half_extent[:2] + OVERHANG).any():
            return False
    return True
