"""Real episodes in which nothing but two cameras and the encoders tells what is there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tamp.api import arguments, camera_policies
from tamp.backends.libero import tasks
from tamp.errors import InputError
from tamp.pddl.planner import Engine
from tamp.perception.library import read_index
from tamp.runs.episode import Settings
from tamp.runs.policy.remote import PolicyProcess
from tests.places import by_policy as run_camera

pytestmark = [pytest.mark.episode, pytest.mark.process]


@pytest.fixture(scope="module")
def process() -> Iterator[PolicyProcess]:
    try:
        read_index()
    except InputError as e:
        pytest.skip(f"no eyes: {e}")
    made = camera_policies.process(camera_policies.PolicyRecipe("tabletop", "fast-downward", None))
    yield made
    made.close()


@pytest.mark.parametrize(
    ("task", "state", "action"),
    [
        ("libero_object/3", 45, "(place-in bbq_sauce_1 basket_1_contain_region)"),
        pytest.param("libero_goal/3", 45, "(open-drawer wooden_cabinet_1_top_region)", marks=pytest.mark.thorough),
        pytest.param("libero_10/4", 45, "(place-on porcelain_mug_1 plate_1)", marks=pytest.mark.thorough),
    ],
)
def test_the_task_is_done_by_eye(process: PolicyProcess, tmp_path: Path, task: str, state: int, action: str) -> None:
    """Picking and placing; a drawer and what goes into it; two things in a row. LIBERO's check says so."""
    settings = Settings(arguments.domain("tabletop"), Engine(), seed=0, init_state=state)
    result = run_camera(tasks.find(task), None, settings, process, tmp_path / "episode", lambda line: None)
    assert result.success, f"{result.stage}: {result.reason}"
    assert result.task
    assert result.lasting
    assert action in result.executed
    assert result.perception == "camera"
    events = [json.loads(line) for line in (tmp_path / "episode" / "episode.jsonl").read_text().splitlines()]
    seen = next(e for e in events if e["event"] == "scene")
    assert min(seen["confidence"].values()) > 0.5
