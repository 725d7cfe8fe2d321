"""Frames: what is encoded is decoded again, and garbage is told from frames."""

from __future__ import annotations

import contextlib
import math
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tamp.backends.xarm.emulator.protocol import (
    Feedback,
    ProtocolError,
    ProtocolRequest,
    encode_feedback,
    encode_reply,
    floats,
    pack_floats,
    split,
)
from tests.controller_frames import decode_reply, encode_request

U8, U16 = st.integers(0, 255), st.integers(0, 65535)
REQUESTS = st.builds(ProtocolRequest, U16, st.sampled_from([2, 3]), st.integers(0, 254), st.binary(max_size=200))
FEEDBACKS = st.builds(
    Feedback, st.builds(ProtocolRequest, U16, st.just(3), U8), U8, U8, U16, U8, st.integers(0, 2**64 - 1)
)


@given(st.lists(REQUESTS, max_size=5), st.integers(1, 50))
def test_requests_come_out_as_they_went_in_however_they_are_cut(requests: list[ProtocolRequest], size: int) -> None:
    sent = b"".join(map(encode_request, requests))
    found, rest = [], b""
    for start in range(0, len(sent), size):
        more, rest = split(rest + sent[start : start + size])
        found += more
    assert found == requests
    assert rest == b""


def test_heartbeats_are_swallowed() -> None:
    request = ProtocolRequest(7, 3, 13)
    assert split(bytes.fromhex("0000000100020000") + encode_request(request)) == ([request], b"")


@given(REQUESTS, U8, st.binary(max_size=200))
def test_replies_are_decoded(request: ProtocolRequest, status: int, data: bytes) -> None:
    assert decode_reply(encode_reply(request, status, data)) == (replace(request, data=data), status)


@given(FEEDBACKS)
def test_feedback_is_21_bytes_and_decoded(feedback: Feedback) -> None:
    assert len(encode_feedback(feedback)) == 21
    assert decode_reply(encode_feedback(feedback)) == feedback


@given(st.binary(max_size=300))
def test_garbage_raises_protocol_errors_only(garbage: bytes) -> None:
    for decode in (split, lambda data: floats(data, 3)):
        with contextlib.suppress(ProtocolError):
            decode(garbage)


@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
@example([3.4028234663852886e38])
def test_floats_are_little_endian_and_come_back(values: list[float]) -> None:
    assert floats(pack_floats(values), len(values)) == tuple(values)


def test_what_is_not_a_number_is_refused() -> None:
    assert pack_floats([1.0]).hex() == "0000803f"
    for value in (math.nan, math.inf):
        with pytest.raises(ProtocolError, match="finite"):
            floats(pack_floats([value]), 1)
    assert floats(pack_floats([math.inf]), 1, endless=True) == (math.inf,)
