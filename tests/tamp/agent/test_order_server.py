"""Sources of orders: one at a time, a stop from any; clients that flood, hang or do not read."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tamp.agent.order_server import LEASE, MOST_A_SECOND, MOST_ASKED, CommandAuthority, OrderServer
from tamp.agent.orders import Order, Say, Start, Stop
from tamp.errors import Refusal
from tamp.line_socket import LineSocket


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_the_first_is_master_until_he_is_silent_or_goes() -> None:
    given: list[Order] = []
    clock = Clock()
    masters = CommandAuthority(given.append, clock)
    masters.order("anna", Start("wave"))
    with pytest.raises(Refusal, match="anna gives the orders here, until anna goes or is silent for 10 s"):
        masters.order("ben", Start("hold"))
    masters.order("ben", Stop())
    assert given == [Start("wave"), Stop()], "a stop is taken from anybody"
    clock.now = LEASE + 0.1
    masters.order("ben", Start("hold"))
    with pytest.raises(Refusal):
        masters.order("anna", Start("wave"))
    masters.gone("ben")
    masters.order("anna", Start("wave"))


def test_a_flood_is_refused_and_a_stop_gets_through() -> None:
    given: list[Order] = []
    clock = Clock()
    masters = CommandAuthority(given.append, clock)
    refused = 0
    for _ in range(10_000):
        try:
            masters.order("anna", Start("wave"))
        except Refusal as e:
            assert "more than 50 orders within a second" in str(e)
            refused += 1
    masters.order("anna", Stop())
    assert (len(given), refused) == (MOST_A_SECOND + 1, 10_000 - MOST_A_SECOND)
    clock.now = 1.1
    masters.order("anna", Start("wave"))


def test_a_time_out_of_the_whole_process_turns_away_no_client(given: list[Order]) -> None:
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(0.05)  # as the arm's SDK does
    try:
        server = OrderServer(CommandAuthority(given.append))
    finally:
        socket.setdefaulttimeout(before)
    time.sleep(0.2)
    late = LineSocket(server.path, 5.0)
    late.send(b'{"stop": ""}', 5.0)
    end = time.monotonic() + 5.0
    while not given and time.monotonic() < end:
        time.sleep(0.01)
    late.close()
    server.close()
    assert given == [Stop()]


@pytest.fixture
def given() -> list[Order]:
    return []


@pytest.fixture
def server(given: list[Order]) -> Iterator[OrderServer]:
    found = OrderServer(CommandAuthority(given.append))
    yield found
    found.close()


class Client:
    def __init__(self, server: OrderServer) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(10)
        self.socket.connect(str(server.path))
        self.file = self.socket.makefile("rb")

    def say(self, line: str) -> None:
        self.socket.sendall(line.encode() + b"\n")

    def hear(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.file.readline())
        return found


def wait(until: Any) -> None:
    end = time.monotonic() + 10
    while not until():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_orders_over_a_socket_and_what_is_wrong_with_them(server: OrderServer, given: list[Order]) -> None:
    anna, ben = Client(server), Client(server)
    anna.say('{"start": "wave"}')
    wait(lambda: given == [Start("wave")])
    anna.say("dance")  # after a first line that was an order
    assert anna.hear() == {
        "event": "command",
        "taken": False,
        "why": '\'dance\' is not JSON; valid: a line such as {"stop": "wave"}',
    }
    ben.say('{"start": "hold"}')
    assert "gives the orders here" in ben.hear()["why"]
    ben.say('{"stop": ""}')
    wait(lambda: given[-1] == Stop())
    anna.socket.shutdown(socket.SHUT_RDWR)
    wait(lambda: ben.say('{"start": "hold"}') or Start("hold") in given)


def test_everybody_is_told_and_who_does_not_read_is_hung_up_on(server: OrderServer) -> None:
    reads, hangs = Client(server), Client(server)
    wait(lambda: len(server._connected) == 2)
    long = {"event": "x" * 20_000}
    begin = time.monotonic()
    for _ in range(1500):
        server.tell(long)
        assert reads.hear() == long
    assert time.monotonic() - begin < 20
    wait(lambda: len(server._connected) == 1)
    hangs.socket.close()


def test_a_page_cannot_speak_over_the_unix_socket_and_no_other_user_can_connect(
    server: OrderServer, given: list[Order]
) -> None:
    page = Client(server)
    page.say('POST / HTTP/1.1\n{"start": "wave"}')
    assert page.file.read() == b"" and given == []
    assert (server.path.stat().st_mode & 0o777, server.path.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_a_socket_is_gone_with_its_session(tmp_path: Path) -> None:
    there = tmp_path / "orders"
    server = OrderServer(CommandAuthority(lambda order: None), there)
    with pytest.raises(OSError, match="in use"):
        OrderServer(CommandAuthority(lambda order: None), there)
    assert there.exists()
    server.close()
    assert not there.exists()


def test_what_others_want_to_begin_waits_for_the_operator_and_a_stop_does_not() -> None:
    given: list[Order] = []
    authority = CommandAuthority(given.append, operator="the terminal")
    number = authority.order("agent", Start("(pick a t)"))
    assert (number, given) == (1, [])
    assert authority.order("agent", Stop("wave")) is None and given == [Stop("wave")]
    with pytest.raises(Refusal, match="no order 7 waits; waiting: 1"):
        authority.decide(7, True)
    assert authority.decide(1, True) == Start("(pick a t)") == given[-1]
    with pytest.raises(Refusal):
        authority.decide(1, True)


def test_who_approves_may_give_orders_while_another_client_has_command() -> None:
    given: list[Order] = []
    authority = CommandAuthority(given.append, operator="the terminal")
    authority.order("agent", Start("(pick a t)"))
    assert authority.order("the terminal", Start("wave")) is None and given == [Start("wave")]


def test_what_waits_is_dropped_by_a_no_by_a_stop_and_when_its_client_leaves() -> None:
    given: list[Order] = []
    authority = CommandAuthority(given.append, operator="the terminal")
    for drop in (
        lambda n: authority.decide(n, False),
        lambda n: authority.order("agent", Stop()),
        lambda n: authority.gone("agent"),
    ):
        number = authority.order("agent", Say("put the mug away"))
        assert number is not None
        drop(number)
        with pytest.raises(Refusal):
            authority.decide(number, True)
    assert [order for order in given if order != Stop()] == []


def test_a_flood_of_orders_does_not_pile_up_before_the_operator() -> None:
    authority = CommandAuthority(lambda order: None, operator="the terminal")
    numbers = [authority.order("agent", Start("(pick a t)")) for _ in range(MOST_ASKED)]
    assert numbers == [*range(1, MOST_ASKED + 1)]
    with pytest.raises(Refusal, match="wait for the operator"):
        authority.order("agent", Start("(pick a t)"))
