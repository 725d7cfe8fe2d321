"""Events to the hand: done, refused, late, about something else, cut off. Over a real socket."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tamp.backends.xarm.hand import HandError, HandEvent, TcpHand

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("real_time")]

CLOSE = HandEvent("close", 3, {"force_n": 20})
OPEN = HandEvent("open", 5)


def failure(hand: TcpHand, event: HandEvent, timeout: float) -> tuple[str, str]:
    """Why an event is not acknowledged: the reason, and the message."""
    with pytest.raises(HandError) as raised:
        hand.emit(event, timeout)
    assert "\n" not in str(raised.value)
    return raised.value.reason, str(raised.value)


def reason(hand: TcpHand, event: HandEvent, timeout: float) -> str:
    return failure(hand, event, timeout)[0]


Answering = Callable[[dict[str, Any], Callable[[Any], None]], Any]
"""What a controller does with an event, and how it says something; it hangs up when it returns `False`."""


class Controller:
    """A hand controller on a real socket, a thread for each connection."""

    def __init__(self, answering: Answering, port: int = 0) -> None:
        self.answering, self.told, self.connections = answering, list[dict[str, Any]](), list[socket.socket]()
        self.door = socket.create_server(("127.0.0.1", port))
        self.door.settimeout(None)
        self.port = self.door.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{self.port}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self.door.accept()
            except OSError:
                return
            connection.settimeout(None)
            self.connections.append(connection)
            threading.Thread(target=self._serve, args=[connection], daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        def say(said: Any) -> None:
            connection.sendall(said if isinstance(said, bytes) else json.dumps(said).encode() + b"\n")

        with connection, connection.makefile("rb") as lines:
            try:
                for line in lines:
                    self.told.append(json.loads(line))
                    if self.answering(self.told[-1], say) is False:
                        connection.shutdown(socket.SHUT_RDWR)
                        return
            except OSError:
                return

    def close(self) -> None:
        for each in (self.door, *self.connections):
            with contextlib.suppress(OSError):  # it may be closed already
                each.shutdown(socket.SHUT_RDWR)
        self.door.close()


def acknowledge(said: dict[str, Any], say: Callable[[Any], None]) -> None:
    say({"ack": said["id"]})


@pytest.fixture(autouse=True)
def time_outs() -> Iterator[None]:
    """The arm's SDK sets one for all sockets of the process."""
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(1)
    yield
    socket.setdefaulttimeout(before)


@pytest.fixture
def controller() -> Iterator[Callable[..., tuple[Controller, TcpHand]]]:
    made: list[Any] = []

    def make(answering: Answering) -> tuple[Controller, TcpHand]:
        made.append(Controller(answering))
        made.append(TcpHand(made[-1].address))
        return made[-2], made[-1]

    yield make
    for each in reversed(made):
        each.close()


Make = Callable[[Answering], tuple[Controller, TcpHand]]


def test_events_are_told_one_by_one_and_acknowledged(controller: Make) -> None:
    there, hand = controller(acknowledge)
    for event in (CLOSE, OPEN):
        hand.emit(event, 5)
    first, second = there.told
    assert first | {"id": 0} == {"event": "close", "id": 0, "step": 3, "payload": {"force_n": 20}}
    assert second["id"] == first["id"] + 1
    assert len(there.connections) == 1


@pytest.mark.parametrize("extra", [{}, {"id": "right"}])
def test_a_refusal_is_told_in_the_hands_words(extra: dict[str, str], controller: Make) -> None:
    def refuse(said: dict[str, Any], say: Callable[[Any], None]) -> None:
        say({"error": "no air\nin the line"} | ({"id": said["id"]} if extra else {}))

    there, hand = controller(refuse)
    assert failure(hand, CLOSE, 5) == ("refused", "the hand refuses 'close': no air in the line")
    assert reason(hand, OPEN, 5) == "refused" and len(there.connections) == 1


@pytest.mark.parametrize(
    "wrong",
    [
        lambda n: {"ack": n + 1},
        lambda n: {"ack": str(n)},
        lambda n: {"ack": True},
        lambda n: [n],
        lambda n: b"\xff\n\n",
        lambda n: {"error": "that was before", "id": n - 1},
        lambda n: json.dumps({"ack": n}).encode(),  # half a line
    ],
)
def test_what_is_no_acknowledgement_of_this_event_is_not_taken_for_one(wrong: Any, controller: Make) -> None:
    there, hand = controller(lambda said, say: say(wrong(said["id"])))
    begin = time.monotonic()
    assert reason(hand, CLOSE, 0.4) == "no answer"
    assert 0.4 <= time.monotonic() - begin < 1.0
    there.answering = acknowledge
    hand.emit(OPEN, 5)


def test_a_late_acknowledgement_is_nobodys(controller: Make) -> None:
    def late(said: dict[str, Any], say: Callable[[Any], None]) -> None:
        if said["event"] == "close":
            time.sleep(0.6)
            say({"ack": said["id"]})

    there, hand = controller(late)
    assert reason(hand, CLOSE, 0.3) == "no answer"
    time.sleep(0.5)
    assert reason(hand, OPEN, 0.3) == "no answer"  # which the hand never answers
    assert [said["event"] for said in there.told] == ["close", "open"]


@pytest.mark.parametrize("said", [b"", b'{"ack": '])
def test_a_connection_that_is_closed_half_way_is_told_and_nothing_is_sent_twice(said: bytes, controller: Make) -> None:
    there, hand = controller(lambda _, say: (said and say(said), False)[1])
    why, message = failure(hand, CLOSE, 5)
    assert why == "connection lost" and "whether the hand did it is not known" in message
    there.answering = acknowledge
    hand.emit(OPEN, 5)
    assert [told["event"] for told in there.told] == ["close", "open"]


def test_a_hand_that_is_closed_answers_who_waits(controller: Make) -> None:
    _, hand = controller(lambda said, say: None)
    threading.Timer(0.3, hand.close).start()
    begin = time.monotonic()
    assert reason(hand, CLOSE, 30) == "closed"
    assert time.monotonic() - begin < 5
    assert reason(hand, OPEN, 1) == "closed"
