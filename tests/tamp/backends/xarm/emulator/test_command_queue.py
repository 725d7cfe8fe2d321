"""The queue of position control: blending, pausing, stopping."""

from __future__ import annotations

import numpy as np
import pytest

from motion.arms import ARMS
from motion.poses import Array
from tamp.backends.xarm.emulator.command_queue import DISCARDED, SUCCESS, CommandQueue, Queued
from tamp.backends.xarm.emulator.protocol import FINISHED, ProtocolRequest
from tamp.backends.xarm.emulator.queued_commands import ArcMove, Command, JointMove, LineMove, QueuedSleep
from tamp.backends.xarm.emulator.tool_body import MotionError, ToolBody

ARM = ARMS["xarm6"]
START = np.array([0.0, -0.4, -0.9, 0.0, 1.3, 0.0])
STEP = 0.002


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


def _line(x: float, y: float, z: float, radius: float = 0.0, speed: float = 0.2) -> LineMove:
    return LineMove((x, y, z, 0, 0, 0), speed, 1.0, radius, frame="relative")


def _tool(q: Array) -> Array:
    return np.array([ARM.forward(row)[:3, 3] for row in q])


def test_lines_blend_without_a_jump_in_velocity_and_end_exactly() -> None:
    moves = [_line(0, 100, 0, 0.03), _line(60, 0, 0, 0.03), _line(0, 0, 60)]
    way = _tool(_played(_queue(*moves)))
    corner = way[0] + [0.0, 0.1, 0.0]
    assert way[-1] - way[0] == pytest.approx([0.06, 0.1, 0.06], abs=1e-6)
    v = np.diff(way, axis=0) / STEP
    speed, change = np.linalg.norm(v, axis=1), np.linalg.norm(np.diff(v, axis=0), axis=1)
    assert speed.max() <= 0.2 * 1.01
    assert change.max() <= np.sqrt(2) * 1.0 * STEP * 1.05, "acceleration of two moves at most"
    off = float(np.linalg.norm(way - corner, axis=1).min())
    assert 0.0005 < off <= 0.03, "round the corner, within the radius"
    near = np.linalg.norm(way[:-1] - corner, axis=1) < 0.02
    assert speed[near].min() > 0.05, "it does not stop there"


def test_without_a_radius_it_stops_at_the_corner() -> None:
    way = _tool(_played(_queue(_line(0, 100, 0), _line(60, 0, 0))))
    corner = way[0] + [0.0, 0.1, 0.0]
    nearest = int(np.linalg.norm(way - corner, axis=1).argmin())
    assert np.linalg.norm(way[nearest] - corner) < 1e-4
    assert np.linalg.norm(way[nearest + 1] - way[nearest]) / STEP < 0.01


def test_joints_blend_too() -> None:
    first = JointMove((0.5, *START[1:], 0.0), 1.0, 5.0, radius=60)
    second = JointMove((0.5, START[1] + 0.3, *START[2:], 0.0), 1.0, 5.0)
    q = _played(_queue(first, second))
    assert q[-1] == pytest.approx([0.5, START[1] + 0.3, *START[2:]], abs=1e-12)
    v = np.diff(q, axis=0) / STEP
    assert np.abs(np.diff(v, axis=0)).max() <= 5.0 * STEP * 1.01
    assert np.abs(v).sum(axis=1)[100:-100].min() > 0.9
    stops = _played(_queue(JointMove(first.joints, 1.0, 5.0), second))
    assert len(stops) > len(q)


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


def test_a_stop_drops_everything_and_comes_to_rest_in_time() -> None:
    queue = _queue(_line(0, 100, 0), _line(60, 0, 0))
    for _ in range(150):
        queue.advance(STEP)
    queue.stop(0.05)
    ended = {e.queued.number: e.code for e in queue.events() if e.kind == FINISHED}
    assert ended == {1: DISCARDED, 2: DISCARDED}
    for _ in range(26):
        queue.advance(STEP)
    assert not queue.moving
    held = queue.q
    queue.resume()
    queue.advance(1.0)
    assert (queue.q == held).all(), "nothing of it goes on"
    assert queue.events() == [] and 0 < queue.shares[1] < 1


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
