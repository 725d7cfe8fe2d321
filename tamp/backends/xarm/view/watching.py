"""Keeps a page up to date: where the arm is, what is seen, and what there is to say of both."""

from __future__ import annotations

import threading
import time

import numpy as np

from motion.poses import Array
from tamp.backends.xarm.detections import Detector, Troubled
from tamp.backends.xarm.view.listening import ArmReports
from tamp.backends.xarm.view.page import Page
from tamp.backends.xarm.view.scene import tool_pose
from tamp.backends.xarm.view.words import arm_words, detection_words, joint_words, shown
from tamp.backends.xarm.workcell import Workcell

PERIOD, EVERY = 0.05, 4
"""Seconds between two pictures, and pictures from one time that words and detections are new to the next."""


def watch(
    page: Page,
    cell: Workcell,
    host: str,
    reports: ArmReports,
    detector: Detector | None,
    ended: threading.Event,
    seconds: float | None = None,
) -> None:
    """Show the arm at `host` until `ended` is set, or for some seconds."""
    until = None if seconds is None else time.monotonic() + seconds
    drawn: Array | None = None
    count = 0
    while not ended.is_set() and (until is None or time.monotonic() < until):
        look = reports.look()
        if look.report is not None:
            q = look.report.q[: cell.arm.joints]
            if drawn is None or np.any(q != drawn):
                page.show_arm(q)
                drawn = q
        if count % EVERY == 0:
            page.say("Arm", arm_words(cell.arm, host, look))
            if drawn is not None:
                page.say("Joints and tool point", joint_words(drawn, tool_pose(cell.arm, cell.T_flange_tool, drawn)))
            _tell_seen(page, cell, detector)
        count += 1
        ended.wait(PERIOD)


def _tell_seen(page: Page, cell: Workcell, detector: Detector | None) -> None:
    if detector is None:
        page.say("Detections", "the world names no detector")
        return
    seen = shown(detector.seen(), time.time(), cell.detector.max_age)
    page.show_things(seen)
    page.say("Detections", detection_words(seen, detector.trouble() if isinstance(detector, Troubled) else None))
