"""What strangers send to ports: frames and lines that follow from a seed, most of them spoilt."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from random import Random
from typing import Any

import msgpack

from tests.policies import calibration

NUMBERS = (
    "NaN", "Infinity", "-Infinity", "1e999", "-0", "9" * 400, "1" + "0" * 5000, "1e308", "-1", "0.5", "2", "true",
)  # fmt: skip
WORDS = (
    "", "a" * 3000, "\x00", "\ud800", "\u202e", "état", "../../x", "%s%n", "{}", "state", "drop", "hold", "(hold)",
    "go",
)  # fmt: skip


def letters(rng: Random) -> bytes:
    """Bytes without meaning."""
    return rng.randbytes(rng.choice((0, 1, 2, 7, 60, 1000)))


def encoded(text: str) -> bytes:
    return text.encode(errors="surrogatepass")


def spoilt(data: bytes, rng: Random) -> bytes:
    """A good piece after some changes, in a quarter of the cases none."""
    for _ in range(rng.choice((0, 1, 1, 3))):
        start = rng.randrange(len(data) + 1)
        end = min(len(data), start + rng.choice((1, 2, 5, 20, 100)))
        data = rng.choice(
            (
                data[:start] + data[end:],
                data[:end] + data[start:end] * rng.choice((1, 3, 30)) + data[end:],
                data[:start],
                data[:start] + rng.randbytes(end - start) + data[end:],
                data[:start] + encoded(rng.choice(WORDS)) + data[end:],
            )
        )
    return data


def value(rng: Random, depth: int = 0) -> str:
    """Something in JSON, or nearly."""
    kind = rng.randrange(8 if depth < 3 else 4)
    if kind < 2:
        return rng.choice(NUMBERS)
    if kind < 4:
        return rng.choice(("null", "false", json.dumps(rng.choice(WORDS))))
    if kind < 6:
        return f"[{', '.join(value(rng, depth + 1) for _ in range(rng.choice((0, 1, 3, 6, 7, 16))))}]"
    if kind < 7:
        fields = [f"{json.dumps(rng.choice(WORDS))}: {value(rng, depth + 1)}" for _ in range(rng.choice((0, 1, 4)))]
        return f"{{{', '.join(fields)}}}"
    return "[" * (n := rng.choice((30, 990, 5000, 30_000))) + "]" * n


def line(orders: tuple[dict[str, Any], ...], rng: Random) -> bytes:
    """A line of JSON: an order with other values, changed bytes, or none at all."""
    order = {k: json.dumps(v) for k, v in rng.choice(orders).items()}
    for key in rng.sample(sorted(order), rng.randint(0, len(order))):
        order[key] = value(rng)
    if rng.random() < 0.2:
        order[rng.choice(WORDS)] = value(rng)
    good = encoded("{" + ", ".join(f"{json.dumps(k)}: {v}" for k, v in order.items()) + "}")
    kinds: tuple[Callable[[], bytes], ...] = (
        *(5 * (lambda: good,)),
        lambda: spoilt(good, rng),
        lambda: encoded(value(rng)),
        lambda: letters(rng),
        lambda: b'{"a": "' + b"x" * rng.choice((60_000, 70_000, 1_100_000)),
        lambda: head("/", rng),
    )
    return rng.choice(kinds)() + rng.choice((b"\n", b"\n", b"\n", b"\r\n", b""))


def head(path: str, rng: Random, **own: str) -> bytes:
    """The head of a request over HTTP, and perhaps a body; `own` are fields that it ought to have."""
    fields = [(k.replace("_", "-"), v) for k, v in own.items()]
    strange = (
        *(("Host", "evil.example"), ("Host", "[::1"), ("Origin", "http://evil.example"), ("Origin", "null")),
        *(("Content-Length", v) for v in ("-1", "9" * 30, "NaN", "9999", "5")),
        *(("Transfer-Encoding", "chunked"), ("Expect", "100-continue"), ("Connection", "keep-alive")),
        *(("X-" + "a" * 70_000, "b"), ("A", "b" * 70_000), (" folded", "x"), ("X-Tamp-Token", "é")),
    )
    for _ in range(rng.choice((0, 0, 1, 3))):
        fields.insert(rng.randint(0, len(fields)), rng.choice(strange))
    if rng.random() < 0.05:
        fields *= 60
    method = rng.choice(("GET",) * 6 + ("POST", "POST", "PUT", "HEAD", "OPTIONS", "CONNECT", "PRI", "\x16\x03\x01"))
    where = rng.choice((path,) * 6 + ("*", "http://[::1", "//[", "/%00", "/picture/../../etc", "/" + "a" * 70_000, ""))
    version = rng.choice(("HTTP/1.1",) * 6 + ("HTTP/1.0", "HTTP/0.9", "HTTP/2.0", "HTTP/9.9.9", "HTTP/1", ""))
    end = rng.choice(("\r\n", "\r\n", "\r\n", "\n"))
    data = end.join([f"{method} {where} {version}", *(f"{k}: {v}" for k, v in fields), "", ""]).encode()
    body = rng.choice((b"", b"", letters(rng), b'{"start": "(hold)"}\n'))
    return spoilt(data, rng) + body if rng.random() < 0.4 else data + body


def frame(payload: bytes, rng: Random) -> bytes:
    """A websocket's frame: a good one in half of the cases."""
    first, masked, length = 0x82, 0x80, len(payload)
    if rng.random() < 0.5:
        first, masked = rng.randrange(256), rng.choice((0x80, 0x80, 0x80, 0))
        length = rng.choice((length, length, 0, 125, 126, 65_536, 2**31, 2**63 - 1, 2**64 - 1))
    size = bytes([masked | length]) if length < 126 else b""
    if not size:
        size = struct.pack(">BH", masked | 126, length) if length < 65_536 else struct.pack(">BQ", masked | 127, length)
    key = rng.randbytes(4)
    hidden = bytes(b ^ key[i % 4] for i, b in enumerate(payload)) if masked else payload
    return bytes([first]) + size + (key if masked else b"") + hidden


def message(rng: Random) -> bytes:
    """What a policy is sent: msgpack, or nearly."""
    sent: dict[str, Any] = calibration().as_dict()
    where: Any = sent
    while rng.random() < 0.8 and isinstance(where, dict | list | tuple) and where:
        key = rng.choice(sorted(where)) if isinstance(where, dict) else rng.randrange(len(where))
        if isinstance(where, dict) and (rng.random() < 0.5 or not isinstance(where[key], dict | list | tuple)):
            where[key] = thing(rng)
            break
        where = where[key]
    reset = {"instruction": rng.choice(WORDS[4:]), "calibration": sent, "seed": rng.choice((0, 0, -1, 2**63, None))}
    bombs = (
        b"\xdd\xff\xff\xff\xff", b"\xdf\xff\xff\xff\xff", b"\xc6\xff\xff\xff\xff", b"\xc9\xff\xff\xff\xff\x05",
        b"\x91" * rng.choice((500, 2000, 100_000)), b"\x81\xa1a" * 3000, b"\xdc\xff\xff" + b"\x80" * 65_535,
    )  # fmt: skip
    kinds: tuple[Callable[[], bytes], ...] = (
        *(4 * (lambda: packed({"reset": reset}),)),
        *(3 * (lambda: packed({rng.choice(("reset", "do", "images", "x")): thing(rng)}),)),
        lambda: packed({"do": rng.choice(("object", "break", "look", "ask"))}),
        lambda: packed({"end": True}),
        lambda: packed(thing(rng)),
        lambda: rng.choice(bombs),
        lambda: spoilt(packed({"reset": reset}), rng),
        lambda: letters(rng),
    )
    return rng.choice(kinds)()


def packed(sent: Any) -> bytes:
    """A value as msgpack, arrays as openpi has them."""

    def array(value: Any) -> Any:
        if isinstance(value, frozenset):
            return sorted(value)
        return {b"__ndarray__": True, b"data": value.tobytes(), b"dtype": value.dtype.str, b"shape": value.shape}

    return bytes(msgpack.packb(sent, default=array, unicode_errors="surrogatepass"))


def thing(rng: Random) -> Any:
    """A value of msgpack: numbers that are none, arrays that do not fit their bytes, and so on."""
    strange = {
        b"__ndarray__": True,
        b"data": rng.choice((b"", rng.randbytes(64), b"\xff" * 128, 5, None)),
        b"dtype": rng.choice(("<f8", "|O", "V8", "<f4", "(9,9)f8", "f8,f8", "<U9", 5, None, "(" * 300, "|b1", "<c16")),
        b"shape": rng.choice(((), (4, 4), (-1,), (-1, -1), (2**40, 2**40), (0,), 5, None, ("a",))),
    }
    plain = (float("nan"), float("inf"), -1, 0, 2**63, 1e300, True, None, "x", "x" * 5000, b"\xff", [], {}, [[]] * 50)
    return rng.choice((*plain, strange, strange, {b"__npgeneric__": True, b"data": "x", b"dtype": "<f8"}))


def request(rng: Random) -> bytes:
    """A frame of the arm's control port: registers and their data, with a wrong protocol or length at times."""
    floats = (0.0, 1.0, -1.0, float("nan"), float("inf"), 1e30, -1e-30, 300.0, 100.0)
    data = rng.choice((letters(rng)[:300], struct.pack("<9f", *(rng.choice(floats) for _ in range(9)))))
    body = bytes([rng.randrange(256)]) + data
    length = rng.choice((len(body),) * 8 + (0, 1, 1024, 1025, 65_535, len(body) + 3))
    header = struct.pack(">HHH", rng.randrange(65_536), rng.choice((2,) * 8 + (0, 1, 3, 9)), length)
    return rng.choice((header + body,) * 8 + (letters(rng), head("/", rng), (header + body)[: rng.randrange(7)]))


def handshake(rng: Random, port: int) -> bytes:
    """What begins a websocket, of a client that takes errors as messages or of one that does not."""
    fields = [f"Host: 127.0.0.1:{port}", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"]
    fields += ["Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="]
    fields += ["Sec-WebSocket-Protocol: tamp"] if rng.random() < 0.7 else []
    return "\r\n".join(("GET / HTTP/1.1", *fields, "", "")).encode()
