"""An arm's reports, and what its detector sees, as events like those of a run's log: its page is that of a run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from motion.poses import Array, to_quat, to_rpy
from tamp.backends.xarm.arm_stop import error_meaning, warning_meaning
from tamp.backends.xarm.detections import Detection, Detector
from tamp.backends.xarm.report_stream import ArmStatus
from tamp.backends.xarm.workcell import Workcell
from tamp.view.episode_page import RunStatus
from tamp.view.live_page import EventSource
from tamp.view.story import Story

EVERY = 0.05
"""Seconds between two pictures, at least."""
SEEN_EVERY = 0.2
"""Seconds between two looks at what the detector sees."""
SEEN_HALF = 0.015
"""Metres from the middle of what was seen to the sides of its box: a detector says no size."""
MOST_SHOWN, LONGEST_LABEL = 50, 40
"""Detections that are shown, and characters of a label."""
STATES = {1: "moving", 2: "ready", 3: "paused", 4: "stopped", 5: "mode or settings changed", 6: "slowing down"}
MODES = {
    0: "position",
    1: "servo",
    2: "teaching",
    4: "joint velocity",
    5: "tool velocity",
    6: "joints, newest target",
    7: "tool, newest target",
}
Line = tuple[str, bool]
"""A line of words, and whether it reports something wrong."""


@dataclass(eq=False)
class ArmSource(EventSource):
    """The reports of the arm at `host`, in its world: `look` gives the newest. It only listens."""

    cell: Workcell
    host: str
    look: Callable[[], ArmStatus]
    detector: Detector | None = None
    log: Path | None = None
    _begun: float = field(default_factory=time.monotonic)
    _moved: float = 0.0
    _seen: float = 0.0
    _q: Array | None = None
    _scene: dict[str, Any] = field(default_factory=dict)

    def more(self) -> list[dict[str, Any]]:
        """The events that came since: the world first, then where the arm is and what is seen, when that changes."""
        now, found = time.monotonic(), list[dict[str, Any]]()
        if not self._scene:
            tool = self.cell.T_flange_tool
            at = [float(v) for v in (*tool[:3, 3], *to_quat(tool[:3, :3]))]
            found.append({"event": "world", "arm": self.cell.arm.name, "world": self.cell.name, "tool": at})
        if now - self._seen >= SEEN_EVERY:
            self._seen = now
            scene = scene_of(self.cell, () if self.detector is None else self.detector.seen(), time.time())
            if scene != self._scene:
                self._scene = scene
                found.append(scene)
        report = self.look().report
        if report is not None and now - self._moved >= EVERY:
            q = report.q[: self.cell.arm.joints]
            if self._q is None or np.any(q != self._q):
                self._q, self._moved = q, now
                found.append({"event": "at", "q": [float(v) for v in q]})
        return [{"t": now - self._begun, **e} for e in found]

    def status(self, story: Story) -> RunStatus:
        """How the arm is, in one word and one sentence."""
        return status_of(self.cell, self.look())

    def extra(self, story: Story, status: RunStatus) -> dict[str, Any]:
        """What the page shows of an arm in place of a run's goal and actions."""
        q = np.zeros(0) if self._q is None else self._q
        lines = lines_of(self.look())
        if self.detector is None:
            lines.append(("the world names no detector", False))
        elif (trouble := self.detector.trouble()) is not None:
            lines.append((trouble, True))
        arm = {"lines": lines, "values": values_of(self.cell, q) if len(q) else []}
        title = f"{self.cell.arm.name} at {self.host}"
        named = {"title": title, "name": self.host, "about": about(self.cell)}
        return {**named, "arm": arm, "orders_taken": False, "no_orders": "", "report": ""}


def scene_of(cell: Workcell, detections: Iterable[Detection], now: float) -> dict[str, Any]:
    """A `scene` event with the workspace, the boxes that are kept out of, named poses, cameras and what is seen at a
    time in seconds since the epoch, the newest first."""
    space = (cell.workspace.low, cell.workspace.high)
    shown: list[tuple[str, str, Array, tuple[Array, Array] | None, str]]
    shown = [("workspace", "workspace", (space[0] + space[1]) / 2, space, "")]
    shown += [(b.name, "keep out", (b.low + b.high) / 2, (b.low, b.high), "") for b in cell.keep_out]
    shown += [(pose.name, "pose", pose.T_base_tool[:3, 3], None, "") for pose in cell.poses.values()]
    shown += [(name, "camera", T[:3, 3], None, "") for name, T in cell.cameras.items()]
    for d in sorted(detections, key=lambda d: (-d.time, d.label, *d.p_base))[:MOST_SHOWN]:
        age, label = now - d.time, " ".join(d.label.split())
        note = f"sure {d.confidence:.2f}, age {f'{age:.0f} s' if abs(age) < 86400 else 'days'}"
        kind = "seen, old" if abs(age) > cell.detector.max_age else "seen"
        label = label if len(label) <= LONGEST_LABEL else f"{label[: LONGEST_LABEL - 1]}…"
        shown.append((label, kind, d.p_base, (d.p_base - SEEN_HALF, d.p_base + SEEN_HALF), note))
    scene: dict[str, Any] = {"event": "scene", "whole": True, "objects": {}, "poses": {}, "boxes": {}, "notes": {}}
    for name, kind, at, box, note in shown:
        free, number = name, 1
        while free in scene["poses"]:  # a world and its detector may use a name for several things
            number += 1
            free = f"{name} {number}"
        scene["objects"][free], scene["notes"][free] = kind, note
        scene["poses"][free] = [*(float(v) for v in at), 1.0, 0.0, 0.0, 0.0]
        if box is not None:
            scene["boxes"][free] = [[float(v) for v in corner] for corner in box]
    return scene


def status_of(cell: Workcell, look: ArmStatus) -> RunStatus:
    """How an arm is, in one word and one sentence."""
    rich, notes = look.rich, tuple[str, ...]()
    if rich is not None and rich.axes not in (None, cell.arm.joints):
        notes = (f"this arm has {rich.axes} joints, the world's {cell.arm.joints}: the picture is wrong",)
    if look.report is None or look.old:
        return RunStatus("silent", "It does not report: the picture is old, if there is any.", notes, on=True)
    if rich is not None and rich.error:
        return RunStatus("error", error_meaning(rich.error), notes, on=True)
    return RunStatus("reporting", "It reports.", notes, on=True)


def lines_of(look: ArmStatus) -> list[Line]:
    """State, mode and error of an arm, and whether it still reports."""
    lines: list[Line] = []
    report, rich = look.report, look.rich
    if report is None or look.old:
        lines.append((f"no report for {look.age:.0f} s", True))
    else:
        state = STATES.get(report.state, f"state {report.state}")
        lines.append((f"{state}, mode {report.mode} ({MODES.get(report.mode, 'unknown')})", False))
        if rich is None:
            lines.append(("errors are not known", False))
        else:
            lines += [(error_meaning(rich.error), True)] if rich.error else []
            lines += [(warning_meaning(rich.warning), False)] if rich.warning else []
            lines += [] if rich.error or rich.warning else [("no error", False)]
    return lines + ([(look.trouble, False)] if look.trouble else [])


def values_of(cell: Workcell, q: Array) -> list[tuple[str, str]]:
    """Joints in degrees, and the tool point in millimetres and degrees in the frame of the base, each by name."""
    T_base_tool = cell.arm.forward(q) @ cell.T_flange_tool
    degrees = [f"{_number(v, 2)}°" for v in np.degrees(q)]
    numbers = [f"{_number(v, 1)} mm" for v in 1000 * T_base_tool[:3, 3]]
    numbers += [f"{_number(v, 1)}°" for v in np.degrees(to_rpy(T_base_tool[:3, :3]))]
    named = zip(("tool x", "tool y", "tool z", "roll", "pitch", "yaw"), numbers, strict=True)
    return [*((f"J{n}", angle) for n, angle in enumerate(degrees, 1)), *named]


def about(cell: Workcell) -> list[tuple[str, str]]:
    """What the world says of the arm, by name."""
    tool = " ".join(_number(1000 * v, 0) for v in cell.T_flange_tool[:3, 3])
    table = "not said" if cell.table is None else _number(1000 * cell.table, 0)
    named = [("world", cell.name), ("arm", cell.arm.name), ("tool, mm", tool), ("table, mm", table)]
    return [*named, ("detector", cell.detector.source or "none")]


def _number(value: float, digits: int) -> str:
    """Rounded, and never a negative zero."""
    return f"{round(float(value), digits) + 0.0:.{digits}f}"
