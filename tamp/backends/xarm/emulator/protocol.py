"""The controller's protocol as bytes: requests, replies, feedback, and poses in its units; no sockets.

Integers are big-endian, floats little-endian. A request is `transaction u16 | protocol u16 | length u16 | register
u8 | data`, a reply the same with a status byte before the data. Poses are six numbers: millimetres, and radians as
roll, pitch, yaw (R = Rz Ry Rx) or as axis times angle.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from motion.poses import Array, from_rpy, pose, rotation_vector, rotation_vector_to_matrix, to_rpy
from tamp.errors import TampError

ERROR, WARNING, NOT_READY, INVALID = 0x40, 0x20, 0x10, 0x08
"""Bits of the status byte."""
STARTED, FINISHED, TRIGGERED = 1, 2, 4
"""Kinds of feedback."""
HEARTBEAT, PROTOCOLS = 1, (1, 2, 3)
"""Protocol numbers; 2 and 3 are the controller's."""
LONGEST = 1024
"""Bytes after the length field that a frame has at most."""
FEEDBACK = 0xFF
"""What stands for the register in a feedback frame."""
_HEADER = struct.Struct(">HHH")
_LARGEST = struct.unpack("<f", b"\xff\xff\x7f\x7f")[0]
"""The largest number of four bytes."""


class ProtocolError(TampError):
    """Bytes that are no frame, or data that its register does not take."""


@dataclass(frozen=True)
class ProtocolRequest:
    """A client's request. The server adds the number of the `client`, and which `kinds` of feedback it wants."""

    transaction: int
    protocol: int
    register: int
    data: bytes = b""
    client: int = 0
    kinds: int = 0


@dataclass(frozen=True)
class Feedback:
    """Sent without being asked: the command of a `request` has started (`kind` 1), ended (2) or taken effect (4).

    `code`: 0 success, 1 failure, 2 discarded. `microseconds` is the controller's clock.
    """

    request: ProtocolRequest
    status: int
    kind: int
    number: int
    code: int
    microseconds: int


def encode_reply(request: ProtocolRequest, status: int, data: bytes = b"") -> bytes:
    """The bytes of the reply to a request; `status` has the bits above."""
    return _framed(request, bytes([request.register, status]) + data)


def encode_feedback(feedback: Feedback) -> bytes:
    """The 21 bytes of a feedback frame."""
    f, register = feedback, feedback.request.register
    body = struct.pack(">BBBBHBQ", FEEDBACK, f.status, f.kind, register, f.number, f.code, f.microseconds)
    return _framed(f.request, body)


def split(received: bytes) -> tuple[list[ProtocolRequest], bytes]:
    """The requests in what has been received, and the bytes of an incomplete one; heartbeats are dropped.

    Raises ProtocolError for bytes that cannot be the beginning of a frame: there is no way to find the next one.
    """
    found = []
    while len(received) >= _HEADER.size:
        transaction, protocol, length = _HEADER.unpack_from(received)
        if protocol not in PROTOCOLS:
            raise ProtocolError(f"protocol {protocol}; there are {', '.join(map(str, PROTOCOLS))}")
        if not 1 <= length <= LONGEST:
            raise ProtocolError(f"a length of {length}; valid is 1 to {LONGEST}")
        end = _HEADER.size + length
        if len(received) < end:
            break
        if protocol != HEARTBEAT:
            found.append(
                ProtocolRequest(transaction, protocol, received[_HEADER.size], received[_HEADER.size + 1 : end])
            )
        received = received[end:]
    return found, received


def floats(data: bytes, count: int, offset: int = 0, *, endless: bool = False) -> tuple[float, ...]:
    """`count` floats of a register's data, from a byte on. Raises ProtocolError when they are missing or not numbers;
    with `endless` an infinity may be among them."""
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


def to_pose(values: Sequence[float], axis_angle: bool = False) -> Array:
    """A pose (4, 4) in metres from six numbers of the wire."""
    p, turn = np.array(values[:3]) / 1000, np.array(values[3:6])
    return pose(p, rotation_vector_to_matrix(turn)) if axis_angle else from_rpy(p, turn)


def from_pose(T: Array, axis_angle: bool = False) -> list[float]:
    """Six numbers of the wire from a pose (4, 4) in metres."""
    turn = rotation_vector(T[:3, :3]) if axis_angle else to_rpy(T[:3, :3])
    return [float(v) for v in (*T[:3, 3] * 1000, *turn)]


def _framed(request: ProtocolRequest, body: bytes) -> bytes:
    return _HEADER.pack(request.transaction, request.protocol, len(body)) + body
