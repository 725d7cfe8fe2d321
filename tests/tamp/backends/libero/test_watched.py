"""Real episodes that nobody disturbs: nothing that the robot itself moves stops it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tamp.backends.libero import tasks
from tamp.backends.libero.run import Settings, run
from tamp.model.domain import load
from tamp.runs.episode_log import read

pytestmark = pytest.mark.episode


@pytest.mark.parametrize("scene", ["libero_goal/5", "libero_10/2", "libero_goal/0"], ids=["push", "knob", "drawer"])
def test_what_the_robot_moves_itself_does_not_stop_it(scene: str, tmp_path: Path) -> None:
    settings = Settings(load("tabletop"), init_state=41)
    result = run(tasks.find(scene), None, settings, tmp_path / "out", lambda line: None)
    stopped = [e["why"] for e in read(tmp_path / "out" / "episode.jsonl") if e["event"] == "interrupted"]
    assert result.success and stopped == []
