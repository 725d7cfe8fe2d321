"""`tamp new` as a user types it."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from tests.forked import tamp

pytestmark = pytest.mark.process


def test_a_domain_is_begun_added_to_and_nothing_is_found_in_it(tmp_path: Path) -> None:
    begun = tamp("new", "domain", "mine", cwd=tmp_path)
    assert begun.returncode == 0, begun.stderr
    assert begun.stdout.splitlines()[-3:] == [
        "next     tamp check mine",
        "         tamp test mine",
        '         tamp solve --goal "(tapped plate_1)" --domain mine',
    ]
    assert tamp("new", "skill", "dust-off", "--domain", "mine", cwd=tmp_path).returncode == 0
    added = tamp("new", "observer", "lifted", "--json", cwd=tmp_path / "mine")
    shown = json.loads(added.stdout)
    assert shown["written"] == ["tests/lifted.toml"]
    assert shown["changed"] == ["domain.pddl", "skills.toml", "observers.py"]
    checked = tamp("check", "mine", cwd=tmp_path)
    assert (checked.returncode, checked.stdout) == (0, "")
    again = tamp("new", "domain", "mine", cwd=tmp_path)
    assert again.returncode == 2 and "nothing is overwritten" in again.stderr


@pytest.mark.episode
def test_a_scene_is_written_where_it_is_wanted(tmp_path: Path) -> None:
    begun = tamp("new", "scene", "breakfast", "--in", "scenes", cwd=tmp_path)
    assert begun.returncode == 0, begun.stderr
    scene = tomllib.loads((tmp_path / "scenes" / "breakfast" / "scene.toml").read_text())
    assert scene["things"].keys() == {"mug_1", "plate_1"} and scene["goal"] == "(on mug_1 plate_1)"
    assert 'tamp solve --goal "(on mug_1 plate_1)" --scene scenes/breakfast\n' in begun.stdout
    solved = tamp("solve", "--scene", "scenes/breakfast", "--json", "--out", "run", cwd=tmp_path)
    shown = json.loads(solved.stdout)
    assert (solved.returncode, shown["reached"], shown["task"]) == (0, True, None), solved.stderr
