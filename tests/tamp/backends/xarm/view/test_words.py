"""What the page says in words."""

from __future__ import annotations

import numpy as np

from motion.arms import ARMS
from motion.poses import from_rpy
from tamp.backends.xarm.detections import Detection
from tamp.backends.xarm.view.listening import Look
from tamp.backends.xarm.view.reports import ArmReport
from tamp.backends.xarm.view.words import MOST_SHOWN, arm_words, detection_words, head_words, joint_words, shown

XARM6 = ARMS["xarm6"]


def report(state: int = 2, mode: int = 0, error: int = 0, warning: int = 0, axes: int = 6) -> ArmReport:
    return ArmReport(state, mode, np.zeros(7), error, warning, axes)


def said(now: ArmReport | None, age: float = 0.1, rich: ArmReport | None = None, trouble: str | None = None) -> str:
    return "\n".join(text for text, _ in arm_words(XARM6, Look(now, age, rich, trouble)))


def head(now: ArmReport | None, age: float = 0.1, rich: ArmReport | None = None) -> tuple[str, str, list[str]]:
    words = head_words(XARM6, "10.0.0.5", Look(now, age, rich, None))
    assert words["title"] == "xarm6 at 10.0.0.5"
    return words["state"], words["verdict"], words["notes"]


def test_state_mode_and_error_are_told_in_words() -> None:
    words = said(report(1, 1), rich=report(error=31, warning=11))
    assert "moving, mode 1 (servo)" in words
    assert "C31, Collision" in words and "W11, Current controller cache is full" in words
    assert "no error" in said(report(), rich=report()) and "errors are not known" in said(report())


def test_numbers_that_nobody_knows_are_told_as_they_are() -> None:
    assert "state 8, mode 9 (unknown)" in said(report(8, 9))


def test_what_is_old_or_wrong_is_not_told_as_the_arms_state() -> None:
    old = said(report(1), age=4.2, trouble="no reports from 10.0.0.5:30002: timed out")
    assert "no report for 4 s" in old and "timed out" in old and "moving" not in old
    assert head(report(), rich=report(axes=7))[2] == ["this arm has 7 joints, the world's 6: the picture is wrong"]


def test_the_head_says_how_the_arm_is_in_a_word() -> None:
    stopped = report(4, error=31)
    assert head(report(), rich=report())[:2] == ("reporting", "It reports.")
    assert head(stopped, rich=stopped)[0] == "error" and "C31" in head(stopped, rich=stopped)[1]
    assert head(stopped, age=4.0)[0] == head(None)[0] == "silent"


def test_numbers_are_in_degrees_and_millimetres_without_a_negative_zero() -> None:
    q = np.radians([-0.001, 12.344, 0, 0, 0, -90])
    words = joint_words(q, from_rpy([0.3, -1e-9, 0.25], [0, 0, 1]))
    assert [value for _, value in words["joints"]] == ["0.00°", "12.34°", "0.00°", "0.00°", "0.00°", "-90.00°"]
    assert [value for _, value in words["tool"]] == ["300.0 mm", "0.0 mm", "250.0 mm", "0.0°", "0.0°", "57.3°"]


def test_detections_are_told_the_newest_first_with_their_age() -> None:
    seen = shown([Detection("bowl", 0.5, np.zeros(3), 96.0), Detection("cup", 0.914, np.ones(3), 99.5)], 100.0, 1.0)
    assert [(str(s), s.old) for s in seen] == [("cup sure 0.91, age 0.5 s", False), ("bowl sure 0.50, age 4.0 s", True)]
    assert detection_words(seen, None) == {
        "lines": [],
        "rows": [("cup", "0.91", "1000 1000 1000", "0.5 s", ""), ("bowl", "0.50", "0 0 0", "4.0 s", "old")],
    }


def test_a_clock_that_is_wrong_makes_it_old_and_fills_no_page() -> None:
    ahead, mad = (shown([Detection("cup", 1, np.zeros(3), time)], 100.0, 1.0)[0] for time in (103.0, 1e299))
    assert (ahead.old, str(ahead), mad.old, str(mad)) == (
        True,
        "cup sure 1.00, age -3.0 s",
        True,
        "cup sure 1.00, age days",
    )


def test_a_label_never_fills_the_page() -> None:
    things = [Detection("a label\n\nof lines" + "x" * 1000, 1, np.zeros(3), 1.0)] * 300
    rows = detection_words(shown(things, 1.0, 1.0), None)["rows"]
    assert len(rows) == MOST_SHOWN and all(row[0].startswith("a label of lines") and len(row[0]) <= 40 for row in rows)


def test_a_detector_that_says_nothing_and_one_that_cannot_be_reached() -> None:
    assert detection_words((), None)["lines"] == [("nothing is seen", False)]
    assert detection_words((), "no connection")["lines"] == [("no connection", True)]
