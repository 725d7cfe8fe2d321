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
Answering = Callable[[int], Any]
"""What a controller answers to the event with an id: bytes or JSON; None hangs up, "" says nothing."""


class Controller:
    """A hand controller on a real socket, a thread for each connection."""

    def __init__(self, answering: Answering) -> None:
        self.answering, self.shown = answering, list[dict[str, Any]]()
        self.door = socket.create_server(("127.0.0.1", 0))
        self.door.settimeout(None)
        self.address = f"tcp://127.0.0.1:{self.door.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self.door.accept()
            except OSError:
                return
            connection.settimeout(None)
            threading.Thread(target=self._serve, args=[connection], daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as lines:
            for line in lines:
                self.shown.append(json.loads(line))
                said = self.answering(self.shown[-1]["id"])
                if said is None:
                    return
                if said != "":
                    connection.sendall(said if isinstance(said, bytes) else json.dumps(said).encode() + b"\n")


@pytest.fixture(autouse=True)
def time_outs() -> Iterator[None]:
    """The arm's SDK sets one for all sockets of the process."""
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(1)
    yield
    socket.setdefaulttimeout(before)


Make = Callable[[Answering], tuple[Controller, TcpHand]]


@pytest.fixture
def controller() -> Iterator[Make]:
    made: list[tuple[Controller, TcpHand]] = []

    def make(answering: Answering) -> tuple[Controller, TcpHand]:
        there = Controller(answering)
        made.append((there, TcpHand(there.address)))
        return made[-1]

    yield make
    for there, hand in made:
        hand.close()
        with contextlib.suppress(OSError):  # it may be closed already
            there.door.shutdown(socket.SHUT_RDWR)  # which wakes the thread that accepts
        there.door.close()


def acknowledge(number: int) -> Any:
    return {"ack": number}


def failure(hand: TcpHand, event: HandEvent, timeout: float) -> tuple[str, str]:
    """Why an event is not acknowledged: the reason, and the message."""
    with pytest.raises(HandError) as raised:
        hand.emit(event, timeout)
    assert "\n" not in str(raised.value)
    return raised.value.reason, str(raised.value)


def test_events_are_sent_one_by_one_and_acknowledged(controller: Make) -> None:
    there, hand = controller(acknowledge)
    for event in (CLOSE, OPEN):
        hand.emit(event, 5)
    first, second = there.shown
    assert first | {"id": 0} == {"event": "close", "id": 0, "step": 3, "payload": {"force_n": 20}}
    assert second["id"] == first["id"] + 1


@pytest.mark.parametrize("extra", [True, False])
def test_a_refusal_is_reported_in_the_hands_words(extra: bool, controller: Make) -> None:
    _, hand = controller(lambda n: {"error": "no air\nin the line"} | ({"id": n} if extra else {}))
    assert failure(hand, CLOSE, 5) == ("refused", "the hand refuses 'close': no air in the line")


@pytest.mark.parametrize(
    "wrong",
    [
        lambda n: {"ack": n + 1},
        lambda n: {"ack": True},
        lambda n: [n],
        lambda n: b"\xff\n\n",
        lambda n: {"error": "that was before", "id": n - 1},
        lambda n: json.dumps({"ack": n}).encode(),  # half a line
    ],
)
def test_what_is_no_acknowledgement_of_this_event_is_not_taken_for_one(wrong: Any, controller: Make) -> None:
    there, hand = controller(wrong)
    begin = time.monotonic()
    assert failure(hand, CLOSE, 0.4)[0] == "no answer"
    assert 0.4 <= time.monotonic() - begin < 1.0
    there.answering = acknowledge
    hand.emit(OPEN, 5)
    assert [said["event"] for said in there.shown] == ["close", "open"], "nothing is sent twice"


def test_a_connection_that_is_closed_half_way_is_reported_and_nothing_is_sent_twice(controller: Make) -> None:
    there, hand = controller(lambda n: None)
    why, message = failure(hand, CLOSE, 5)
    assert why == "connection lost" and "whether the hand did it is not known" in message
    there.door.close()
    assert len(there.shown) == 1


def test_a_hand_that_is_closed_answers_who_waits(controller: Make) -> None:
    _, hand = controller(lambda n: "")
    threading.Timer(0.3, hand.close).start()
    begin = time.monotonic()
    assert failure(hand, CLOSE, 30)[0] == "closed"
    assert time.monotonic() - begin < 5
    assert failure(hand, OPEN, 1)[0] == "closed"


def test_no_controller_at_the_address_is_unreachable() -> None:
    assert failure(TcpHand("tcp://127.0.0.1:1"), CLOSE, 1)[0] == "unreachable"
