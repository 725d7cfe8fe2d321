"""Who may use a port, and how many: the checks that all ports share, and the ports of commands under fuzz."""

from __future__ import annotations

import time
from email.message import Message

import pytest

from tamp.ports import LOCAL, NUMBERS, Places, refusal
from tests.bench import grouped
from tests.bench_ports import bench


def headers(**fields: str) -> Message:
    made = Message()
    for name, value in fields.items():
        made[name] = value
    return made


@pytest.mark.parametrize(
    ("fields", "names", "own_page", "refused"),
    [
        ({"Host": "127.0.0.1:80"}, LOCAL, False, False),
        ({"Host": "localhost"}, LOCAL, False, False),
        ({"Host": "localhost:81"}, LOCAL, False, True),
        ({"Host": "evil.example:80"}, LOCAL | {NUMBERS}, False, True),
        ({"Host": "10.0.0.7:80"}, LOCAL, False, True),
        ({"Host": "10.0.0.7:80"}, LOCAL | {NUMBERS}, False, False),
        ({"Host": "localhost@evil.example:80"}, LOCAL, False, True),
        ({"Host": "[::1"}, LOCAL, False, True),
        ({"Host": "localhost:port"}, LOCAL, False, True),
        ({}, LOCAL, False, True),
        ({"Host": "localhost:80", "Origin": "http://localhost:80"}, LOCAL, False, True),
        ({"Host": "localhost:80", "Origin": "http://localhost:80"}, LOCAL, True, False),
        ({"Host": "localhost:80", "Origin": "null"}, LOCAL, True, True),
        ({"Host": "localhost:80", "Origin": "http://evil.example"}, LOCAL, True, True),
    ],
)
def test_a_request_is_of_this_port_and_of_no_other_page(
    fields: dict[str, str], names: frozenset[str], own_page: bool, refused: bool
) -> None:
    assert bool(refusal(headers(**fields), names, 80, own_page)) == refused
    if fields:
        twice = headers(**fields)
        twice["Host"] = "localhost:80"
        assert refusal(twice, names, 80, own_page), "one Host too many"


def test_places_are_as_many_at_once_and_in_a_second_as_there_are() -> None:
    few = Places(most=2)
    with few.one() as first, few.one() as second, few.one() as third:
        assert (first, second, third) == (True, True, False)
    with few.one() as again:
        assert again
    slow, taken = Places(most=10, new=5), 0
    for _ in range(20):
        with slow.one() as free:
            taken += free
    assert taken == 5
    time.sleep(0.5)
    with slow.one() as free:
        assert free


@pytest.mark.process
def test_ports_stand_what_strangers_send() -> None:
    """A part of `make bench-ports`."""
    rows = list(bench(150, 1, ("policy", "view", "xarm emulate")))
    assert [(row.line, row.detail) for row in rows if not row.ok] == []
    assert len(grouped(rows)) == 7
