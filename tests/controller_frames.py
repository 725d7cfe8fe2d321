"""The client's side of the controller's frames: what it sends as bytes, and what it reads of what comes back."""

from __future__ import annotations

import struct

from tamp.backends.xarm.emulator.protocol import FEEDBACK, Feedback, ProtocolRequest

_HEADER = struct.Struct(">HHH")


def encode_request(request: ProtocolRequest) -> bytes:
    """The bytes of a request."""
    body = bytes([request.register]) + request.data
    return _HEADER.pack(request.transaction, request.protocol, len(body)) + body


def decode_reply(frame: bytes) -> tuple[ProtocolRequest, int] | Feedback:
    """What one whole frame from a controller says: feedback, or the request with the reply's data, and its status."""
    transaction, protocol, length = _HEADER.unpack_from(frame)
    body = frame[_HEADER.size :]
    assert len(body) == length
    if body[0] == FEEDBACK:
        _, status, kind, register, number, code, microseconds = struct.unpack(">BBBBHBQ", body)
        return Feedback(ProtocolRequest(transaction, protocol, register), status, kind, number, code, microseconds)
    return ProtocolRequest(transaction, protocol, body[0], body[2:]), body[1]
