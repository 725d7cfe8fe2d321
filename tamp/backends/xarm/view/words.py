"""What the page says in words beside the picture, as HTML. What came from outside is escaped: a label is no markup."""

from __future__ import annotations

import html
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from motion.arms import Arm
from motion.poses import Array, to_rpy
from tamp.backends.xarm.detections import Detection
from tamp.backends.xarm.faults import error_meaning, warning_meaning
from tamp.backends.xarm.view.listening import Look

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

_TEXT = "font-size:12px;line-height:1.5;padding:0 0.8em"
_HEAD, _CELL = "color:#868e96", "white-space:nowrap;padding:0 0.3em;font-variant-numeric:tabular-nums"


@dataclass(frozen=True, eq=False)
class Seen:
    """A detection as it is shown: position (3,) in the base frame, seconds since it was seen, and whether that is too
    long to act on it."""

    label: str
    confidence: float
    p_base: Array
    age: float
    old: bool

    def __str__(self) -> str:
        return f"{self.label} {self.confidence:.2f} {_age(self.age)}"


def shown(detections: Iterable[Detection], now: float, max_age: float) -> tuple[Seen, ...]:
    """Detections as they are shown at a time in seconds since the epoch, the newest first; at most `MOST_SHOWN`."""
    found = sorted(detections, key=lambda d: (-d.time, d.label, *d.p_base))
    return tuple(
        Seen(_short(d.label), d.confidence, d.p_base, now - d.time, abs(now - d.time) > max_age)
        for d in found[:MOST_SHOWN]
    )


def arm_words(arm: Arm, host: str, look: Look) -> str:
    """Which arm, its state, mode and error, and whether it still reports."""
    lines = [f"<b>{html.escape(arm.name)}</b> at {html.escape(host)}"]
    report, rich = look.report, look.rich
    if report is not None and not look.old:
        state = STATES.get(report.state, f"state {report.state}")
        lines.append(f"{state}, mode {report.mode} ({MODES.get(report.mode, 'unknown')})")
        lines.append(_errors(rich.error, rich.warning) if rich else "errors are not known")
    else:
        lines.append(_red(f"no report for {look.age:.0f} s"))
    if rich is not None and rich.axes not in (None, arm.joints):
        lines.append(_red(f"this arm has {rich.axes} joints, the world's {arm.joints}: the picture is wrong"))
    if look.trouble:
        lines.append(html.escape(look.trouble))
    return _lines(lines)


def joint_words(q: Array, T_base_tool: Array) -> str:
    """Joints in degrees, and the tool point in millimetres and degrees."""
    joints = [(f"J{i + 1}", f"{_number(angle, 2)}°") for i, angle in enumerate(np.degrees(q))]
    numbers = [f"{_number(v, 1)} mm" for v in 1000 * T_base_tool[:3, 3]]
    numbers += [f"{_number(v, 1)}°" for v in np.degrees(to_rpy(T_base_tool[:3, :3]))]
    tool = list(zip(("x", "y", "z", "roll", "pitch", "yaw"), numbers, strict=True))
    rows = itertools.zip_longest(joints, tool, fillvalue=("", ""))
    return _table(("joint", "", "tool", ""), [(*joint, *of_tool) for joint, of_tool in rows])


def detection_words(seen: Sequence[Seen], trouble: str | None) -> str:
    """What is seen, and what is wrong with the detector."""
    lines = [_red(html.escape(trouble))] if trouble else []
    rows = [
        (html.escape(s.label), f"{s.confidence:.2f}", _at(s.p_base), _age(s.age), "old" if s.old else "") for s in seen
    ]
    if rows:
        return _lines(lines) + _table(("label", "sure", "x y z, mm", "age", ""), rows)
    return _lines(lines or ["nothing is seen"])


def _errors(error: int | None, warning: int | None) -> str:
    found = [_red(html.escape(error_meaning(error)))] if error else []
    found += [html.escape(warning_meaning(warning))] if warning else []
    return "<br>".join(found) or "no error"


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


def _red(text: str) -> str:
    return f'<span style="color:#c92a2a">{text}</span>'


def _lines(lines: Iterable[str]) -> str:
    return f'<div style="{_TEXT}">' + "".join(f"<div>{line}</div>" for line in lines) + "</div>"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    cells = [f'<tr style="{_HEAD}">{_row(head)}</tr>', *(f"<tr>{_row(row)}</tr>" for row in rows)]
    return f'<table style="{_TEXT};width:100%;border-spacing:0">{"".join(cells)}</table>'


def _row(cells: Sequence[str]) -> str:
    sides = itertools.chain(("left",), itertools.repeat("right"))
    return "".join(f'<td style="text-align:{s};{_CELL}">{cell}</td>' for s, cell in zip(sides, cells, strict=False))
