"""An arm from Python: the same calls as for a scene in a simulator, on an emulated arm through its maker's SDK."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import tamp
from tests.emulated import again_when_late, one_at_a_time, running

SCENE, GOAL = "mug_in_drawer", "(holding mug_1)"


@pytest.fixture
def alone() -> Iterator[None]:
    """Two arms at work at a time would be late, and stop with C31."""
    with one_at_a_time():
        yield


@pytest.mark.process
@pytest.mark.usefixtures("alone")
@again_when_late
def test_an_arm_at_a_table_is_a_scene_as_every_other(tmp_path: Path) -> None:
    with running("xarm6", "--scene", SCENE) as emulator:
        at = {
            "host": emulator.host,
            "port": emulator.port,
            "eyes": f"tcp://{emulator.host}:{emulator.shown['fault_port']}",
        }
        with tamp.load_scene(SCENE, body="xarm6", **at) as scene:
            assert (scene.simulator, scene.robot.name) == ("xarm", "xarm6")
            assert GOAL not in tamp.perceive(scene).facts
            motions = tamp.refine(scene, tamp.plan(scene, GOAL))
            done = tamp.execute(scene, motions, out=tmp_path / "episode")
            assert done and done.executed == ("(pick mug_1 main_table)",), done.reason
            assert done.perception == "oracle, xarm6 through its SDK"
            assert GOAL in tamp.perceive(scene).facts
            with pytest.raises(tamp.TampError, match="another run drives the arm"):
                tamp.load_scene(SCENE, body="xarm6", **at)
        after = emulator.state()
    assert (after["state"], after["error"]) == (4, 0), "it stands still once it is closed"


def test_a_plan_that_a_world_has_no_room_for_is_no_result(tmp_path: Path) -> None:
    arm = tamp.load_arm("bench")
    with pytest.raises(tamp.InputError, match="cannot be run in"):
        tamp.run_plan(arm, {"goal": "Away", "steps": [{"action": "MOVE_TO_NAMED", "name": "moon"}]}, dry_run=True)
    with pytest.raises(tamp.InputError, match="speed_scale 2"):
        tamp.load_arm("bench", speed_scale=2.0)
    into_the_table = {"action": "MOVE_TO_POSE", "pose": {"xyz_mm": [400, 0, 10], "rpy_deg": [0, 0, 0]}}
    done = tamp.run_plan(arm, {"goal": "Down", "steps": [into_the_table]}, dry_run=True, out=tmp_path / "run")
    assert (bool(done), done.failed, done.kind) == (False, 1, "infeasible")


def test_what_an_arm_lacks_is_told_before_anything_is_built() -> None:
    cases: dict[str, Callable[[], object]] = {
        "no body: which arm stands in the scene": lambda: tamp.load_scene(SCENE, host="127.0.0.1"),
        "no --eyes": lambda: tamp.load_scene(SCENE, body="xarm7", host="127.0.0.1"),
        "host: of an arm that is driven; valid with simulator='xarm'": lambda: tamp.load_scene(
            SCENE, simulator="mujoco", host="127.0.0.1"
        ),
        "panda is none of UFACTORY's arms": lambda: tamp.load_scene(
            SCENE, body="panda", host="127.0.0.1", eyes="tcp://127.0.0.1:7"
        ),
        "--eyes: for a real arm, --backend xarm": lambda: tamp.solve("put it away", eyes="tcp://127.0.0.1:7"),
    }
    for message, call in cases.items():
        with pytest.raises(tamp.InputError, match=re.escape(message)):
            call()
