"""`make bench-grasps`: one grasp an episode, by camera: does it hold, and how far off is the closing tool?

Every thing of some scenes that can be carried is taken once, scene after scene, until each of many classes had its
turn. The goal is given. That it holds is the simulator's word; the error is between where the tool was to be against
the thing and where it truly is. With `--noise moved` the fixed camera is off, with `hand` the one in the hand. With
--disturb the world is disturbed, `nudged` moves the thing while the hand comes near. Initial states from 0 on, or with
--develop from 40 on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from motion.poses import Array
from tamp.api import arguments, camera_policies, language
from tamp.api.sources import from_pddl
from tamp.backends.libero import rendering, tasks
from tamp.backends.libero.environment import LiberoEnvironment, Scenes
from tamp.quiet import hush_simulator, hush_warnings
from tamp.runs.bench.scheduling import Key
from tamp.runs.bench.workers import run as run_workers
from tamp.runs.episode import Settings
from tamp.runs.episode_log import read as read_log
from tamp.runs.policy.remote import PolicyProcess
from tests.bench import Kept, Row
from tests.bench_perception import DEVELOP
from tests.places import by_policy

SCENES = {
    "libero_object": (0, 2, 4, 6, 8),
    "libero_spatial": (0, 5),
    "libero_goal": (8,),
    "libero_10": (1, 2, 4, 5, 6, 8, 9),
    "libero_90": (2, 18, 32, 47, 58, 66, 73),
}
MOST = 6
"""Things of one class at most."""


@dataclass(eq=False)
class Probe:
    """Where tool and thing truly are in each control step; what disturbs an environment, but leaves the action."""

    environment: LiberoEnvironment
    thing: str
    tool: list[Array] = field(default_factory=list)
    place: list[Array] = field(default_factory=list)

    def __call__(self, action: Array) -> Array:
        self.tool.append(self.environment.robot_state().T_world_tool[:3, 3].copy())
        self.place.append(self.environment.pose_of(self.thing)[:3, 3])
        return action


@dataclass(eq=False)
class Runner:
    """Takes one thing an episode: the one of a scene that has the number `wording` of the key."""

    folder: Path
    noise: str
    disturb: str | None
    _scenes: Scenes = field(default_factory=lambda: Scenes(render=True))
    _policy: PolicyProcess | None = None

    def __call__(self, k: Key) -> dict[str, Any]:
        with hush_simulator():
            if self._policy is None:
                recipe = camera_policies.PolicyRecipe("tabletop", "fast-downward", None)
                self._policy = camera_policies.process(recipe)
            environment = self._scenes.of(tasks.find(f"{k.suite}/{k.task_id}"), 0, k.init_state)
            thing = list(environment.domain.objects_dict)[k.wording]
            category = environment.domain.objects_dict[thing].category_name
            environment.disturbed = probe = Probe(environment, thing)
            domain, folder = arguments.domain("tabletop"), self.folder / "-".join(map(str, k))
            planner = language.planner("fast-downward", None)
            settings = Settings(domain, planner, 0, k.init_state, disturb=self.disturb)
            goal = from_pddl([f"(holding {thing})"], [], domain)
            noise = camera_policies.noise(self.noise, 0, k.task_id, k.init_state, k.wording)
            try:
                result = by_policy(
                    environment.task, goal, settings, self._policy, folder, lambda line: None, environment, noise
                )
            finally:
                environment.disturbed = None
        reason = f"{thing} {result.stage}: {result.reason}"
        off = _off(folder, probe, thing)
        return {"key": list(k), "class": category, "holds": result.reached, "reason": reason, "off": off}


def started(setup: Runner) -> Runner:
    """In a worker: what runs the episodes."""
    hush_warnings()
    rendering.prepare(video=False, camera=True)
    return setup


def _off(folder: Path, probe: Probe, thing: str) -> float | None:
    """How far (m) the tool was from where it was to be against the thing when the fingers closed the first time; None
    where they did not."""
    events = read_log(folder / "episode.jsonl")
    names = next((e["names"] for e in events if e["event"] == "matched"), {})
    ours = next((ours for ours, theirs in names.items() if theirs == thing), None)
    looked: Array | None = None
    was_to_be: Array | None = None
    for e in events:
        if e["event"] == "look" and ours in e["poses"]:
            looked = np.array(e["poses"][ours][:3])
        elif e["event"] == "action" and "grasp" in e["note"] and looked is not None:
            was_to_be = np.array(e["note"]["grasp"])[:3, 3] - looked
        elif e["event"] == "command" and e["stage"] == "grip" and was_to_be is not None:
            step = int(np.argmin(np.linalg.norm(np.array(probe.tool) - e["tool"], axis=1)))
            return float(np.linalg.norm(probe.tool[step] - probe.place[step] - was_to_be))
    return None


def chosen(first: int) -> Iterator[Key]:
    """Every thing of the scenes in one initial state, then in the next one, but no class more than `MOST` times."""
    count: Counter[str] = Counter()
    for state in range(first, first + 10):
        for suite, number in ((suite, number) for suite, numbers in SCENES.items() for number in numbers):
            with hush_simulator():
                built = LiberoEnvironment(tasks.find(f"{suite}/{number}"), init_state=state)
                categories = [str(thing.category_name) for thing in built.domain.objects_dict.values()]
                built.close()
            for n, category in enumerate(categories):
                count[category] += 1
                if count[category] <= MOST:
                    yield Key(suite, number, state, n)


def bench(
    kept: Kept,
    noise: str = "clean",
    disturb: str | None = None,
    episodes: int = 100,
    develop: bool = False,
    workers: int = 2,
) -> Iterator[Row]:
    """A row a grasp."""
    rendering.prepare(video=False, camera=True, may=True)
    first = DEVELOP if develop else 0
    line = f"{noise}-{disturb}" if disturb else noise
    setup = Runner(kept.folder / line, noise, disturb)
    setup.folder.mkdir(parents=True, exist_ok=True)
    due = [k for k in islice(chosen(first), episodes) if not kept.has(f"{line}: {list(k)}")]

    def given_up(k: Key) -> dict[str, Any]:
        return {"key": list(k), "class": "?", "holds": False, "reason": "its process died", "off": None}

    for r in run_workers(due, workers, partial(started, setup), given_up):
        values = {} if r["off"] is None else {"off, mm": 1000 * r["off"]}
        yield Row(line, r["holds"], values, r["reason"], f"{line}: {r['key']}", {"class": r["class"]})


def summary(rows: Sequence[Row]) -> Iterator[str]:
    """How many classes of things were taken."""
    yield f"{len({row.data['class'] for row in rows})} classes"
