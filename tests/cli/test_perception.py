"""`tamp perception`: recordings made by the command, and read by it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.main import app
from tamp.errors import InputError
from tamp.perception import recordings
from tamp.perception.library import Library, load
from tests.perception_scores import most_pixels


@pytest.fixture(scope="module")
def library() -> Library:
    """That of this machine, where it was built."""
    try:
        return load()
    except InputError as e:
        pytest.skip(str(e))


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["record", "libero_goal/99", "--out", "r"], "no task '99' in libero_goal"),
        (["record", "libero_goal/0", "--out", "r", "--size", "7"], "--size"),
        (["record", "libero_goal/0", "--out", "r", "--noise", "fog"], "--noise"),
        (["record", "libero_goal/0", "--out", "r", "--init-state", "500"], "--init-state 500; valid: 0 to 49"),
        (["show", "nowhere"], "no recording in nowhere"),
    ],
)
def test_what_cannot_be_is_said(
    args: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, library: Library
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["perception", *args])
    assert done.exit_code == 2 and message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.episode
def test_a_scene_is_recorded_once_with_the_truth_apart_and_shown_with_what_is_seen(
    tmp_path: Path, library: Library, capfd: pytest.CaptureFixture[str]
) -> None:
    def shown(*args: str) -> Any:
        done = CliRunner().invoke(app, ["perception", *args, "--json"])
        assert done.exit_code == 0, done.stderr
        return json.loads(done.stdout or capfd.readouterr().out)["recordings"][0]

    out = str(tmp_path / "r")
    args = ["record", "libero_object/0", "--init-state", "40", "--size", "256", "--out", out]
    first, again = shown(*args), shown(*args)
    assert (first["kept"], again["kept"]) == (False, True) and first["moments"] == again["moments"] == 1
    folder = Path(first["folder"])
    recording, truth = recordings.read(folder), recordings.read_truth(folder)
    image = recording.looked(0).images[0]
    assert image.size == (256, 256) and recording.about["noise"] == "clean"
    assert not [t.name for t in truth.things if t.name in (folder / recordings.INDEX).read_text()]
    seen = {t.name: most_pixels(truth.moments[0], t.name) for t in truth.things}
    assert min(seen.values()) > 60 and truth.moments[0].held is None
    name = max(seen, key=lambda n: seen[n])
    points = image.points()[truth.mask(0, image.camera, name)]
    assert abs(points[:, :2].mean(axis=0) - truth.moments[0].poses[name][:2, 3]).max() < 0.05
    seen_now = shown("show", out)["moments"][0]
    assert len(seen_now["things"]) >= 5 and all(Path(p).is_file() for p in seen_now["pictures"])
