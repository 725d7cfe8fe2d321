"""Episodes of a policy in a process of its own, judged from outside. The scenes come through a pipe: see
tests/stand_in_eyes.py; what is tested is everything around the eyes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from tamp.agent.camera_perceiver import Instruction
from tamp.agent.monitor import SELDOM
from tamp.backends.libero import rendering, tasks
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.goals import goal_regions
from tamp.backends.libero.oracle import OraclePerceiver
from tamp.errors import Refusal
from tamp.model.goal import Goal, goals_in
from tamp.model.scene import Scene
from tamp.pddl.domain_file import load
from tamp.runs.episode import Result, Settings
from tamp.runs.policy.policy import Diary, Policy
from tamp.runs.policy.remote import PolicyProcess
from tests.places import by_policy as run_camera
from tests.stand_in_eyes import StandIn, answering

pytestmark = [pytest.mark.episode, pytest.mark.process]
TASK, INIT = "libero_goal/2", 40


@dataclass(frozen=True)
class Reads:
    """Takes the instruction for PDDL."""

    def __call__(self, said: Instruction) -> tuple[Goal, ...]:
        assert said.picture.startswith(b"\x89PNG")
        if not said.text.startswith("("):
            raise Refusal(f"nobody knows what {said.text!r} means", "absent")
        return goals_in(said.state, said.domain, [said.text])


@dataclass(frozen=True)
class Make:
    eyes: StandIn

    def __call__(self, diary: Diary) -> Policy:
        return Policy(load("tabletop"), self.eyes, Reads(), journal=diary, publish=diary.take)


@pytest.fixture(scope="module")
def environment() -> Iterator[LiberoEnvironment]:
    rendering.prepare(video=False, camera=True)
    built = LiberoEnvironment(tasks.find(TASK), init_state=INIT, render=True)
    yield built
    built.close()


@contextmanager
def policy(
    environment: LiberoEnvironment, change: Callable[[Scene], Scene] = lambda scene: scene
) -> Iterator[tuple[PolicyProcess, list[dict[str, Any]]]]:
    environment.reset(init_state=INIT)
    oracle = OraclePerceiver(environment, goal_regions(environment))
    with answering(lambda: change(oracle.perceive())) as (eyes, looks):
        process = PolicyProcess(Make(eyes), patience=60.0)
        try:
            yield process, looks
        finally:
            process.close()


def run(process: PolicyProcess, environment: LiberoEnvironment, said: str | None, out: Path) -> Result:
    settings = Settings(load("tabletop"), init_state=INIT, said=said)
    seeing = "camera" if said else "camera, given goal"
    return run_camera(environment.task, None, settings, process, out, lambda line: None, environment, perception=seeing)


def renamed(scene: Scene) -> Scene:
    """The same scene by somebody who counts otherwise and calls the table a bench; the bottle is 2 cm off."""
    names = {o.name: f"{o.category}_{9 - n % 9}" for n, o in enumerate(scene)}

    def other(text: str | None) -> str | None:
        found = next((o for o in names if text is not None and text.startswith(o)), None)
        return text if text is None or found is None else names[found] + text.removeprefix(found)

    objects = []
    for o in scene:
        parts = tuple(replace(p, name=str(other(p.name))) for p in o.parts)
        regions = tuple(
            replace(
                r,
                name=str(other(r.name)) if r.name != "main_table" else "bench",
                part=str(other(r.part)),
                door=other(r.door),
            )
            for r in o.regions
        )
        objects.append(replace(o, name=names[o.name], parts=parts, regions=regions))
    return replace(scene, objects=tuple(objects))


def events(out: Path, kind: str) -> list[dict[str, Any]]:
    shown = [json.loads(line) for line in (out / "episode.jsonl").read_text().splitlines()]
    return [e for e in shown if e["event"] == kind]


def test_the_tasks_own_goal_crosses_in_the_policys_names(environment: LiberoEnvironment, tmp_path: Path) -> None:
    with policy(environment, renamed) as (process, looks):
        result = run(process, environment, None, tmp_path / "out")
    assert (result.success, result.reached, result.task, result.stage) == (True, True, True, None)
    assert result.perception == "camera, given goal" and "wine_bottle_1" not in str(result.goal)
    assert result.steps < result.total_steps <= 90 and result.shifted == [] and result.touched == {}
    on_the_way = result.total_steps * environment.period / SELDOM + len(result.executed)
    most = 1 + 2 * len(result.executed) + on_the_way
    assert len(looks) <= most, "one, one or two when an action has ended, and on the way some to see that all is well"
    assert [look["modules"] for look in looks] == [[]] * len(looks), "the policy cannot reach the simulation"
    pictures = {(name, colour, depth) for look in looks for name, colour, depth, _ in look["pictures"]}
    assert pictures == {
        ("agentview", (480, 480, 3), (480, 480)),
        ("robot0_eye_in_hand", (480, 480, 3), (480, 480)),
    }
    assert looks[-1]["felt"] == result.total_steps + 1, "each control period is felt, and the end"
    out = tmp_path / "out"
    assert events(out, "start")[0]["perception"] == "camera, given goal"
    assert [e["success"] for e in events(out, "result")] == [True, True] and len(events(out, "command")) > 60
    assert events(out, "matched")[0]["goal"] == ["(on wine_bottle_1 wooden_cabinet_1_top_side)"]
    assert (out / "problem.pddl").exists() or list(out.glob("*.pddl"))


def test_words_are_read_by_the_policy_and_judged_outside(environment: LiberoEnvironment, tmp_path: Path) -> None:
    with policy(environment) as (process, _):
        other = run(process, environment, "(open wooden_cabinet_1_top_region)", tmp_path / "other")
        environment.reset(init_state=INIT)
        none = run(process, environment, "fetch the moon", tmp_path / "none")
    assert (other.perception, other.success, other.reached, other.task, other.libero) == (
        *("camera", True, True, None, False),
    )
    assert (none.success, none.stage, none.reason, none.total_steps) == (
        *(False, "goal", "nobody knows what 'fetch the moon' means", 0),
    )


def test_the_same_pictures_whatever_things_are_called(environment: LiberoEnvironment) -> None:
    """What reaches the policy does not depend on any name of the task's file."""
    from tamp.backends.libero.cameras import calibration, encoders, no_noise, pictures
    from tests.permuted_names import permuted

    def shown(of: LiberoEnvironment) -> list[Any]:
        seen = {**encoders(of), **pictures(of, no_noise, (64, 64))}
        known = calibration(of)
        return [{k: v.tobytes() for k, v in seen.items()}, known.robot.mjcf, [c.T.tobytes() for c in known.cameras]]

    environment.reset(init_state=INIT)
    with permuted(environment.task) as (task, names):
        other = LiberoEnvironment(task, init_state=INIT, render=True)
    assert len(names) >= 5 and set(other.root_bodies()) == set(names.values())
    assert shown(environment) == shown(other)
    other.close()
