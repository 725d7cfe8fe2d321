"""The queue of position control: the ways it goes, pausing, stopping; profiles of speed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from motion.arms import ARMS
from motion.poses import Array
from tamp.backends.xarm.emulator.movers import SUCCESS, CommandQueue, Queued
from tamp.backends.xarm.emulator.protocol import FINISHED, ProtocolRequest
from tamp.backends.xarm.emulator.queued_commands import ArcMove, Command, JointMove, LineMove, QueuedSleep, timed
from tamp.backends.xarm.emulator.tool_body import MotionError, ToolBody

ARM = ARMS["xarm6"]
START = np.array([0.0, -0.4, -0.9, 0.0, 1.3, 0.0])
STEP = 0.002
POSITIVE = st.floats(1e-3, 1e3)


def _queue(*commands: Command) -> CommandQueue:
    queue = CommandQueue(ToolBody(ARM), START, {})
    for number, command in enumerate(commands, 1):
        queue.submit(Queued(number, command, ProtocolRequest(number, 3, 0), number))
    return queue


def _played(queue: CommandQueue, seconds: float = 30.0) -> Array:
    """Configurations (k, n) every STEP until it is idle."""
    found = [queue.q]
    while queue.moving:
        queue.advance(STEP)
        found.append(queue.q)
        assert len(found) < seconds / STEP, "never idle"
    return np.array(found)


def _line(x: float, y: float, z: float) -> LineMove:
    return LineMove((x, y, z, 0, 0, 0), 0.2, 1.0, frame="relative")


def _tool(q: Array) -> Array:
    return np.array([ARM.forward(row)[:3, 3] for row in q])


@given(POSITIVE, POSITIVE)
def test_a_motion_keeps_speed_and_acceleration(speed: float, acceleration: float) -> None:
    motion = timed(lambda s: START, True, speed, acceleration)
    t = np.linspace(0, motion.duration, 401)
    s, step = np.array([motion.share(v) for v in t]), motion.duration / 400
    v = np.diff(s) / step
    assert s[0] == 0.0 and motion.share(motion.duration) == 1.0
    assert (v >= -1e-9 * speed).all() and v.max() <= speed * (1 + 1e-6)
    assert np.abs(np.diff(v) / step).max() <= acceleration * (1 + 1e-6) + 1e-9 * speed / step
    assert motion.duration >= max(1.0 / speed, 2 * math.sqrt(1.0 / acceleration)) * (1 - 1e-9)


def test_a_pause_holds_on_the_path_and_does_not_change_it() -> None:
    whole = _tool(_played(_queue(_line(0, 100, 0))))
    queue = _queue(_line(0, 100, 0))
    for _ in range(150):
        queue.advance(STEP)
    queue.pause()
    for _ in range(100):
        queue.advance(STEP)
    held = queue.q
    for _ in range(100):
        queue.advance(STEP)
    assert (queue.q == held).all()
    queue.resume()
    way = _tool(_played(queue))
    assert way[-1] == pytest.approx(whole[-1], abs=1e-9)
    distance = np.abs(np.cross(way - whole[0], [0, 1, 0])).max()
    assert distance < 1e-6, "on the line all the time"


def test_commands_follow_each_other_without_a_gap() -> None:
    queue = _queue(
        JointMove((0.1, *START[1:], 0), 1.0, 10.0), QueuedSleep(0.3), JointMove((0.0, *START[1:], 0), 1.0, 10.0)
    )
    expected = 2 * (0.1 / 1.0 + 1.0 / 10.0) + 0.3
    assert (len(_played(queue)) - 1) * STEP == pytest.approx(expected, abs=3 * STEP)
    assert [e.code for e in queue.events() if e.kind == FINISHED] == [SUCCESS] * 3


def test_an_arc_keeps_its_distance_from_the_centre() -> None:
    body = ToolBody(ARM)
    T = body.tool(START)
    x, y, z = T[:3, 3] * 1000
    arc = ArcMove((x + 40, y + 40, z, 0, 0, 0), (x + 80, y, z, 0, 0, 0), 0.2, 1.0, 1.0)
    way = _tool(_played(_queue(arc)))
    assert np.linalg.norm(way - (T[:3, 3] + [0.04, 0, 0]), axis=1) == pytest.approx(0.04, abs=1e-6)
    assert way[-1] == pytest.approx(way[0], abs=1e-6), "once round"


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (LineMove((1500.0, 0, 200, np.pi, 0, 0), 0.2, 1.0), 21),
        (JointMove((0, 0, 1.0, 0, 0, 0, 0), 1.0, 1.0), 23),
        (ArcMove((10, 0, 0, 0, 0, 0), (10, 0, 0, 0, 0, 0), 0.2, 1.0, 0.5), 32),
    ],
)
def test_what_cannot_be_done_raises_the_controllers_code_and_moves_nothing(command: Command, code: int) -> None:
    queue = _queue(command)
    with pytest.raises(MotionError) as raised:
        queue.advance(STEP)
    assert raised.value.code == code
    assert (queue.q == START).all()
