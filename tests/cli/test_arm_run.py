"""`tamp xarm run` with action plans, as a user types it."""

from __future__ import annotations

import json
import socket
import subprocess
from pathlib import Path

import numpy as np
import pytest

from tamp.backends.xarm.motion_planner import MotionPlanner
from tamp.backends.xarm.workcell import read_workcell
from tamp.data import data_dir
from tests import forked
from tests.arm_runs import tool_point
from tests.emulated import running

pytestmark = pytest.mark.process

BENCH = data_dir("problems") / "xarm"
PROBLEM = """(define (problem look) (:domain xarm)
  (:objects home above_table - place bin_drop - dropoff)
  (:init (hand-empty))
  (:goal (tool-at above_table)))
"""
OF = ["--domain", "xarm", "--problem", "p.pddl"]
HOME = '{"goal": "g", "steps": [{"action": "MOVE_TO_NAMED", "name": "home"}]}'


def tamp(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return forked.tamp("xarm", "run", *options, cwd=folder)


def test_a_first_run_with_the_emulators_own_detector(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as door:
        source = f"tcp://127.0.0.1:{door.getsockname()[1]}"
    world = tmp_path / "xarm.toml"
    world.write_text((BENCH / "bench.toml").read_text().replace("tcp://127.0.0.1:5556", source))
    # seen from bin_drop, at y = -390 mm, the second is the one in the middle
    bottles = [f"--thing=bottle=350,{y},90" for y in (120, 0, -120)]
    with running("xarm6", *bottles, "--detections", source) as emulator:
        address = ["--host", emulator.host, "--port", str(emulator.port)]
        done = tamp(tmp_path, str(BENCH / "second_nearest_bottle.json"), *address, "--json")
        there = tool_point(emulator, MotionPlanner(read_workcell(world)))
        gone_through = tamp(tmp_path, str(plan_up(tmp_path)), *address, "--dry-run")
        assert tool_point(emulator, MotionPlanner(read_workcell(world))).tolist() == there.tolist(), "nothing moved"
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["success"]
    lines = done.stderr.splitlines()
    assert [line.split(";")[0] for line in lines] == [
        "tamp: ApproachObject: done (1 of 2",
        "tamp: MoveToObject: done (2 of 2",
        "tamp: 2 steps done",
    ]
    assert np.allclose(there, [0.35, 0.0, 0.09], atol=5e-4)
    # from where the arm is now, 90 mm up, not from its zero posture, which is outside the workspace
    assert gone_through.stderr.endswith("tamp: 1 step can be done\n")
    assert gone_through.stderr.startswith("tamp: begins where the arm is now, joints ")


def test_a_dry_run_without_an_arm_says_where_it_begins_and_what_is_said_in_vain(tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text('{"goal": "g", "steps": [{"action": "MOVE_TO_NAMED", "name": "home", "hover_mm": 30}]}')
    done = tamp(tmp_path, str(plan), "--world", str(BENCH / "bench.toml"), "--dry-run", "--json")
    assert done.stdout, done.stderr
    answer = json.loads(done.stdout)
    assert (done.returncode, answer["success"], answer["begin"]) == (0, True, [0.0] * 6), done.stderr
    assert "tamp: begins in the arm's zero posture (--host IP: where that arm is), joints 0.0 0.0" in done.stderr
    vain = "step 1, hover_mm: MOVE_TO_NAMED does not read it: it belongs to APPROACH_NAMED, APPROACH_OBJECT"
    assert f"tamp: warning: {plan}: {vain}\n" in done.stderr
    judged = forked.tamp("validate", plan)
    assert judged.returncode == 0 and judged.stdout == f"{plan}: valid, 1 step\n  1:69: warning: {vain}\n"


def test_what_is_shipped_goes_by_its_name_from_anywhere(tmp_path: Path) -> None:
    def done(*words: str) -> subprocess.CompletedProcess[str]:
        return forked.tamp(*words, cwd=tmp_path)

    for words in (
        ("validate", "tour", "--world", "bench"),
        ("validate", "xarm", "cup_to_bin", "cup_to_bin"),
        ("check", "xarm", "problems/xarm/cup_to_bin.pddl"),
        ("xarm", "run", "tour", "--world", "problems/xarm/bench.toml", "--dry-run"),
        ("xarm", "run", "cup_to_bin", "--domain", "xarm", "--problem", "cup_to_bin", "--world", "bench", "--dry-run"),
    ):
        ran = done(*words)
        assert ran.returncode == 0, ran.stderr
    for words in (("view",), ("solve", "x", "--backend", "xarm"), ("validate", "tour")):
        refused = done(*words, "--world", "bnch")
        assert refused.returncode == 2
        assert "no world 'bnch'; did you mean 'bench'? valid: a file" in refused.stderr


def plan_up(folder: Path) -> Path:
    plan = folder / "up.json"
    plan.write_text('{"goal": "g", "steps": [{"action": "RETREAT_Z", "dz_mm": 400}]}')
    return plan


def test_an_arm_is_cleared_by_its_address_alone_or_as_the_one_of_a_world(tmp_path: Path) -> None:
    with running("xarm7") as emulator:
        address = ["--host", emulator.host, "--port", str(emulator.port)]
        emulator.ask(fault="collision")
        for says in ("cleared: C31, ", "there was no error and no warning\n"):
            done = forked.tamp("xarm", "clear", *address, cwd=tmp_path)
            assert done.returncode == 0 and done.stdout.startswith(says), done.stdout + done.stderr
        (tmp_path / "xarm.toml").write_text((BENCH / "bench.toml").read_text())
        done = forked.tamp("xarm", "clear", *address, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.endswith(f"the arm at {emulator.host} has 7 joints; xarm6 has 6\n")


def test_a_plan_that_is_not_valid_is_told_with_its_step(tmp_path: Path) -> None:
    (tmp_path / "p.pddl").write_text(PROBLEM)
    (tmp_path / "plan.txt").write_text("(go-to home)\n(lower bin_drop)\n")
    done = tamp(tmp_path, "plan.txt", "--world", "bench", "--dry-run", *OF, "--json")
    assert done.returncode == 1
    assert "plan.txt:2: invalid at step 2, (lower bin_drop): needs (above bin_drop), which does not" in done.stderr
    said = json.loads(done.stdout)
    assert (said["success"], said["failed"], said["kind"], said["out"]) == (False, 2, "invalid", None)


@pytest.mark.parametrize(
    ("text", "options", "says"),
    [
        (f"Here is the plan:\n{HOME}", ["--dry-run"], "plan.txt:1:1: not JSON: text before the JSON object"),
        (f"```json\n{HOME}\n```", ["--dry-run"], "plan.txt:1:1: not JSON: text before the JSON object: '```json"),
        (HOME, ["--host", "arm.example"], "--host arm.example: 'arm.example' is no IPv4 address; valid: an IPv4"),
        ("(go-to home)\n", [], "plan.txt is no action plan; a plan of a domain needs --domain and --problem"),
        ("(go-to home)\n", OF[:2], "a plan of a domain needs both --domain and --problem"),
        ("(fly home)\n", OF, "plan.txt:1: step 1, (fly home): there is no operator 'fly'"),
        ("(go-to home)\n", ["--domain", "tabletop", *OF[2:]], "the domain 'tabletop' is for libero, not for xarm"),
    ],
)
def test_bad_input_is_one_line(text: str, options: list[str], says: str, tmp_path: Path) -> None:
    (tmp_path / "p.pddl").write_text(PROBLEM)
    (tmp_path / "plan.txt").write_text(text)
    done = tamp(tmp_path, "plan.txt", "--world", str(BENCH / "bench.toml"), *options)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert says in done.stderr
