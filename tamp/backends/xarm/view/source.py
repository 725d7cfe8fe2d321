"""From an arm's reports and what its detector sees to what there is to show on the page of a run."""

from __future__ import annotations

import json
import threading
import time
from dataclasses import replace
from typing import Any

import numpy as np

from tamp.backends.xarm.detections import Detector
from tamp.backends.xarm.view.listening import ArmReports
from tamp.backends.xarm.view.scene import extent_of, robot_of, things_of, tool_pose, with_seen
from tamp.backends.xarm.view.words import Seen, about, arm_words, detection_words, head_words, joint_words, shown
from tamp.backends.xarm.workcell import Workcell
from tamp.view.board import Board
from tamp.view.sections import Sections, sections
from tamp.view.state import View

PERIOD, EVERY = 0.05, 4
"""Seconds between two pictures, and pictures from one time that words and detections are new to the next."""
JUMP = 0.1
"""Metres between two points of the tool beyond which nobody saw what was between: its path begins anew."""
SPACE = ("things", "solids", "frames")
"""The parts of the page of a run that an arm has, too."""


class ArmSource:
    """Keeps a board up to date with an arm. One thread calls `run`."""

    def __init__(self, cell: Workcell, host: str, reports: ArmReports, detector: Detector | None) -> None:
        self.board = Board()
        self._cell, self._host, self._reports, self._detector = cell, host, reports, detector
        self._still = things_of(cell)
        self._view = View(robots=robot_of(cell), things=self._still)
        self._made: Sections | None = None
        self._words: dict[str, Any] = {
            "name": f"{cell.arm.name} at {host}",
            "extent": {"points": extent_of(cell), "floor": cell.table},
        }
        self._looks = 0

    def run(self, ended: threading.Event) -> None:
        """Show the arm until that is set."""
        while not ended.is_set():
            self.look()
            ended.wait(PERIOD)
        self.board.end()

    def look(self) -> None:
        """Show what is known now."""
        look = self._reports.look()
        if look.report is not None:
            self._move(look.report.q[: self._cell.arm.joints])
        if self._looks % EVERY == 0:
            self._words["head"] = {**head_words(self._cell.arm, self._host, look), "about": about(self._cell)}
            self._words["arm"] = arm_words(self._cell.arm, look)
            self._see()
        self._looks += 1
        self._made = sections(self._view, "goes on", before=self._made, only=SPACE)
        words = {name: json.dumps(told, separators=(",", ":")) for name, told in self._words.items()}
        self.board.tell({**words, **self._made.parts})

    def _move(self, q: Any) -> None:
        before = self._view.felt.get("")
        if before is not None and not np.any(q != before[0]):
            return
        T_base_tool = tool_pose(self._cell.arm, self._cell.T_flange_tool, q)
        x, y, z = (round(float(v), 4) for v in T_base_tool[:3, 3])
        last = self._view.tools.get("")
        if last is not None and np.linalg.norm(np.subtract((x, y, z), last)) > JUMP:
            self.board.begin()
        self.board.went("", (x, y, z))
        self._view = replace(self._view, felt={"": (q, 0.0)}, tools={"": (x, y, z)})
        self._words["joints"] = joint_words(q, T_base_tool)

    def _see(self) -> None:
        seen: tuple[Seen, ...] = ()
        trouble: str | None = "the world names no detector"
        if self._detector is not None:
            seen = shown(self._detector.seen(), time.time(), self._cell.detector.max_age)
            trouble = self._detector.trouble()
            self._view = replace(self._view, things=with_seen(self._still, seen))
        self._words["seen"] = detection_words(seen, trouble, self._detector is not None)
