"""`make bench-mjcf`: the example scene of docs/mujoco.md by every body, in MuJoCo and in PyBullet.

    python -m tests.bench_mjcf [--bodies NAME ...] [--engines NAME ...] [--seeds N] [--scene FOLDER] [--out DIR]

Goals are given, things are where a seed has them; success is that the goal holds in the engine's own state. Goes on
where it was interrupted.
"""

from __future__ import annotations

import argparse
import json
import sys
from functools import partial
from pathlib import Path
from typing import Any

from tamp.api.sources import from_pddl
from tamp.backends.libero import rendering, tasks
from tamp.pddl.domain_file import load
from tamp.runs.episode import Settings
from tests.bench import machine, share
from tests.places import in_physics as run

GOALS = {
    "pick and place": "(in can box_contain_region)",
    "stack": "(on red_block blue_block)",
    "into a drawer": "(in red_block cabinet_region)",
    "two, and close": "(and (in blue_block cabinet_region) (closed cabinet_region) (in can box_contain_region))",
}
SCENE = "docs/examples/kitchenette"


def episode(scene: str, engine: str, body: str, goal: str, seed: int, folder: Path) -> dict[str, Any]:
    """What came of an episode."""
    if (kept := folder / "result.json").exists():
        return dict(json.loads(kept.read_text()))
    domain = load("tabletop")
    settings = Settings(domain, seed=seed, body=body)
    source = from_pddl([goal], [], domain)
    result = run(engine, tasks.find(scene), source, settings, folder, lambda line: None).as_dict()
    kept.write_text(json.dumps(result, default=str))
    return result


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--bodies", nargs="+", default=["panda", "xarm6", "xarm7"])
    parser.add_argument("--engines", nargs="+", default=["mujoco", "pybullet"])
    parser.add_argument("--seeds", type=int, default=3, metavar="N")
    parser.add_argument("--scene", default=SCENE)
    parser.add_argument("--out", type=Path, default=Path("results/mjcf"))
    asked = parser.parse_args()
    sys.stdout.write(f"{machine()}\n")
    for engine in asked.engines:
        for body in asked.bodies:
            of_body = partial(episode, asked.scene, engine, body)
            found = {
                name: [of_body(goal, seed, asked.out / engine / body / f"{n}-{seed}") for seed in range(asked.seeds)]
                for n, (name, goal) in enumerate(GOALS.items())
            }
            all_of = [r for results in found.values() for r in results]
            successes = share(sum(r["success"] for r in all_of), len(all_of))
            sys.stdout.write(f"{engine:9} {body:6} succeed, %: {successes}\n")
            for name, results in found.items():
                why = "; ".join(f"{r['stage']}: {r['reason']}" for r in results if not r["success"])
                lasting = sum(r["lasting"] for r in results)
                good = sum(r["success"] for r in results)
                sys.stdout.write(f"    {name:15} {good} of {len(results)}, lasting {lasting}  {why[:200]}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    rendering.prepare(video=False, may=True)
    main()
