"""The page of an arm: what there is to draw of it and its world, and what it says in words."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tamp.backends.xarm.detections import Detection
from tamp.backends.xarm.report_stream import ArmReport, ArmStatus
from tamp.backends.xarm.workcell import Workcell, read_workcell
from tamp.view.arm_source import LONGEST_LABEL, MOST_SHOWN, ArmSource, lines_of, scene_of, status_of, values_of
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


def test_a_world_is_drawn_with_all_its_boxes_poses_and_cameras(bench: Workcell) -> None:
    scene = scene_of(bench, (), 0.0)
    assert {(scene["objects"][name], name): box for name, box in scene["boxes"].items()} == {
        ("workspace", "workspace"): [[0.15, -0.45, 0.005], [0.65, 0.45, 0.6]],
        ("keep out", "camera_post"): [[0.52, 0.3, 0], [0.6, 0.38, 0.6]],
        ("keep out", "bin_wall"): [[0.3, -0.33, 0], [0.48, -0.31, 0.12]],
    }
    points = {name: np.round(at[:3], 3).tolist() for name, at in scene["poses"].items() if name not in scene["boxes"]}
    assert points == {
        "home": [0.305, 0, 0.269],
        "above_table": [0.4, 0, 0.25],
        "bin_drop": [0.39, -0.39, 0.18],
        "overhead": [0.4, 0, 1.1],
    }


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


def test_labels_never_fill_the_page(bench: Workcell) -> None:
    things = [Detection("a label\n\nof lines" + "x" * 1000, 1, np.zeros(3), 1.0)] * 300
    names = [name for name, kind in scene_of(bench, things, 1.0)["objects"].items() if kind == "seen"]
    assert len(names) == MOST_SHOWN and names[0].startswith("a label of lines")
    assert max(map(len, names)) <= LONGEST_LABEL + len(" 50")


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


def test_the_head_says_how_the_arm_is_in_a_word(bench: Workcell) -> None:
    stopped, well = report(4, error=31), report()
    assert status_of(bench, ArmStatus(well, 0.1, well, None)).state == "reporting"
    assert "C31" in status_of(bench, ArmStatus(stopped, 0.1, stopped, None)).verdict
    silent = [
        status_of(bench, look).state for look in (ArmStatus(stopped, 4.0, None, None), ArmStatus(None, 4.0, None, None))
    ]
    assert silent == ["silent", "silent"]


def test_numbers_are_in_degrees_and_millimetres_without_a_negative_zero(bench: Workcell) -> None:
    q = np.radians([-0.001, 12.344, 0, 0, 0, -90])
    values = dict(values_of(bench, q))
    assert [values[f"J{n}"] for n in range(1, 7)] == ["0.00°", "12.34°", "0.00°", "0.00°", "0.00°", "-90.00°"]
    assert values["tool z"].endswith(" mm") and values["roll"].endswith("°")


def test_its_page_is_that_of_a_run_without_what_an_arm_does_not_have(bench: Workcell) -> None:
    page = LivePage(ArmSource(bench, "10.0.0.5", lambda: ArmStatus(report(), 0.1, report(), None)), Layout.of())
    page.look()
    shown = {name: json.loads(text) for name, text in page.board.parts.items()}
    assert "xarm6 at 10.0.0.5" in shown["#head"] and "camera_post" in shown["#places"]
    assert "the world names no detector" in shown["#now"] and "mode 0 (position)" in shown["#now"]
    assert not any(shown[f"#{name}"].strip() for name in ("actions", "failures", "model"))
    assert len(shown["scene"]["links"]) > 5 and page.order({"stop": ""})["taken"] is False
