"""Messages between a policy and what steps the world: msgpack, with arrays as openpi's clients write them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from tamp.errors import InputError

LARGEST = 64 * 2**20
"""Bytes of a message at most: pictures of two cameras with 1200 x 1600 pixels, colour and depth, fit."""
MOST_ENTRIES = 100_000
"""Entries of lists and maps in a stranger's message at most: its bytes could become a hundred times as many here."""
DTYPES = "biuf"
"""Kinds of numbers that arrays may hold."""


class Channel(Protocol):
    """A connection over which whole messages go both ways."""

    def send(self, message: Mapping[str, Any]) -> None:
        """Send a message. EOFError when the other side is gone."""
        ...

    def receive(self) -> dict[str, Any]:
        """The next message. EOFError when the other side is gone, InputError for what is none."""
        ...


def pack(message: Mapping[str, Any]) -> bytes:
    """A message as bytes. Sets are sorted lists of text; what has no other form is text, too."""
    import msgpack

    return bytes(msgpack.packb(dict(message), default=_plain, use_bin_type=True))


def unpack(data: bytes | str, most: int | None = None) -> dict[str, Any]:
    """The message, which has at most so many entries of lists and maps. InputError for what is none."""
    import msgpack

    if isinstance(data, str):
        raise InputError(f"text came where a msgpack message should: {data[:80]!r}")
    left = float("inf") if most is None else most

    def counted(value: Any) -> Any:
        nonlocal left
        left -= 1 + len(value)
        if left < 0:
            raise InputError(f"a message with more than {most:,} entries of lists and maps")
        return _array(value) if isinstance(value, dict) else value

    limits = {} if most is None else {"max_array_len": most, "max_map_len": most}
    try:
        message = msgpack.unpackb(
            data, object_hook=counted, list_hook=counted, strict_map_key=False, max_bin_len=LARGEST, **limits
        )
    except InputError:
        raise
    except Exception as e:  # msgpack's own errors, and those of text that is not UTF-8
        raise InputError(f"no msgpack message: {type(e).__name__}: {e}") from e
    if not isinstance(message, dict) or not all(isinstance(k, str) for k in message):
        raise InputError(f"a message is a map with names as keys, not {type(message).__name__}")
    return message


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in DTYPES:
            raise InputError(f"an array of {value.dtype} cannot be sent; valid: numbers")
        return {
            b"__ndarray__": True,
            b"data": np.ascontiguousarray(value).tobytes(),
            b"dtype": value.dtype.str,
            b"shape": value.shape,
        }
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, set | frozenset):
        return sorted(map(str, value))
    return str(value)


def _array(value: dict[Any, Any]) -> Any:
    """An array, or one of numpy's numbers; anything else as it is."""
    named = {k.decode() if isinstance(k, bytes) else k: v for k, v in value.items()}
    if "__ndarray__" not in named and "__npgeneric__" not in named:
        return value
    try:
        dtype = np.dtype(named["dtype"])
        if dtype.kind not in DTYPES:
            raise ValueError(f"an array of {dtype}")
        if "__npgeneric__" in named:
            return dtype.type(named["data"])
        return np.frombuffer(named["data"], dtype).reshape(tuple(named["shape"]))
    except (KeyError, TypeError, ValueError) as e:
        raise InputError(f"no array: {e}") from e
