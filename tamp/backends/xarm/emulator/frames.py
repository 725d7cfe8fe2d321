"""The controller's frames: requests, replies and feedback as bytes; no sockets.

Integers are big-endian, floats little-endian. A request is `transaction u16 | protocol u16 | length u16 | register
u8 | data`, a reply the same with a status byte before the data.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable
from dataclasses import dataclass

from tamp.errors import TampError

ERROR, WARNING, NOT_READY, INVALID = 0x40, 0x20, 0x10, 0x08
"""Bits of the status byte."""
STARTED, FINISHED, TRIGGERED = 1, 2, 4
"""Kinds of feedback."""
MODBUS, HEARTBEAT = 0, 1
"""Protocol numbers with a meaning of their own; 2 and 3 are the controller's."""
PROTOCOLS = (MODBUS, HEARTBEAT, 2, 3)
LONGEST = 1024
"""Bytes after the length field that a frame has at most."""
FEEDBACK = 0xFF
"""What stands for the register in a feedback frame."""
_HEADER = struct.Struct(">HHH")
_LARGEST = struct.unpack("<f", b"\xff\xff\x7f\x7f")[0]
"""The largest number of four bytes."""


class ProtocolError(TampError):
    """Bytes that are no frame, or data that is not what its register takes."""


@dataclass(frozen=True)
class Request:
    """What a client asks."""

    transaction: int
    protocol: int
    register: int
    data: bytes = b""


@dataclass(frozen=True)
class Reply:
    """What the controller answers; `status` has the bits above."""

    transaction: int
    protocol: int
    register: int
    status: int
    data: bytes = b""


@dataclass(frozen=True)
class Feedback:
    """What the controller says of its own accord: a command has started (`kind` 1), ended (2) or taken effect (4).

    `code`: 0 success, 1 failure, 2 discarded. `microseconds` is the controller's clock.
    """

    transaction: int
    protocol: int
    status: int
    kind: int
    register: int
    number: int
    code: int
    microseconds: int


def encode_reply(reply: Reply) -> bytes:
    """The bytes of a reply; one to a standard Modbus request has no status byte."""
    status = b"" if reply.protocol == MODBUS else bytes([reply.status])
    return _framed(reply.transaction, reply.protocol, bytes([reply.register]) + status + reply.data)


def encode_feedback(feedback: Feedback) -> bytes:
    """The 21 bytes of a feedback frame."""
    body = struct.pack(
        ">BBBBHBQ",
        FEEDBACK,
        feedback.status,
        feedback.kind,
        feedback.register,
        feedback.number,
        feedback.code,
        feedback.microseconds,
    )
    return _framed(feedback.transaction, feedback.protocol, body)


def split(received: bytes) -> tuple[list[Request], bytes]:
    """The requests in what has been received, and the bytes of one that is not whole yet; heartbeats are dropped.

    Raises ProtocolError for bytes that cannot be the beginning of a frame: there is no way to find the next one.
    """
    found = []
    while len(received) >= _HEADER.size:
        transaction, protocol, length = _HEADER.unpack_from(received)
        _check(protocol, length)
        end = _HEADER.size + length
        if len(received) < end:
            break
        if protocol != HEARTBEAT:
            found.append(Request(transaction, protocol, received[_HEADER.size], received[_HEADER.size + 1 : end]))
        received = received[end:]
    return found, received


def floats(data: bytes, count: int, offset: int = 0, *, endless: bool = False) -> tuple[float, ...]:
    """`count` floats of a register's data from a byte on. Raises ProtocolError when they are missing or not numbers;
    with `endless` an infinity may stand among them."""
    if len(data) < offset + 4 * count:
        raise ProtocolError(f"{count} floats need {offset + 4 * count} bytes, not {len(data)}")
    values = struct.unpack_from(f"<{count}f", data, offset)
    if any(math.isnan(v) or (math.isinf(v) and not endless) for v in values):
        raise ProtocolError("a float that is not a finite number")
    return values


def pack_floats(values: Iterable[float]) -> bytes:
    """Floats as the wire has them; what is too large for four bytes becomes infinite."""
    listed = [v if abs(v) <= _LARGEST else math.copysign(math.inf, v) for v in map(float, values)]
    return struct.pack(f"<{len(listed)}f", *listed)


def byte(data: bytes, index: int, default: int | None = None) -> int:
    """A byte of a register's data. Raises ProtocolError when it is missing and has no default."""
    if index < len(data):
        return data[index]
    if default is None:
        raise ProtocolError(f"byte {index} is missing")
    return default


def _framed(transaction: int, protocol: int, body: bytes) -> bytes:
    return _HEADER.pack(transaction, protocol, len(body)) + body


def _check(protocol: int, length: int) -> None:
    if protocol not in PROTOCOLS:
        raise ProtocolError(f"protocol {protocol}; there are {', '.join(map(str, PROTOCOLS))}")
    if not 1 <= length <= LONGEST:
        raise ProtocolError(f"a length of {length}; valid is 1 to {LONGEST}")
