"""The emulator's own detector: what it says, and that the side channel changes it."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from typing import Any

import pytest

from tamp.backends.xarm.detections import JsonLinesClient


def _soon(done: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 5
    while not done() and time.monotonic() < deadline:
        time.sleep(0.02)
    return done()


def _free() -> str:
    with socket.create_server(("127.0.0.1", 0)) as door:
        return f"tcp://127.0.0.1:{door.getsockname()[1]}"


def _seen(detector: JsonLinesClient) -> list[tuple[str, float, float]]:
    return sorted((d.label, d.confidence, round(1000 * float(d.p_base[0]), 6)) for d in detector.seen())


def test_it_says_what_is_there_and_goes_on_saying_so(running: Callable[..., Any]) -> None:
    cup, glass, source = "cup=400,0,60", "wine glass=-300.5,20,90", _free()
    with running("xarm6", "--thing", cup, "--thing", glass, "--detections", source) as emulator:
        assert emulator.shown["detections"] == source
        detector = JsonLinesClient(emulator.shown["detections"])
        assert _soon(lambda: _seen(detector) == [("cup", 1.0, 400.0), ("wine glass", 1.0, -300.5)])
        first = detector.seen()[0].time
        assert abs(time.time() - first) < 1
        assert _soon(lambda: detector.seen()[0].time > first + 0.3)
        assert emulator.ask(things=[{"label": "cup", "xyz_mm": [300, 0, 60], "confidence": 0.4}]) == {"things": 1}
        assert _soon(lambda: ("cup", 0.4, 300.0) in _seen(detector))
        emulator.ask(fault="freeze", seconds=0)  # a controller that hangs does not blind the camera
        then = max(d.time for d in detector.seen())
        assert _soon(lambda: max(d.time for d in detector.seen()) > then + 0.3)
        detector.close()


@pytest.mark.parametrize(
    ("things", "says"),
    [
        (3, "things: objects is 3; valid: a list"),
        ([{"label": "cup"}], "things: xyz_mm is missing; valid: [x, y, z] in millimetres"),
        ([{"label": "cup", "xyz_mm": [1, 2, 3], "z": 2}], "things: an object has an unknown key 'z'"),
    ],
)
def test_what_is_no_thing_is_said_to_be_none(things: Any, says: str, emulator: Any) -> None:
    assert says in emulator.ask(things=things)["error"]
