"""The client's side of the controller's frames: what it sends as bytes, and what it reads of what comes back."""

from __future__ import annotations

import struct

from tamp.backends.xarm.emulator.frames import FEEDBACK, MODBUS, Feedback, Reply, Request

_HEADER = struct.Struct(">HHH")


def encode_request(request: Request) -> bytes:
    """The bytes of a request."""
    body = bytes([request.register]) + request.data
    return _HEADER.pack(request.transaction, request.protocol, len(body)) + body


def decode_reply(frame: bytes) -> Reply | Feedback:
    """What one whole frame from a controller says."""
    transaction, protocol, length = _HEADER.unpack_from(frame)
    body = frame[_HEADER.size :]
    assert len(body) == length
    if body[0] == FEEDBACK:
        _, status, kind, register, number, code, microseconds = struct.unpack(">BBBBHBQ", body)
        return Feedback(transaction, protocol, status, kind, register, number, code, microseconds)
    if protocol == MODBUS:
        return Reply(transaction, protocol, body[0], 0, body[1:])
    return Reply(transaction, protocol, body[0], body[1], body[2:])
