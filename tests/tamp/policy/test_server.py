"""The policy behind a websocket: what stock clients of policy servers do, and what they do wrong."""

from __future__ import annotations

import socket
import threading
import time
import urllib.request
from collections.abc import Iterator
from typing import Any, cast

import numpy as np
import pytest
from websockets.sync.client import connect

from tamp.errors import InputError
from tamp.policy.answering import Answering
from tamp.policy.policy import Policy
from tamp.policy.remote import RemotePolicy
from tamp.policy.server import connected, serve
from tamp.policy.wire import pack, unpack
from tests.policies import Fake, calibration


@pytest.fixture
def address() -> Iterator[str]:
    """Where a fake policy is served."""
    ports: list[int] = []
    listening, ended = threading.Event(), threading.Event()

    def ready(port: int) -> None:
        ports.append(port)
        listening.set()

    fake = Fake()
    answering = Answering(cast(Policy, fake), fake.diary)
    thread = threading.Thread(
        target=serve, args=(answering, {"policy": "fake"}, "127.0.0.1", 0, ready, ended.is_set), daemon=True
    )
    thread.start()
    assert listening.wait(5)
    yield f"ws://127.0.0.1:{ports[0]}"
    ended.set()
    thread.join(timeout=5)
    assert not thread.is_alive()


def test_a_client_is_told_what_is_here_and_gets_actions(address: str) -> None:
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
    "text": ("hello", "text came where a msgpack message should"),
    "no map": (b"\x93\x01\x02\x03", "a message is a map"),
    "rubbish": (b"\xc1", "no msgpack message"),
    "unknown": (pack({"reset": {"prompt": "go"}}), "reset has no 'prompt'; valid: calibration, given, instruction"),
    "no calibration": (pack({"reset": {"instruction": "go"}}), "no calibration: 'robot' is missing"),
    "seed": (pack({"reset": {"instruction": "go", "seed": "x"}}), "a whole number as seed"),
}


@pytest.mark.parametrize(("message", "why"), WRONG.values(), ids=WRONG.keys())
def test_what_is_wrong_is_one_message_and_the_next_is_heard(address: str, message: Any, why: str) -> None:
    with connect(address) as client:
        client.recv()
        client.send(message)
        assert why in unpack(client.recv())["error"]
        client.send(pack({"end": True}))
        assert unpack(client.recv()) == {"outcome": None}


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
