"""`tamp objects`: a thing is added, listed and shown; a build that is interrupted goes on."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

from motion.poses import rotation_about
from tamp.perception.library import Index, made_with, write_index
from tests import forked
from tests.solids import BOWL, CAN, obj, revolved

pytestmark = [pytest.mark.process, pytest.mark.episode]


def tamp(library: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return forked.tamp("objects", *arguments, TAMP_OBJECTS=str(library))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of nothing but a bowl that was added, in millimetres."""
    folder = tmp_path_factory.mktemp("objects")
    write_index(folder, Index((), (), made_with(), {}))
    brought = tmp_path_factory.mktemp("brought") / "red_bowl"
    brought.mkdir()
    (brought / "bowl.obj").write_text(obj(revolved(BOWL) * 1000))
    done = tamp(folder, "add", str(brought))
    assert done.returncode == 0, done.stderr
    assert "any turn about the vertical" in done.stdout and "note: taken to be in mm" in done.stdout
    return folder


def test_an_added_thing_is_known_like_any_other(library: Path) -> None:
    shown = json.loads(tamp(library, "list", "--json").stdout)
    (bowl,) = shown["objects"]
    assert (bowl["name"], bowl["kind"], bowl["source"], bowl["turns"]) == ("red_bowl", "container", "added", 0)
    assert bowl["size"] == pytest.approx([0.12, 0.12, 0.04], abs=0.002)
    lines = tamp(library, "list").stdout.splitlines()
    assert lines[1].split()[:2] == ["red_bowl", "container"] and lines[1].endswith("added")


def test_it_is_shown_with_a_picture(library: Path, tmp_path: Path) -> None:
    import imageio.v3 as imageio

    picture = tmp_path / "bowl.png"
    done = tamp(library, "show", "red_bowl", "--picture", str(picture), "--json")
    shown = json.loads(done.stdout)
    assert shown["names"] == ["red bowl", "bowl"] and shown["parts"][0]["points"] > 1000
    assert shown["attitudes"] == 2 and "taken to be in mm" in shown["remarks"][0]
    seen = imageio.imread(picture) < 250
    assert 0.05 < seen.any(axis=-1).mean() < 0.6


def test_what_does_not_stand_as_its_file_has_it_is_laid_down(library: Path, tmp_path: Path) -> None:
    leaning = tmp_path / "leaning_can"
    leaning.mkdir()
    (leaning / "can.obj").write_text(obj(revolved(CAN) @ rotation_about(np.array([1.0, 0.0, 0.0]), 0.5)))
    shown = json.loads(tamp(library, "add", str(leaning), "--json").stdout)
    assert any("laid down, turned by 29°" in remark for remark in shown["remarks"])
    assert shown["size"] == pytest.approx(np.ptp(revolved(CAN), axis=(0, 1)), abs=0.003)


def test_a_scene_can_have_it(library: Path, tmp_path: Path) -> None:
    (tmp_path / "scene.toml").write_text('[things.bowl_1]\ncategory = "red_bowl"\nyaw = 0\n')
    done = forked.tamp("scene", "show", str(tmp_path), "--json", TAMP_OBJECTS=str(library))
    (bowl,) = (o for o in json.loads(done.stdout)["objects"] if o["name"] == "bowl_1")
    assert bowl["category"] == "red_bowl" and bowl["extent"] == pytest.approx([0.12, 0.12, 0.04], abs=0.004)
    (tmp_path / "scene.toml").write_text('[things.bowl_1]\ncategory = "red_bow"\n')
    done = forked.tamp("scene", "show", str(tmp_path), TAMP_OBJECTS=str(library))
    assert done.returncode == 2 and "no category 'red_bow'; valid: red_bowl" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["show", "red_bowll"], "no object 'red_bowll'; valid: red_bowl "),
        (["show", "red_bowl", "--picture", "/nowhere/x.png"], "cannot write /nowhere/x.png"),
        (["add", "/nowhere"], "no folder /nowhere; valid: a folder with a mesh"),
    ],
)
def test_bad_input_exits_2(library: Path, arguments: list[str], says: str) -> None:
    done = tamp(library, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr and "Traceback" not in done.stderr
