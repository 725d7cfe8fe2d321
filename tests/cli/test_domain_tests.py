"""`tamp test` as a user runs it: what `tamp new` wrote, faults of the folder's Python, bad input, Ctrl-C."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tamp.api.templates import new
from tamp.data import data_dir
from tests import forked

pytestmark = pytest.mark.process

TAMP = Path(sys.executable).with_name("tamp")


def tamp_test(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return forked.tamp("test", *arguments, cwd=cwd)


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    return new("domain", "mine", tmp_path).folder


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))


@pytest.mark.episode
def test_faults_are_failed_rows_with_file_and_line_and_the_others_go_on(mine: Path) -> None:
    new("skill", "dust-off", mine)
    edit(mine / "skills.py", "hand.close()", 'hand.close()\n        if item == "plate_1":\n            {}[item]')
    edit(mine / "tests" / "dust-off.toml", "plate_1", "plate_9")
    tall = mine / "tests" / "tall.toml"
    tall.write_text(
        'scene = "mug_in_drawer"\nexpect = "refused"\n'
        'goal = "(and (in mug_1 cabinet_1_top_region) (closed cabinet_1_top_region))"\n'
    )
    never = mine / "tests" / "never.toml"
    never.write_text('scene = "mug_in_drawer"\nexpect = "refused"\ngoal = "(holding mug_1)"\n')
    done = tamp_test("mine", "--json", cwd=mine.parent)
    assert done.returncode == 1, done.stderr
    trials = {t["what"]: t for t in json.loads(done.stdout)["trials"]}
    line = (mine / "skills.py").read_text().splitlines().index("            {}[item]") + 1
    assert f"mine/skills.py:{line}: the skill tap fails: KeyError: 'plate_1'" in trials["tests/tap.toml"]["reason"]
    assert "no 'plate_9' in the scene; valid: plate_1" in trials["tests/dust-off.toml"]["reason"]
    assert trials["tests/tall.toml"]["verdict"] == "passed" and "clearance" in trials["tests/tall.toml"]["reason"]
    assert trials["tests/never.toml"]["reason"] == "expected to be refused, and it was reached"


@pytest.mark.thorough
@pytest.mark.episode
def test_an_interrupt_ends_with_the_table_so_far(mine: Path) -> None:
    edit(mine / "tests" / "tap.toml", "seeds = [0]", f"seeds = {list(range(50))}")
    with subprocess.Popen(
        [TAMP, "test", "mine"], cwd=mine.parent, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout is not None
        while "PASSED" not in (line := running.stdout.readline()):
            assert line
        running.send_signal(signal.SIGINT)
        out, shown = running.communicate(timeout=60)
    assert running.returncode == 130
    assert " passed in " in out and "interrupted" in shown


BAD_INPUT = {
    "no folder": (("nowhere",), None, 2, "no domain 'nowhere'"),
    "no case": (("tabletop",), None, 2, "tabletop has nothing to test; valid: cases tests/*.toml"),
    "an arm's": (("xarm",), None, 2, "the domain 'xarm' is for xarm"),
    "no scene": (("mine",), ("mug_in_drawer", "mug_in_draw"), 2, "tap.toml:2: unknown scene 'mug_in_draw'; did you"),
    "no predicate": (("mine",), ("tapped", "taped"), 2, "tap.toml:3: "),
    "no such key": (("mine",), ("seeds =", "seed ="), 2, "tap.toml:4: unknown key 'seed'"),
    "no seeds": (("mine", "--seeds", "0"), None, 2, "--seeds"),
}


@pytest.mark.parametrize("fault", BAD_INPUT)
def test_bad_input_ends_before_anything_moves(fault: str, mine: Path) -> None:
    arguments, edited, code, shown = BAD_INPUT[fault]
    if edited:
        edit(mine / "tests" / "tap.toml", *edited)
    done = tamp_test(*arguments, cwd=mine.parent)
    assert done.returncode == code and shown in done.stderr, done.stderr
    assert done.stdout == "" and not (mine.parent / "episodes").exists()


def test_errors_that_check_finds_end_it(mine: Path) -> None:
    edit(mine / "domain.pddl", "(tapped ?x))", "(taped ?x))")
    done = tamp_test("mine", cwd=mine.parent)
    assert done.returncode == 1 and "mine/domain.pddl:" in done.stdout and "unknown-predicate" in done.stdout
    shown = json.loads(tamp_test("mine", "--json", cwd=mine.parent).stdout)
    assert not shown["ok"] and shown["findings"] and shown["trials"] == []


def test_tests_in_python_run_too_and_are_trials(tmp_path: Path) -> None:
    mine = Path(shutil.copytree(data_dir("domains") / "tabletop", tmp_path / "mine"))
    (mine / "tests").mkdir()
    (mine / "tests" / "test_own.py").write_text("def test_good():\n    pass\n\n\ndef test_bad():\n    assert 1 > 2\n")
    done = tamp_test("mine", "--json", cwd=tmp_path)
    trials = {t["what"]: t["verdict"] for t in json.loads(done.stdout)["trials"]}
    assert trials == {"tests/test_own.py::test_good": "passed", "tests/test_own.py::test_bad": "failed"}
    assert done.returncode == 1 and "assert 1 > 2" in done.stderr
