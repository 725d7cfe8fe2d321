"""The policy behind a websocket: what stock clients of policy servers do, and what they do wrong."""

from __future__ import annotations

import pickle
import socket
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

import msgpack
import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from motion.poses import pose
from tamp.errors import InputError
from tamp.perception.camera_calibration import calibration_from
from tamp.runs.policy.policy import Policy
from tamp.runs.policy.remote import Answering, RemotePolicy
from tamp.runs.policy.server import EXPECTED, connected, serve
from tamp.wire import pack, unpack
from tests.policies import Fake, calibration


@contextmanager
def served(answering: Answering) -> Iterator[str]:
    ports: list[int] = []
    listening, ended = threading.Event(), threading.Event()

    def ready(port: int) -> None:
        ports.append(port)
        listening.set()

    thread = threading.Thread(
        target=serve, args=(answering, {"policy": "fake"}, "127.0.0.1", 0, ready, ended.is_set), daemon=True
    )
    thread.start()
    assert listening.wait(5)
    try:
        yield f"ws://127.0.0.1:{ports[0]}"
    finally:
        ended.set()
        thread.join(timeout=5)
    assert not thread.is_alive()


@pytest.fixture
def address() -> Iterator[str]:
    """Where a fake policy is served."""
    fake = Fake()
    with served(Answering(cast(Policy, fake), fake.diary)) as there:
        yield there


def test_a_client_gets_what_is_served_and_actions(address: str) -> None:
    with connect(address) as client:
        assert unpack(client.recv()) == {"policy": "fake"}
        client.send(pack({"reset": {"instruction": "go", "calibration": calibration().as_dict()}}))
        assert unpack(client.recv()) == {"reset": True}
        client.send(pack({"robot0_joint_pos": np.zeros(7), "prompt": "go"}))
        answer = unpack(client.recv())
        assert answer["actions"].shape == (1, 7) and answer["outcome"] is None and "diary" not in answer


def test_from_python_it_is_a_policy_like_any_other(address: str) -> None:
    with connected(address) as (channel, metadata):
        assert metadata == {"policy": "fake"}
        policy = RemotePolicy(channel)
        policy.reset("go", calibration(), more=lambda: {"agentview_image": np.zeros((2, 2, 3), np.uint8)})
        assert policy.act({"do": "look"})[0] == 1.0
        with pytest.raises(InputError, match="nothing to see here"):
            policy.act({"do": "object"})
    with connected(address) as (channel, _):
        RemotePolicy(channel).reset("again", calibration())


WRONG: dict[str, tuple[Any, str]] = {
    "observation": (pack({"do": "object"}), "nothing to see here"),
    "fault": (pack({"do": "break"}), "Traceback"),
    "text": ("hello", "text came where a msgpack message should"),
    "no map": (b"\x93\x01\x02\x03", "a message is a map"),
    "rubbish": (b"\xc1", "no msgpack message"),
    "unknown": (pack({"reset": {"prompt": "go"}}), "reset has no 'prompt'; valid: calibration, given, instruction"),
    "no calibration": (pack({"reset": {"instruction": "go"}}), "no calibration: 'robot' is missing"),
    "seed": (pack({"reset": {"instruction": "go", "seed": "x"}}), "seed is 'x'; valid: a whole number from 0 on"),
    "many": (
        b"\x82\xa1x\xdc\xff\xff" + 65535 * b"\x80" + b"\xa1y\xdc\xff\xff" + 65535 * b"\x80",
        "more than 100,000 entries",
    ),
    "deep": (b"\x81\xa1x" + 5000 * b"\x91" + b"\xc0", "no msgpack message"),
}


def cameras_changed(**changed: Any) -> dict[str, Any]:
    shown = calibration().as_dict()
    shown["cameras"][1].update(changed)
    return shown


def robot_changed(part: str | None, **changed: Any) -> dict[str, Any]:
    shown = calibration().as_dict()
    (shown["robot"][part] if part else shown["robot"]).update(changed)
    return shown


CALIBRATIONS: dict[str, tuple[Any, str]] = {
    "none": ({**calibration().as_dict(), "cameras": []}, "calibration.cameras is empty"),
    "one name": (cameras_changed(name="agentview"), "calibration.cameras: two of one name"),
    "nan": (cameras_changed(T=np.full((4, 4), np.nan)), "calibration.cameras[1].T is"),
    "scaled": (cameras_changed(T=np.diag([2.0, 2.0, 2.0, 1.0])), "calibration.cameras[1].T is no rigid pose"),
    "mirrored": (cameras_changed(T=np.diag([1.0, 1.0, -1.0, 1.0])), "calibration.cameras[1].T is no rigid pose"),
    "millimetres": (cameras_changed(T=pose([50.0, 0.0, 0.0])), "calibration.cameras[1].T is 50 m from the tool"),
    "shape": (cameras_changed(T=np.eye(3)), "calibration.cameras[1].T has the shape (3, 3); valid: (4, 4)"),
    "no view": (cameras_changed(vertical_view=0.0), "calibration.cameras[1].vertical_view is 0"),
    "negative": (cameras_changed(vertical_view=-0.8), "calibration.cameras[1].vertical_view is -0.8"),
    "degrees": (cameras_changed(vertical_view=45), "between 0 and pi radians (degrees? then 0.7854)"),
    "words": (cameras_changed(vertical_view="wide"), "calibration.cameras[1].vertical_view is 'wide'"),
    "planes": (cameras_changed(near=3.0, far=1.0), "calibration.cameras[1]: near and far are 3.0 and 1.0"),
    "aside": (cameras_changed(aside=(1.0, np.inf)), "calibration.cameras[1].aside[1] is inf"),
    "period": (robot_changed(None, period=0.0), "calibration.robot: period is 0.0; valid: 0.001 to 1"),
    "limit": (robot_changed("limits", tool_velocity=np.nan), "calibration.robot: tool_velocity is nan"),
    "finger": (
        robot_changed("gripper", finger=[0.1]),
        "calibration.robot.gripper.finger is (0.1,); valid: a list of 3",
    ),
    "posture": (robot_changed(None, posture=np.zeros(2)), "calibration.robot.posture has the shape (2,); valid: (1,)"),
}


@pytest.mark.parametrize(("shown", "why"), CALIBRATIONS.values(), ids=CALIBRATIONS.keys())
def test_a_calibration_that_is_none_is_refused_by_the_name_of_its_field(shown: Any, why: str) -> None:
    sent = unpack(pack(shown))
    with pytest.raises(InputError) as refused:
        calibration_from(sent)
    assert why in str(refused.value)


@pytest.mark.parametrize(("message", "why"), WRONG.values(), ids=WRONG.keys())
def test_an_error_is_sent_as_openpi_sends_it_and_the_next_client_is_served(
    address: str, message: Any, why: str
) -> None:
    """openpi's client raises RuntimeError with a message that is text, and its server ends with 1011 then."""
    with connect(address) as client:
        client.recv()
        client.send(message)
        said = client.recv()
        assert isinstance(said, str) and why in said
        with pytest.raises(ConnectionClosed):
            client.recv()
        assert client.close_code == 1011
    with connect(address) as client:
        assert unpack(client.recv()) == {"policy": "fake"}


OTHERS: dict[str, Any] = {
    "JSON": '{"observation": [1, 2], "prompt": "go"}',
    "pickle": pickle.dumps({"observation": 1}),
    "a list": msgpack.packb([1, 2]),
    "another version": pack({"reset": {"version": 2, "instruction": "go"}}),
    "openpi's example": pack({"observation/image": np.zeros((2, 2, 3), np.uint8), "prompt": "go"}),
    "LeRobot's names": pack({"observation.images.image": np.zeros((2, 2, 3), np.uint8), "task": "go"}),
}


@pytest.mark.parametrize("message", OTHERS.values(), ids=OTHERS.keys())
def test_a_client_of_another_format_is_told_which_is_expected(message: Any) -> None:
    nothing = cast(Any, None)
    with served(Answering(Policy(nothing, nothing))) as address, connect(address) as client:
        client.recv()
        client.send(message)
        said = client.recv()
        assert isinstance(said, str) and said.splitlines()[1:] == [EXPECTED]


HEAD = "HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
NO_WEBSOCKET = {
    "HTTP GET": (f"GET / {HEAD}\r\n", b"HTTP/1.1 426"),
    "HTTP POST": (f"POST /act {HEAD}Content-Length: 2\r\n\r\n{{{{}}}}", b"HTTP/1.1 400"),
    "lines of JSON": ('{{"observation": 1}}\n', b"HTTP/1.1 400"),
    "gRPC": ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0\0\0\1\1\5\0\0\0\1A", b"\0\0\0\4\0\0\0\0\0"),
}


@pytest.mark.parametrize(("sent", "answer"), NO_WEBSOCKET.values(), ids=NO_WEBSOCKET.keys())
def test_what_is_no_websocket_is_told_so(address: str, sent: str, answer: bytes) -> None:
    port = int(address.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=5) as client:
        client.sendall(sent.format(port=port).encode())
        said = client.makefile("rb").read()
        assert said.startswith(answer) and EXPECTED.encode() in said
    with connected(address) as (_, metadata):
        assert metadata == {"policy": "fake"}


def test_a_packer_that_knows_arrays_alone_can_send_a_calibration() -> None:
    """As openpi's client has it."""

    def packed(value: Any) -> Any:
        assert isinstance(value, np.ndarray)
        return {b"__ndarray__": True, b"data": value.tobytes(), b"dtype": value.dtype.str, b"shape": value.shape}

    sent = msgpack.packb(calibration().as_dict(), default=packed)
    assert calibration_from(unpack(sent)).robot.pinned_bodies == frozenset({"arm"})


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Host": "evil.example"},
        {"Host": "evil.example:{port}"},
        {"Host": "127.0.0.1:1"},
        {"Host": "127.0.0.1:{port}", "Origin": "http://127.0.0.1:{port}"},
    ],
)
def test_pages_and_other_names_are_refused(address: str, headers: dict[str, str]) -> None:
    port = int(address.rpartition(":")[2])
    sent = {"Host": f"127.0.0.1:{port}"} | {k: v.format(port=port) for k, v in headers.items()}
    for path in ("/", "/healthz"):
        with socket.create_connection(("127.0.0.1", port), timeout=5) as client:
            upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            lines = "".join(f"{k}: {v}\r\n" for k, v in sent.items())
            key = "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
            client.sendall(f"GET {path} HTTP/1.1\r\n{lines}{upgrade}{key}\r\n".encode())
            assert client.recv(100).startswith(b"HTTP/1.1 403")


def test_one_client_at_a_time_and_the_next_one_when_it_is_gone(address: str) -> None:
    with connect(address) as first:
        first.recv()
        with pytest.raises(InputError, match="another client is being served"), connected(address):
            pass
        with urllib.request.urlopen(address.replace("ws", "http") + "/healthz") as health:
            assert health.read() == b"OK\n"
    with connected(address) as (_, metadata):
        assert metadata == {"policy": "fake"}


def test_a_time_out_of_the_whole_process_hangs_up_on_nobody(
    request: pytest.FixtureRequest,
) -> None:
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(0.1)  # as the arm's SDK does
    try:
        with connected(request.getfixturevalue("address")) as (channel, _):
            time.sleep(0.3)
            channel.send({"end": True})
            assert channel.receive() == {"outcome": None}
    finally:
        socket.setdefaulttimeout(before)


def test_nobody_there_is_said() -> None:
    with pytest.raises(InputError, match="no policy server at ws://127"), connected("ws://127.0.0.1:9"):
        pass
