"""Recordings of scenes: which of them are of the same scene."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tamp.backends.libero.tasks import find
from tamp.pddl.domain_file import load
from tamp.runs.scene_recording import Order

PROBLEMS = Path(__file__).parents[3] / "problems"


@pytest.mark.parametrize(
    ("scene", "file", "before", "after"),
    [
        ("breakfast", "scene.toml", "akita_black_bowl", "white_bowl"),
        ("mug_in_drawer", "scene.bddl", "mug_1", "mug_2"),
        ("mug_in_drawer", "scene.toml", "top_region", "middle_region"),
    ],
)
def test_an_edited_scene_is_another_one(scene: str, file: str, before: str, after: str, tmp_path: Path) -> None:
    folder = tmp_path / scene
    shutil.copytree(PROBLEMS / scene, folder)
    domain = load("tabletop")
    first, again = (Order(find(str(folder)), domain).content for _ in range(2))
    assert first == again
    text = (folder / file).read_text()
    assert before in text
    (folder / file).write_text(text.replace(before, after))
    assert Order(find(str(folder)), domain).content != first
