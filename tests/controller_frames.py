"""The client's side of the controller's frames: what it sends as bytes."""

from __future__ import annotations

import struct

from tamp.backends.xarm.emulator.protocol import ProtocolRequest

_HEADER = struct.Struct(">HHH")


def encode_request(request: ProtocolRequest) -> bytes:
    """The bytes of a request."""
    body = bytes([request.register]) + request.data
    return _HEADER.pack(request.transaction, request.protocol, len(body)) + body
