"""The page of an arm: what there is to draw of it and its world, and what it says in words."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tamp.backends.xarm.detections import Detection
from tamp.backends.xarm.report_stream import ArmReport, ArmStatus
from tamp.backends.xarm.workcell import Workcell, read_workcell
from tamp.view.arm_source import ArmSource, lines_of, scene_of, status_of
from tamp.view.live_page import LivePage
from tamp.view.page_layout import Layout

BENCH = Path(__file__).parents[3] / "problems" / "xarm" / "bench.toml"


@pytest.fixture(scope="module")
def bench() -> Workcell:
    return read_workcell(BENCH)


def report(state: int = 2, mode: int = 0, error: int = 0, warning: int = 0, axes: int = 6) -> ArmReport:
    return ArmReport(state, mode, np.zeros(7), error, warning, axes)


def said(now: ArmReport | None, age: float = 0.1, rich: ArmReport | None = None, trouble: str | None = None) -> str:
    return "\n".join(text for text, _ in lines_of(ArmStatus(now, age, rich, trouble)))


def test_what_is_seen_hides_nothing_that_has_its_name_and_says_its_age(bench: Workcell) -> None:
    at = np.array([0.4, 0.1, 0.04])
    seen = [Detection("home", 0.9, at, 99.8), Detection("cup", 0.914, at, 95.0), Detection("bowl", 1, at, 1e299)]
    scene = scene_of(bench, seen, 100.0)
    assert [(scene["objects"][n], scene["notes"][n]) for n in ("home", "home 2", "cup", "bowl")] == [
        ("pose", ""),
        ("seen", "sure 0.90, age 0 s"),
        ("seen, old", "sure 0.91, age 5 s"),
        ("seen, old", "sure 1.00, age days"),  # a clock that is wrong
    ]
    assert scene["poses"]["cup"][:3] == at.tolist()


def test_state_mode_and_error_are_told_in_words() -> None:
    words = said(report(1, 1), rich=report(error=31, warning=11))
    assert "moving, mode 1 (servo)" in words
    assert "C31, Collision" in words and "W11, Current controller cache is full" in words
    assert "no error" in said(report(), rich=report()) and "errors are not known" in said(report())
    assert "state 8, mode 9 (unknown)" in said(report(8, 9))


def test_what_is_old_or_wrong_is_not_told_as_the_arms_state(bench: Workcell) -> None:
    old = said(report(1), age=4.2, trouble="no reports from 10.0.0.5:30002: timed out")
    assert "no report for 4 s" in old and "timed out" in old and "moving" not in old
    other = status_of(bench, ArmStatus(report(), 0.1, report(axes=7), None))
    assert other.notes == ("this arm has 7 joints, the world's 6: the picture is wrong",)


def test_its_page_is_that_of_a_run_without_what_an_arm_does_not_have(bench: Workcell) -> None:
    page = LivePage(ArmSource(bench, "10.0.0.5", lambda: ArmStatus(report(), 0.1, report(), None)), Layout.of())
    page.look()
    shown = {name: json.loads(text) for name, text in page.board.parts.items()}
    assert "xarm6 at 10.0.0.5" in shown["#head"] and "camera_post" in shown["#places"]
    assert "the world names no detector" in shown["#now"] and "mode 0 (position)" in shown["#now"]
    assert "0.00°" in shown["#now"] and "-0.00" not in shown["#now"] and "reporting" in shown["#head"]
    assert [t["name"] for t in shown["scene"]["things"]][:2] == ["workspace", "camera_post"]
    assert not any(shown[f"#{name}"].strip() for name in ("actions", "failures", "model"))
    assert len(shown["scene"]["links"]) > 5 and page.order({"stop": ""})["taken"] is False
