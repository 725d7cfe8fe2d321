"""What the page says in words."""

from __future__ import annotations

import numpy as np

from motion.arms import ARMS
from motion.poses import from_rpy
from tamp.backends.xarm.detections import Detection
from tamp.backends.xarm.view.listening import Look
from tamp.backends.xarm.view.reports import ArmReport
from tamp.backends.xarm.view.words import MOST_SHOWN, arm_words, detection_words, joint_words, shown

XARM6 = ARMS["xarm6"]


def report(state: int = 2, mode: int = 0, error: int = 0, warning: int = 0, axes: int = 6) -> ArmReport:
    return ArmReport(state, mode, np.zeros(7), error, warning, axes)


def said(now: ArmReport | None, age: float = 0.1, rich: ArmReport | None = None, trouble: str | None = None) -> str:
    return arm_words(XARM6, "10.0.0.5", Look(now, age, rich, trouble))


def test_state_mode_and_error_are_told_in_words() -> None:
    words = said(report(1, 1), rich=report(error=31, warning=11))
    assert "10.0.0.5" in words and "moving, mode 1 (servo)" in words
    assert "C31, Collision" in words and "W11, Current controller cache is full" in words
    assert "no error" in said(report(), rich=report()) and "errors are not known" in said(report())


def test_numbers_that_nobody_knows_are_told_as_they_are() -> None:
    assert "state 8, mode 9 (unknown)" in said(report(8, 9))


def test_what_is_old_or_wrong_is_not_told_as_the_arms_state() -> None:
    old = said(report(1), age=4.2, trouble="no reports from 10.0.0.5:30002: timed out")
    assert "no report for 4 s" in old and "timed out" in old and "moving" not in old
    assert "this arm has 7 joints, the world's 6: the picture is wrong" in said(report(), rich=report(axes=7))


def test_numbers_are_in_degrees_and_millimetres_without_a_negative_zero() -> None:
    q = np.radians([-0.001, 12.344, 0, 0, 0, -90])
    words = joint_words(q, from_rpy([0.3, -1e-9, 0.25], [0, 0, 1]))
    for number in ("0.00°", "12.34°", "-90.00°", "300.0 mm", "57.3°"):
        assert f">{number}<" in words
    assert "-0.0" not in words


def test_detections_are_told_the_newest_first_with_their_age() -> None:
    seen = shown([Detection("bowl", 0.5, np.zeros(3), 96.0), Detection("cup", 0.914, np.ones(3), 99.5)], 100.0, 1.0)
    assert [(str(s), s.old) for s in seen] == [("cup 0.91 0.5 s", False), ("bowl 0.50 4.0 s", True)]
    words = detection_words(seen, None)
    assert "1000 1000 1000" in words and words.count("old") == 1


def test_a_clock_that_is_wrong_makes_it_old_and_fills_no_page() -> None:
    ahead, mad = (shown([Detection("cup", 1, np.zeros(3), time)], 100.0, 1.0)[0] for time in (103.0, 1e299))
    assert (ahead.old, str(ahead), mad.old, str(mad)) == (True, "cup 1.00 -3.0 s", True, "cup 1.00 days")


def test_a_label_is_never_markup_and_never_fills_the_page() -> None:
    things = [Detection("<img src=x\n\nonerror=alert(1)>" + "x" * 1000, 1, np.zeros(3), 1.0)] * 300
    words = detection_words(shown(things, 1.0, 1.0), "a <b> line")
    assert "<img" not in words and "a &lt;b&gt; line" in words
    assert words.count("&lt;img src=x onerror") == MOST_SHOWN and len(words) < 40_000


def test_a_detector_that_says_nothing_and_one_that_cannot_be_reached() -> None:
    assert "nothing is seen" in detection_words((), None)
    assert "nothing is seen" not in detection_words((), "no connection to tcp://127.0.0.1:5556: refused")
