"""`make bench-mjcf`: the example scene of docs/mujoco.md by every body, in MuJoCo and in PyBullet.

Goals are given, things are where a seed has them; `ok` is that the goal holds in the engine's own state.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from tamp.api.sources import from_pddl
from tamp.backends.libero import rendering, tasks
from tamp.pddl.domain_file import load
from tamp.runs.episode import Settings
from tests.bench import Kept, Row
from tests.places import in_physics

GOALS = {
    "pick and place": "(in can box_contain_region)",
    "stack": "(on red_block blue_block)",
    "into a drawer": "(in red_block cabinet_region)",
    "two, and close": "(and (in blue_block cabinet_region) (closed cabinet_region) (in can box_contain_region))",
}


def bench(
    kept: Kept,
    bodies: tuple[str, ...] = ("panda", "xarm6", "xarm7"),
    only: tuple[str, ...] = ("mujoco", "pybullet"),
    seeds: int = 3,
    scene: str = "docs/examples/kitchenette",
) -> Iterator[Row]:
    """A row an episode."""
    rendering.prepare(video=False, may=True)
    domain = load("tabletop")
    for engine, body, (name, goal), seed in product(only, bodies, GOALS.items(), range(seeds)):
        case = f"{name}, {scene}, seed {seed}"
        if kept.has(f"{engine} {body} {case}"):
            continue
        folder = kept.folder / engine / body / f"{name.replace(' ', '-')}-{seed}"
        settings = Settings(domain, seed=seed, body=body)
        result = in_physics(
            engine, tasks.find(scene), from_pddl([goal], [], domain), settings, folder, lambda line: None
        )
        detail = f"{result.stage}: {result.reason}"
        yield Row(f"{engine}, {body}", result.success, {"steps": result.steps}, detail, f"{engine} {body} {case}")
