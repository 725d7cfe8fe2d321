"""What the page says in words beside the picture, as plain data: the page shows all of it as text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from motion.arms import Arm
from motion.poses import Array, to_rpy
from tamp.backends.xarm.detections import Detection
from tamp.backends.xarm.faults import error_meaning, warning_meaning
from tamp.backends.xarm.view.listening import Look
from tamp.backends.xarm.workcell import Workcell

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
MOST_SHOWN, LONGEST_LABEL = 50, 40
"""Detections in the picture and the list, and characters of a label."""

Line = tuple[str, bool]
"""A line of words, and whether it tells of something wrong."""


@dataclass(frozen=True, eq=False)
class Seen:
    """A detection as it is shown: position (3,) in the base frame, seconds since it was seen, and whether that is too
    long to act on it."""

    label: str
    confidence: float
    p_base: Array
    age: float
    old: bool

    @property
    def sure(self) -> str:
        """How sure the detector was, and how long ago."""
        return f"sure {self.confidence:.2f}, age {_age(self.age)}"

    def __str__(self) -> str:
        return f"{self.label} {self.sure}"


def shown(detections: Iterable[Detection], now: float, max_age: float) -> tuple[Seen, ...]:
    """Detections as they are shown at a time in seconds since the epoch, the newest first; at most `MOST_SHOWN`."""
    found = sorted(detections, key=lambda d: (-d.time, d.label, *d.p_base))
    return tuple(
        Seen(_short(d.label), d.confidence, d.p_base, now - d.time, abs(now - d.time) > max_age)
        for d in found[:MOST_SHOWN]
    )


def head_words(arm: Arm, host: str, look: Look) -> dict[str, Any]:
    """The head of the page: which arm, and in one word and one sentence how it is."""
    state, told = "reporting", "It reports."
    if look.report is None or look.old:
        state, told = "silent", "It does not report: the picture is old, if there is any."
    elif look.rich is not None and look.rich.error:
        state, told = "error", error_meaning(look.rich.error)
    return {
        "title": f"{arm.name} at {host}",
        "state": state,
        "verdict": told,
        "goal": [],
        "untouched": [],
        "notes": [text for text in (_other_arm(arm, look),) if text],
    }


def about(cell: Workcell) -> list[tuple[str, str]]:
    """What the world says of the arm, by name."""
    told = [("world", cell.name), ("arm", cell.arm.name), ("tool, mm", _at(cell.T_flange_tool[:3, 3]))]
    told.append(("table, mm", "not said" if cell.table is None else _number(1000 * cell.table, 0)))
    return [*told, ("detector", cell.detector.source or "none")]


def arm_words(arm: Arm, look: Look) -> list[Line]:
    """State, mode and error of an arm, and whether it still reports."""
    lines: list[Line] = []
    report, rich = look.report, look.rich
    if report is not None and not look.old:
        state = STATES.get(report.state, f"state {report.state}")
        lines.append((f"{state}, mode {report.mode} ({MODES.get(report.mode, 'unknown')})", False))
        lines += _errors(rich.error, rich.warning) if rich else [("errors are not known", False)]
    else:
        lines.append((f"no report for {look.age:.0f} s", True))
    if look.trouble:
        lines.append((look.trouble, False))
    return lines


def joint_words(q: Array, T_base_tool: Array) -> dict[str, list[tuple[str, str]]]:
    """Joints in degrees, and the tool point in millimetres and degrees, each by name."""
    numbers = [f"{_number(v, 1)} mm" for v in 1000 * T_base_tool[:3, 3]]
    numbers += [f"{_number(v, 1)}°" for v in np.degrees(to_rpy(T_base_tool[:3, :3]))]
    return {
        "joints": [(f"J{i + 1}", f"{_number(angle, 2)}°") for i, angle in enumerate(np.degrees(q))],
        "tool": list(zip(("x", "y", "z", "roll", "pitch", "yaw"), numbers, strict=True)),
    }


def detection_words(seen: Sequence[Seen], trouble: str | None, detector: bool = True) -> dict[str, Any]:
    """What is seen, a row each, and what is wrong with the detector, if there is one."""
    lines: list[Line] = [(trouble, detector)] if trouble else [] if seen else [("nothing is seen", False)]
    rows = [(s.label, f"{s.confidence:.2f}", _at(s.p_base), _age(s.age), "old" if s.old else "") for s in seen]
    return {"lines": lines, "rows": rows}


def _other_arm(arm: Arm, look: Look) -> str:
    if look.rich is None or look.rich.axes in (None, arm.joints):
        return ""
    return f"this arm has {look.rich.axes} joints, the world's {arm.joints}: the picture is wrong"


def _errors(error: int | None, warning: int | None) -> list[Line]:
    found = [(error_meaning(error), True)] if error else []
    found += [(warning_meaning(warning), False)] if warning else []
    return found or [("no error", False)]


def _age(seconds: float) -> str:
    """In words also where a clock is wrong."""
    if abs(seconds) >= 86400:
        return "days"
    return f"{seconds:.{1 if abs(seconds) < 100 else 0}f} s"


def _at(p_base: Array) -> str:
    return " ".join(_number(1000 * v, 0) for v in p_base)


def _number(value: float, digits: int) -> str:
    """Rounded, and never a negative zero."""
    return f"{round(float(value), digits) + 0.0:.{digits}f}"


def _short(label: str) -> str:
    label = " ".join(label.split())
    return label if len(label) <= LONGEST_LABEL else f"{label[: LONGEST_LABEL - 1]}…"
