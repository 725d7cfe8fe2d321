"""Orders as JSON and as typed words: what is one, and what is told of what is none."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamp.agent.orders import End, Order, Say, Skip, Start, Stop, read_json, read_typed
from tamp.errors import InputError

TYPED: list[tuple[str, Order]] = [
    ("start (pick mug_1 table)", Start("(pick mug_1 table)")),
    ("start pick mug_1 table", Start("(pick mug_1 table)")),
    ("start  ( pick   mug_1 table )", Start("(pick mug_1 table)")),
    ("Start wave", Start("wave")),
    ("stop", Stop()),
    ("stop wave", Stop("wave")),
    ("stop (pick mug_1 table)", Stop("(pick mug_1 table)")),
    ("skip", Skip(1.0)),
    ("skip 2.5", Skip(2.5)),
    ("end", End()),
    ('say "put it back"', Say("put it back")),
    ("put the mug in the drawer", Say("put the mug in the drawer")),
    ("stop the drawer from closing", Say("stop the drawer from closing")),
    ("end of the table, please", Say("end of the table, please")),
    ("skip the plate", Say("skip the plate")),
]


@pytest.mark.parametrize(("line", "order"), TYPED)
def test_what_is_typed(line: str, order: Order) -> None:
    assert read_typed(line) == order


@pytest.mark.parametrize(
    ("line", "order"),
    [
        ('{"start": "(pick mug_1 table)"}', Start("(pick mug_1 table)")),
        ('{"stop": ""}', Stop()),
        ('{"stop": null}', Stop()),
        ('{"stop": "wave"}', Stop("wave")),
        ('{"skip": 2}', Skip(2.0)),
        ('{"end": true}', End()),
        ('{"say": "put it back", "note": 1}', Say("put it back")),
    ],
)
def test_what_is_json(line: str, order: Order) -> None:
    assert read_json(line) == order


BAD = [
    ("{", "is not JSON"),
    ("[1]", "is no order; valid: an object with one of start, stop, skip, end, say"),
    ("{}", "is no order"),
    ('{"dance": 1}', "is no order"),
    ('{"stop": "", "end": true}', "is no order"),
    ('{"start": "()"}', "'start' is no order; valid: start (pick mug_1 table)"),
    ('{"start": ""}', "'start' is no order; valid: start (pick mug_1 table)"),
    ('{"say": 3}', "'say' is no order"),
    ('{"skip": -1}', "-1 is nothing to skip; valid: seconds from 0 to 3600"),
    ('{"skip": 1e9}', "is nothing to skip"),
    ('{"skip": NaN}', "nan is nothing to skip"),
    ('{"skip": Infinity}', "inf is nothing to skip"),
    ('{"skip": true}', "True is nothing to skip"),
    (json.dumps({"say": "put " * 2500}), "10,000 characters are too many to be said at once; at most 2,000"),
]


@pytest.mark.parametrize(("line", "says"), BAD)
def test_what_is_none_says_what_would_be_one(line: str, says: str) -> None:
    with pytest.raises(InputError) as shown:
        read_json(line)
    assert says in str(shown.value) and len(str(shown.value)) < 300


@given(st.text(max_size=200))
def test_whatever_is_typed_is_an_order_or_an_input_error(line: str) -> None:
    for read in (read_typed, read_json):
        try:
            assert isinstance(read(line), Order)
        except InputError as error:
            assert str(error)
