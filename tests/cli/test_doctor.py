"""The doctor notices what is wrong and says what to do."""

from __future__ import annotations

import importlib.metadata
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cli import doctor, missing
from cli.model_weights import known
from llm.models import weights

pytestmark = pytest.mark.process


def test_another_mujoco_is_loud(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "3.17.0")
    check = doctor.check_library("mujoco", "mujoco")
    assert (check.name, check.ok, check.required) == ("mujoco", False, True)
    assert "WRONG VERSION, 3.3.2 is due" in check.advice


def test_a_missing_library_says_how_to_get_it() -> None:
    check = doctor.check_library("tamp-no-such-distribution", "nothing")
    assert str(check).startswith("MISSING ") and str(check).endswith(": not installed  -> make setup")


def test_what_belongs_to_no_installed_extra_is_not_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(missing, "extras", lambda: dict.fromkeys(missing.KEYS, False) | {"xarm": True})
    check = doctor.check_extras()
    assert (check.ok, check.advice) == (True, 'pip install "tamp-toolkit[NAME]"')
    others = "fast-downward, pyperplan, libero, pybullet, policy, demos, mcp, lsp, llm"
    assert check.found == f"xarm; not installed: {others}"
    assert [name for name, _ in doctor.wanted_libraries()] == ["mujoco", "ompl", "toppra", "unified-planning"]


def test_a_library_for_another_cpu_kills_only_its_probe(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "crashing.py").write_text("import os, signal; os.kill(os.getpid(), signal.SIGILL)")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    check = doctor.check_library("mujoco", "crashing")
    assert "SIGILL: compiled for another CPU" in check.found


def test_rooms_from_two_places_are_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    assert doctor.check_rooms().ok
    monkeypatch.setattr(doctor, "ROOMS", ("tamp", "json", "no_such_room"))
    check = doctor.check_rooms()
    assert not check.ok and "json: /" in check.found and "no_such_room: not found" in check.found


def test_weights_that_are_not_the_models_are_a_fault(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TAMP_MODELS", str(tmp_path))
    check = doctor.check_model(known()[0])
    assert (check.ok, check.required, check.found) == (False, True, "not there")
    weights.known(weights.DEFAULT).path.write_bytes(b"half")
    check = doctor.check_model(known()[0])
    assert (check.found, check.advice) == ("wrong size or sha256", f"tamp model pull {weights.DEFAULT}")


def test_this_installation_is_fit_but_for_the_model_that_is_taken_away(tmp_path: Path) -> None:
    done = subprocess.run(
        [Path(sys.executable).with_name("tamp"), "doctor", "--json"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "TAMP_MODELS": str(tmp_path)},
    )
    report = json.loads(done.stdout)
    assert [check["name"] for check in report["checks"] if check["required"] and not check["ok"]] == [
        f"model {weights.DEFAULT}"
    ]
    assert (done.returncode, report["ok"]) == (1, False)
    names = {check["name"] for check in report["checks"]}
    assert {"mujoco", "planner fast-downward", "rendering (OSMesa)", "LIBERO assets", "packages"} <= names
