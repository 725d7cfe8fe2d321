"""Detections from lines of JSON: in a file that grows, over TCP, and in lines that are wrong."""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from motion.poses import from_rpy, inverse
from tamp.backends.xarm.detections import (
    Detector,
    JsonLinesClient,
    JsonLinesFile,
    Latest,
    read_line,
)
from tests.json_lines_server import JsonLinesServer

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("real_time")]


def cup(x: float = 400, label: str = "cup") -> dict[str, Any]:
    return {"label": label, "confidence": 0.9, "xyz_mm": [x, 0, 30]}


def frame(*objects: dict[str, Any], **also: Any) -> dict[str, Any]:
    return {"time": 1e9, "objects": list(objects), **also}


def line(*objects: dict[str, Any], **also: Any) -> bytes:
    return json.dumps(frame(*objects, **also)).encode()


def xs(detector: Detector | Latest) -> list[tuple[str, float]]:
    """Labels and x in millimetres of all that is seen."""
    return sorted((d.label, round(1000 * float(d.p_base[0]), 6)) for d in detector.seen())


def soon(done: Callable[[], bool], seconds: float = 5.0) -> bool:
    deadline = time.monotonic() + seconds
    while not done() and time.monotonic() < deadline:
        time.sleep(0.02)
    return done()


@given(*[st.tuples(*[st.floats(-2, 2)] * 3)] * 3)
def test_what_a_camera_sees_is_told_in_the_base_frame(p: Any, at: Any, rpy: Any) -> None:
    T_base_camera = from_rpy(list(at), list(rpy))
    p_camera = inverse(T_base_camera) @ [*p, 1]
    said = {"label": "cup", "confidence": 1, "xyz_mm": [1000 * v for v in p_camera[:3]]}
    _, (seen,) = read_line(line(said, camera="eye"), {"eye": T_base_camera})
    assert np.allclose(seen.p_base, p, atol=1e-9)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"\xff", "not JSON: 'utf-8'"),
        (b"{", "not JSON: "),
        (b"[" * 100_000, "not JSON: "),
        (line(cup()).replace(b"400", b"NaN"), "not JSON: NaN is no number"),
        (line(cup()).replace(b"400", b"1" * 400), "xyz_mm is [111"),
        (line(time="now"), "time is 'now'"),
        (line(objects=3), "objects is 3; valid: a list"),
        (line(cam="eye"), "the line has an unknown key 'cam'; valid: time, objects, camera"),
        (line(camera="ear"), "there is no camera 'ear'; valid: eye"),
        (line(*[cup()] * 1001), "1001 objects; valid: at most 1000"),
        (line(cup(), {}), "label is missing; valid: a name"),
        (line(cup() | {"confidence": 90}), "confidence is 90; valid: 0 to 1"),
        (line(cup() | {"xyz_mm": [1, 2]}), "xyz_mm is [1, 2]; valid: [x, y, z] in millimetres"),
        (line(cup() | {"xyz": [1, 2, 3]}), "an object has an unknown key 'xyz'; valid: label, confidence, xyz_mm"),
    ],
)
def test_a_wrong_line_is_counted_and_told_and_changes_nothing(text: bytes, says: str) -> None:
    shown: list[str] = []
    latest = Latest({"eye": np.eye(4)}, shown.append)
    latest.add(line(cup()))
    latest.add(text)
    latest.add(line(cup(300, "mug")))
    assert latest.wrong_lines == 1 and shown == [f"a line of the detector is wrong: {latest.last_wrong}"]
    assert says in shown[0]
    assert xs(latest) == [("cup", 400), ("mug", 300)]


# --- files


def append(path: Path, text: bytes) -> None:
    with path.open("ab") as file:
        file.write(text)


def test_a_file_is_followed_as_it_grows_by_half_lines(tmp_path: Path) -> None:
    path = tmp_path / "seen.jsonl"
    file = JsonLinesFile(path)
    assert file.seen() == () and "No such file" in str(file.trouble())
    whole = line(cup(1)) + b"\n"
    append(path, whole[:20])
    assert file.seen() == () and file.trouble() is None
    append(path, whole[20:])
    assert xs(file) == [("cup", 1)]
    append(path, b"garbage\n" + line(cup(2)) + b"\n" + line(cup(3))[:-2])
    assert xs(file) == [("cup", 2)]
    assert file.wrong_lines == 1 and "1 wrong lines, the last: not JSON" in str(file.trouble())
    file.close()


def test_a_file_that_is_cut_short_replaced_or_gone_is_read_on(tmp_path: Path) -> None:
    path = tmp_path / "seen.jsonl"
    path.write_bytes(line(cup(1)) + b"\n" + line(cup(2)) + b"\n" + line(cup(9))[:30])
    file = JsonLinesFile(path)
    assert xs(file) == [("cup", 2)]
    os.truncate(path, 0)
    assert xs(file) == [("cup", 2)]
    append(path, line(cup(3)) + b"\n")
    assert xs(file) == [("cup", 3)]
    (tmp_path / "new").write_bytes(line(cup(4), cup(5)) + b"\n" + line(cup(6, "mug")) + b"\n")
    (tmp_path / "new").rename(path)
    assert xs(file) == [("cup", 4), ("cup", 5), ("mug", 6)]
    path.unlink()
    assert len(file.seen()) == 3 and "No such file" in str(file.trouble())
    path.write_bytes(line(cup(7)) + b"\n")
    assert ("cup", 7) in xs(file) and file.wrong_lines == 0
    file.close()


# --- TCP


@pytest.fixture
def time_outs() -> Iterator[None]:
    """The arm's SDK sets one for all sockets of the process."""
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(1.0)
    yield
    socket.setdefaulttimeout(before)


@pytest.fixture
def server(time_outs: None) -> Iterator[JsonLinesServer]:
    server = JsonLinesServer()
    yield server
    server.close()


def test_a_client_hears_what_a_detector_publishes(server: JsonLinesServer) -> None:
    client = JsonLinesClient(server.address)
    assert soon(lambda: server.publish(frame(cup(1))) == 1)
    assert soon(lambda: xs(client) == [("cup", 1)]) and client.trouble() is None
    time.sleep(1.3)  # longer than the SDK's time-out: silence is no fault
    server.publish(frame(cup(2)))
    assert soon(lambda: xs(client) == [("cup", 2)])
    client.close()
    assert soon(lambda: server.publish(frame(cup(3))) == 0)


def test_a_detector_that_begins_late_or_again_is_heard() -> None:
    first = JsonLinesServer()
    port = int(first.address.rpartition(":")[2])
    first.close()
    client = JsonLinesClient(first.address)
    assert soon(lambda: "no connection to tcp://127.0.0.1:" in str(client.trouble()))
    for x in (1, 2):
        server = JsonLinesServer(port=port)
        assert soon(lambda server=server, x=x: server.publish(frame(cup(x))) == 1)  # type: ignore[misc]
        assert soon(lambda x=x: xs(client) == [("cup", x)])  # type: ignore[misc]
        server.close()
    assert soon(lambda: client.trouble() is not None)
    client.close()
