"""Two arms at one table in PyBullet: faster than one, never too near, and out of the way of one that works alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tamp.backends import arms_file
from tamp.backends.libero import tasks
from tamp.backends.pybullet.arms_run import run
from tamp.data import data_dir
from tamp.model.domain import load
from tamp.model.goal import Goal
from tamp.perception.written_goals import goals_in
from tamp.runs.at_shared_table import SharedResult
from tamp.runs.episode import Settings
from tamp.runs.episode_log import LOG, read

pytestmark = pytest.mark.episode

ARMS = data_dir("problems") / "sorting" / "arms.toml"


def together(folder: Path, goal: str | None = None) -> SharedResult:
    def source(scene: Any, state: Any, domain: Any, log: Any, image: Any) -> tuple[Goal, ...]:
        return goals_in(scene, state, domain, [str(goal)])

    settings, given = Settings(load("tabletop"), seed=0), None if goal is None else source
    return run(tasks.find("sorting"), given, settings, folder, lambda line: None, arms_file.read(ARMS))


@pytest.mark.thorough
def test_six_things_are_sorted_by_both(tmp_path: Path) -> None:
    result = together(tmp_path / "both")
    assert result.success and result.lasting, f"{result.stage}: {result.reason}"
    assert result.least >= result.apart == 0.05
    assert result.least >= result.guarded - 2e-3, "by the shapes of motion arms are never further apart"
    work = {name: sum(e - b for n, _, b, e in result.happened if n == name) for name in ("near", "far")}
    assert min(work.values()) > 0.3 * sum(work.values())
    assert result.duration < 0.65 * sum(work.values()), "both work at one time"
    told = read(tmp_path / "both" / LOG)
    assert len(next(e for e in told if e["event"] == "schedule")["entries"]) == 6
    assert {e["arm"] for e in told if e["event"] == "result"} == {"near", "far"}


def test_an_arm_that_has_nothing_to_do_stays_out(tmp_path: Path) -> None:
    result = together(tmp_path / "one", "(in soup_1 tray_1_contain_region)")
    assert result.success and result.lasting, f"{result.stage}: {result.reason}"
    assert [name for name, *_ in result.happened] == ["near"] and result.waited["far"] == 0.0
    assert result.least >= result.apart
